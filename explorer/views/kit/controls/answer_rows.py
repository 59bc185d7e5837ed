"""Rows of a table of answers as HTML: names are buttons, and every text is escaped."""

from collections.abc import Mapping, Sequence
from html import escape


def table_head(columns: Mapping[str, str]) -> str:
    """Names of columns, each with what it means."""
    cells = (f"<th scope='col' title='{escape(why)}'>{escape(name)}</th>" for name, why in columns.items())
    return f"<thead><tr>{''.join(cells)}</tr></thead>"


def answer_row(act: str, name: str, shown: bool, cells: Sequence[str], *classes: str) -> str:
    """A name that can be pressed, and its cells."""
    data = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return _row(act, name, shown, data, classes)


def refusal_row(act: str, name: str, shown: bool, why: str, columns: int) -> str:
    """A name that can be pressed, and why there is no answer, across the other columns."""
    return _row(act, name, shown, f"<td colspan='{columns - 1}'>{escape(why)}</td>", ("refused",))


def _row(act: str, name: str, shown: bool, data: str, classes: Sequence[str]) -> str:
    look = " ".join(["shown"] * shown + list(classes))
    pressed = f"data-act='{escape(act, quote=True)}' aria-pressed='{str(shown).lower()}'"
    button = f"<button type='button' {pressed}>{escape(name)}</button>"
    return f"<tr class='{look}'><th scope='row'>{button}</th>{data}</tr>"


def milliseconds(seconds: float) -> str:
    """A time."""
    return f"{1e3 * seconds:.2g}" if seconds < 0.1 else f"{1e3 * seconds:.0f}"
