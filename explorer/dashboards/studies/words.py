"""What the page of studies says: what a study is, with which settings its rows were made, and where the run
stands.
"""

from html import escape
from typing import Any

from explorer.session.studies import Studies
from explorer.session.study_run import Run
from explorer.session.study_store import settings
from explorer.wording import quantity

HEAD = """
h2 { margin: 6px 0 2px; font-size: var(--type-large, 20px); line-height: 1.3; }
.source { font-weight: 400; font-size: var(--type-small, 14px); margin-left: 8px; white-space: nowrap; }
.plan, .source { opacity: 0.8; }
pre { white-space: pre-wrap; font-size: var(--type-small, 14px); margin: 4px 0; }
"""

STATES = {
    "running": "Running",
    "finished": "Finished",
    "stopped": "Stopped",
    "failed": "Cannot go on",
    "idle": "Ready",
}


def first_sentence(text: str) -> str:
    """A text up to its first full stop."""
    head, dot, _ = text.partition(". ")
    return head + dot.strip()


def header(run: Run) -> str:
    """Title, source, what it is about, and with which settings the rows were made; escaped."""
    study = run.study
    return (
        f"<h2>{escape(study.title)} <span class='source'>{escape(study.source)}</span></h2>"
        f"<p>{escape(study.about)}</p><p class='made'>{escape(made_with(run))}</p>"
    )


def made_with(run: Run) -> str:
    """Which settings the rows have: in full, a quick look, or those that differ from the source's."""
    kind = type(run.study)
    usual, mine = settings(kind()), settings(run.study)
    changed = ", ".join(f"{name} = {plain(value)}" for name, value in mine.items() if value != usual[name])
    took = f" {run.seconds:,.1f} seconds of work." if run.seconds and not run.running else ""
    if not changed:
        return f"Rows below: in full.{took}"
    if run.study == kind.quick():
        return (
            f"Rows below: a quick look ({changed}), smaller than the source's, so verdicts may differ.{took}"
        )
    return f"Rows below: with {changed}.{took}"


def plain(value: Any) -> str:
    """A setting as a person writes it."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def status(studies: Studies) -> str:
    """Where the run stands, and how many rows the buttons would make, as lines of HTML; escaped.

    The note changes many times a second, so it is not read out.
    """
    run = studies.shown
    text = STATES[run.status] + (f": {run.message}." if run.message else ".")
    note = f"Row {len(run.rows) + 1:,} of {run.study.total:,}: {run.note or 'waiting for a worker'}"
    return (
        f"<p role='status' aria-live='polite' class='run {run.status}'><b>{escape(text)}</b></p>"
        f"<p class='plan'>{escape(note if run.running else plan(studies))}</p>"
    )


def plan(studies: Studies) -> str:
    """How many rows the buttons would make, or why the settings cannot be run."""
    if studies.message:
        return f"Settings: {studies.message}."
    wanted = "in full" if studies.is_full else "as set"
    return (
        f"Quick look: at most {quantity(studies.quick().total, 'row')}; {wanted}: {studies.plan().total:,}."
    )


__all__ = ["HEAD", "first_sentence", "header", "made_with", "plan", "status"]
