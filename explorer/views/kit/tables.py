"""Numbers and sentences as HTML: the data table below a picture, and how text looks."""

from html import escape
from typing import Any

from explorer.wording import number

TEXT = """
p { margin: 2px 0; font-size: var(--type-small, 14px); line-height: 1.4; }
.run.failed b { color: #b00020; }
.data-table { height: 100%; overflow: auto; background: inherit; font-size: var(--type-small, 14px); }
.data-table thead th { position: sticky; top: 0; background: inherit; }
table { border-collapse: collapse; width: 100%; background: inherit; }
thead, thead tr { background: inherit; }
th, td { padding: 2px 8px; text-align: right; border-bottom: 1px solid rgba(128, 128, 128, 0.35); }
caption { text-align: left; padding: 4px 0; }
"""
"""How sentences and tables look; each pane carries it, because a page's style does not reach into panes."""


ROWS = 200
"""A data table shows at most this many rows."""


def html_table(columns: dict[str, Any], caption: str) -> str:
    """The columns as an HTML table; every cell is escaped."""
    names = list(columns)
    length = max((len(values) for values in columns.values()), default=0)
    head = "".join(f"<th scope='col'>{escape(name)}</th>" for name in names)
    rows = [
        "<tr>" + "".join(f"<td>{escape(number(columns[name][r]))}</td>" for name in names) + "</tr>"
        for r in range(max(0, length - ROWS), length)
    ]
    note = f"last {ROWS} of {length} rows" if length > ROWS else f"{length} rows"
    return (
        f"<div class='data-table' tabindex='0' role='region' aria-label='{escape(caption)}'>"
        f"<table><caption>{escape(caption)}, {note}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


__all__ = ["TEXT", "html_table"]
