"""One line for each work: our first contestant, and what other systems took in the same run.

The lines are made of the records that a run writes and of nothing else. A page that holds the two marks gets
them between these; the same text is kept in a file beside, so that a test can tell whether somebody typed.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from explorer.bench.work import Record
from explorer.engine.refusals import Refused

BEGIN, END = "<!-- measured: by explorer bench -->", "<!-- end -->"
KEPT = Path("assets") / "measured.md"
"""Where the text is kept, beside the page."""

FIGURES = {"cpu": "{:.3g} s", "gap": "gap {:.2%}", "test_error": "{:.1%} wrong", "f1": "F1 {:.1%}"}


def headlines(trees: Sequence[Record]) -> str:
    """The table of these works' records."""
    machines = dict.fromkeys(about_machine(tree) for tree in trees)
    lines = [
        "CPU seconds of one thread, medians over rounds in which all take turns; x: as many times as long in "
        f"the same rounds. Measured on {' and '.join(machines)}.",
        "",
        "| work | ours | beside it |",
        "| --- | --- | --- |",
    ]
    return "\n".join([*lines, *map(line_of, trees)]) + "\n"


def about_machine(tree: Record) -> str:
    """Day and machine of a run."""
    machine = tree["machine"]
    return f"{tree['day']}, {machine['cores']} cores, {machine['processor']}, Python {machine['python']}"


def line_of(tree: Record) -> str:
    """A work as one row."""
    contestants: Mapping[str, Record] = tree["contestants"]
    (first, own), *others = contestants.items()
    trains = "claimed_gap" in own["facts"]
    mine = f"{first}: {figures(own, 'memory')}" if trains else ""
    beside = [f"{who} {figures(row)}{times(row)}" for who, row in others if trains and is_peer(row)]
    beside += [f"{'' if bar['met'] else 'missed: '}{bar['asked']}: {bar['found']}" for bar in tree["bars"]]
    return f"| {tree['about']} | {mine} | {'; '.join(beside)} |"


def is_peer(row: Record) -> bool:
    """Whether a contestant is another system that was run: ours tell the gap that they claim."""
    return row.get("cpu") is not None and "claimed_gap" not in row["facts"] and bool(figures(row))


def figures(row: Record, *more: str) -> str:
    """The numbers of a contestant that there are."""
    shown = FIGURES | dict.fromkeys(more, "{:.0f} MB")
    return ", ".join(text.format(row[key]) for key, text in shown.items() if row.get(key) is not None)


def times(row: Record) -> str:
    """How many times as long it took."""
    return "" if row.get("cpu_ratio") is None else f" ({row['cpu_ratio']:.1f} x)"


def put_into(page: Path, text: str) -> None:
    """Write the text between the marks of the page, and into the file beside it."""
    whole = page.read_text()
    if whole.count(BEGIN) != 1 or END not in whole.partition(BEGIN)[2]:
        raise Refused(f"{page} has no place for the table; put {BEGIN} and {END} where it belongs")
    before, _, rest = whole.partition(BEGIN)
    page.write_text(f"{before}{BEGIN}\n{text}{END}{rest.partition(END)[2]}")
    kept = page.parent / KEPT
    kept.parent.mkdir(exist_ok=True)
    kept.write_text(text)
