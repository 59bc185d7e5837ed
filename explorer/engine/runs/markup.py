"""Runs and recipes as small HTML tables, for notebooks; whatever names hold is escaped."""

from collections.abc import Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from explorer.engine.runs.trace import Trace

CELL = "padding: 2px 10px; text-align: left; border-bottom: 1px solid rgba(128, 128, 128, 0.3)"
HEAD = f"{CELL}; font-weight: normal; opacity: 0.7; white-space: nowrap"


def facts(title: str, rows: Mapping[str, Any]) -> str:
    """A table of names and values under a title; what has no value is left out."""
    lines = "".join(
        f"<tr><th scope='row' style='{HEAD}'>{escape(name)}</th>"
        f"<td style='{CELL}'>{escape(str(value))}</td></tr>"
        for name, value in rows.items()
        if value not in ("", None)
    )
    caption = "<caption style='text-align: left; padding: 2px 10px; color: inherit'>"
    return (
        f"<table style='border-collapse: collapse'>{caption}<b>{escape(title)}</b></caption>{lines}</table>"
    )


def run_facts(trace: "Trace") -> dict[str, str]:
    """What was trained, how far it came, what is proved of it and why it stopped."""
    if not trace.starts:
        return {"steps": "none yet"}
    begun = trace.starts[-1][1]
    told = {
        "problem": f"{begun.problem}: {begun.n:,} examples, {begun.dim:,} weights",
        "learner": begun.learner,
        "settings": settings_words(begun.settings),
        "steps": f"{len(trace):,}",
    }
    return told | (_last_facts(trace) if len(trace) else {})


def _last_facts(trace: "Trace") -> dict[str, str]:
    """The newest figures of a run, and its end."""
    last = trace.at(-1).figures
    bounds = {name: f"{last[name]:.7g}" for name in ("primal", "dual") if last[name] == last[name]}
    proved = (
        "a certificate"
        if trace.certified(len(trace) - 1)
        else f"no certificate: {trace.doubt(len(trace) - 1)}"
    )
    return bounds | {
        "these bounds are": proved if "dual" in bounds else "",
        "training": f"{last['oracle_calls']:,.0f} oracle calls, {last['seconds']:.2f} s",
        "stopped": trace.stops[-1][1].sentence if trace.stops else "",
    }


def settings_words(settings: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> str:
    """Settings as one writes them in a call."""
    return ", ".join(
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in dict(settings).items()
    )


__all__ = ["facts", "run_facts", "settings_words"]
