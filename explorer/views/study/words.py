"""A study in words and numbers: the sentence, the table of ours beside the published, the findings with their
verdicts.

    difference = ours - published

Key columns come first. A published row that we have not computed yet waits in the table with its own cells
empty.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from explorer.studies.support.rows import with_published
from explorer.studies.support.study import HELD, NOT_HELD, OPEN, Cell, Column, Finding, Row, Study
from explorer.views.kit.drawing.theme import Theme
from explorer.wording import quantity

MOST_LINES = 200
"""Lines of the table that are shown."""

UNKNOWN = "–"
ICONS = {
    HELD: "<path d='M5.5 10.5 L9 14 L15 6.5'/>",
    NOT_HELD: "<path d='M6.5 6.5 L13.5 13.5 M13.5 6.5 L6.5 13.5'/>",
    OPEN: "<path d='M10 5.5 V11 M10 14 V14.6'/>",
}

CSS = """
.verdicts { list-style: none; padding: 0; margin: 2px 0;
  font-size: var(--type-small, 14px); line-height: 1.35; }
.verdicts li { display: grid; grid-template-columns: 24px 72px 1fr; column-gap: 4px; padding: 4px 0;
  border-bottom: 1px solid rgba(128, 128, 128, 0.35); }
.verdicts b { white-space: nowrap; } .verdicts .evidence { color: var(--muted); }
.lines { overflow: auto; max-height: var(--tall); font-size: var(--type-small, 14px); }
.lines table { border-collapse: collapse; width: auto; min-width: 50%; }
.lines th, .lines td { padding: 3px 10px; text-align: right; white-space: nowrap;
  border-bottom: 1px solid rgba(128, 128, 128, 0.35); }
