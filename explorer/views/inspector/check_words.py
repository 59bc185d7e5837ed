"""A step beside an independent solver, as HTML: for each program a table of conditions, and a verdict."""

import math
from collections.abc import Iterable
from html import escape

from explorer.engine.runs.referee.compare import Declined
from explorer.engine.runs.referee.conditions import NAMES
from explorer.session.check import Checking
from explorer.session.jobs.check import Compared

DIGITS = ("objective", "dual")
"""Rows that are compared digit by digit; the others are only meant to be small."""


def check_page(check: Checking, at: int) -> str:
    """All that is known of the checked step; `at` is the step that the page shows."""
    if check.status == "idle":
        return ""
    moved = "" if at == check.at else f"; the page has moved on to step {at}"
    head = f"<h4>Step {check.at} beside cvxpy{moved}</h4>" if check.at >= 0 else ""
    ends = {"running": f"{check.message} …", "failed": f"Not checked: {check.message}."}
    said = ends.get(check.status, "Cancelled." if check.message else "")
    last = f"<p>{escape(said)}</p>" if said else ""
    return f"<section class='box check'>{head}{''.join(map(told_part, check.found))}{last}</section>"


def told_part(part: Compared | Declined) -> str:
    """One program."""
    if isinstance(part, Declined):
        return f"<p><b>Over {escape(part.over)}</b>: not solved, {escape(part.reason)}.</p>"
    mark = "✓ agrees" if part.agrees else "✗ differs"
    rows = "".join(rows_of(part))
    return (
        f"<p><b>Over {escape(part.over)}</b>: {mark}. {escape(part.sentence)}</p>"
        f"<table><thead><tr><th></th><th scope='col'>this step</th><th scope='col'>cvxpy</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )


def rows_of(part: Compared) -> Iterable[str]:
    """A row for each condition that one of them can say anything about."""
    for name, title in NAMES.items():
        mine, others = getattr(part.ours, name), getattr(part.theirs, name)
        if not (math.isnan(mine) and math.isnan(others)):
            cells = "".join(f"<td>{figure(name, value)}</td>" for value in (mine, others))
            yield f"<tr><th scope='row'>{escape(title)}</th>{cells}</tr>"


def figure(name: str, value: float) -> str:
    """A number as the table writes it."""
    if math.isnan(value):
        return "–"
    return f"{value:.7g}" if name in DIGITS else f"{value:.1e}" if value else "0"
