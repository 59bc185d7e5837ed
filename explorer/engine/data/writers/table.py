"""Labels in one column of a table (`readers.table`), which is added where the table lacks it."""

from collections.abc import Sequence

from explorer.engine.data.readers.table import Table


def with_column(table: Table, label: str, labels: Sequence[str]) -> str:
    """The text of the table with these labels, one for each row."""
    known = label in table.header.cells
    at = table.header.cells.index(label) if known else -1
    texts = [label, *labels] if not known else list(labels)
    rows = table.rows if known else [table.header, *table.rows]
    out, done = [], 0
    for row, text in zip(rows, texts, strict=True):
        first, last = row.places[at]
        cell = quote(text, table.separator)
        out += [table.text[done:first], cell] if known else [table.text[done:last], table.separator, cell]
        done = last
    return "".join([*out, table.text[done:]])


def quote(text: str, separator: str) -> str:
    """A cell that holds this text."""
    if not any(sign in text for sign in (separator, '"', "\n", "\r")) and text == text.strip():
        return text
    return '"' + text.replace('"', '""') + '"'


__all__ = ["with_column"]