.lines thead th { position: sticky; top: 0; background: var(--paper); }
.lines .word { text-align: left; } .lines .ours { font-weight: 600; } .lines .first { padding-left: 22px; }
.lines caption { text-align: left; padding: 2px 0 4px; }
"""


def sentence(study: Study, rows: Sequence[Row], findings: Sequence[Finding], whole: bool) -> str:
    """How many rows there are, and what they say so far: the picture for everyone who does not see it."""
    count = len(rows)
    some = f"{count:,} of {study.total:,} rows" if not whole else quantity(count, "row")
    return f"{some}; {count_verdicts(findings)}."


def count_verdicts(findings: Sequence[Finding]) -> str:
    """How many claims held, did not, and are open."""
    if not findings:
        return "no finding yet"
    counts = [
        (sum(finding.verdict == verdict for finding in findings), verdict)
        for verdict in (HELD, NOT_HELD, OPEN)
    ]
    some = [(count, verdict) for count, verdict in counts if count]
    return ", ".join(
        f"{count if k else quantity(count, 'finding')} {verdict}" for k, (count, verdict) in enumerate(some)
    )


# the table --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """One column of the table as it is shown: which cell, and whether it is ours, the published one or the
    difference.
    """

    column: Column
    what: str
    title: str
    word: bool

    def text(self, found: Row) -> str:
        """The cell of a row as text."""
        ours, theirs = found.get(self.column.name), found.get(f"{self.column.name} published")
        if self.what == "difference":
            return (
                UNKNOWN
                if ours is None or theirs is None
                else cell_text(_minus(ours, theirs), f"+{self.column.form}")
            )
        value = ours if self.what == "ours" else theirs
        return ("" if self.word else UNKNOWN) if value is None else cell_text(value, self.column.form)


def _minus(a: Cell, b: Cell) -> Cell:
    return "" if isinstance(a, str) or isinstance(b, str) else a - b


def cell_text(value: Cell, form: str) -> str:
    """A cell as its column writes it; a whole number that turned out broken is written as it is."""
    if isinstance(value, str):
        return value
    return format(
        value, form.replace("d", ".4g") if form.endswith("d") and isinstance(value, float) else form
    )


def rows_with_twins(study: Study, table: Sequence[Row]) -> list[Row]:
    """Our rows, each with its published twin, then the published ones that wait for theirs."""
    keys = [column.name for column in study.columns if column.key]
    there = {tuple(found.get(name) for name in keys) for found in table}
    waiting = [
        Row(tuple((name if name in keys else f"{name} published", cell) for name, cell in found.items()))
        for found in study.published
        if tuple(found.get(name) for name in keys) not in there
    ]
    return [*with_published(table, study.published, study.columns), *waiting]


def parts(study: Study, rows: Sequence[Row]) -> list[ShownColumn]:
    """The columns that have any cell: keys first, the published one and the difference after ours."""
    found = []
    for column in sorted(study.columns, key=lambda column: not column.key):
        ours, theirs = (
            [row[name] for row in rows if name in row] for name in (column.name, f"{column.name} published")
        )
        word = any(isinstance(value, str) for value in (*ours, *theirs))
        if ours or theirs:
            found.append(ShownColumn(column, "ours", column.title, word))
        if theirs:
            found.append(ShownColumn(column, "published", study.beside, word))
        if theirs and not word:
            found.append(ShownColumn(column, "difference", "difference", False))
    return found


def table_html(study: Study, table: Sequence[Row], tall: str, theme: Theme) -> str:
    """The whole table; every text is escaped."""
    rows = rows_with_twins(study, table)
    columns = parts(study, rows)
    if not columns:
        return "<p>No number yet.</p>"
    head = "".join(f"<th scope='col' class='{_look(part)}'>{escape(part.title)}</th>" for part in columns)
    lines = [
        "<tr>"
        + "".join(f"<td class='{_look(part)}'>{escape(part.text(found))}</td>" for part in columns)
        + "</tr>"
        for found in rows[-MOST_LINES:]
    ]
    note = (
        f"the last {MOST_LINES} of {len(rows):,} lines"
        if len(rows) > MOST_LINES
        else quantity(len(rows), "line")
    )
    beside = (
        f", ours beside the {study.beside}" if study.published else ", nothing published to set beside them"
    )
    name = escape(f"Numbers of {study.title}")
    return (
        f"<div class='lines' style='--tall:{tall};--paper:{theme.panel}' tabindex='0' role='region' "
        f"aria-label='{name}'>"
        f"<table><caption>{note}{escape(beside)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _look(part: ShownColumn) -> str:
    words = ["word"] if part.word else []
    return " ".join([*words, *(["ours first"] if part.what == "ours" and not part.column.key else [])])


# the findings -----------------------------------------------------------------------------------------------


def findings_html(findings: Sequence[Finding], theme: Theme) -> str:
    """Every claim with an icon, the word for it and its evidence; every text is escaped."""
    items = "".join(_item(finding, theme) for finding in findings)
    return (
        f"<ul class='verdicts' style='--muted:{theme.muted}'>{items}</ul>"
        if items
        else "<p>No finding yet.</p>"
    )


def _item(finding: Finding, theme: Theme) -> str:
    colour = {HELD: theme.truth, NOT_HELD: theme.primal}.get(finding.verdict, theme.muted)
    return (
        f"<li>{icon(finding.verdict, colour)}<b style='color:{colour}'>{escape(finding.verdict)}</b>"
        f"<span>{escape(finding.claim)}<br><span "
        f"class='evidence'>{escape(finding.evidence)}</span></span></li>"
    )


def icon(verdict: str, colour: str) -> str:
    """A sign in a circle: a tick, a cross, or an exclamation mark in a broken one."""
    dash = " stroke-dasharray='3 2.5'" if verdict == OPEN else ""
    return (
        f"<svg width='20' height='20' viewBox='0 0 20 20' fill='none' stroke='{colour}' stroke-width='2' "
        "stroke-linecap='round' aria-hidden='true'><circle cx='10' cy='10' "
        f"r='8.5'{dash}/>{ICONS.get(verdict, '')}</svg>"
    )


# files ------------------------------------------------------------------------------------------------------


def csv_text(study: Study, rows: Sequence[Row]) -> str:
    """The rows as CSV, in the order of the study's columns."""
    names = [column.name for column in study.columns if any(column.name in found for found in rows)]
    out = io.StringIO()
    writer = csv.DictWriter(out, names, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(_cells(rows))
    return out.getvalue()


def _cells(rows: Sequence[Row]) -> Iterator[dict[str, Cell]]:
    return (dict(found) for found in rows)


__all__ = ["CSS", "csv_text", "findings_html", "sentence", "table_html"]
