"""`explorer reproduce`: list the published experiments, or run one again and hold it against what was
printed.

While it runs, a bar in a terminal, or a line every two seconds anywhere else. The first Ctrl-C ends the study
at its next round and keeps the rows that are there (exit code 130); the second kills the process.
"""

import contextlib
import csv
import json
import sys
import textwrap
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from explorer.command_line.keeping import check_place
from explorer.command_line.train import interrupts
from explorer.command_line.wording import UNKNOWN, pairs, setting_lines
from explorer.engine.halting import Cancelled
from explorer.engine.knobs import parse_settings
from explorer.engine.refusals import Refused
from explorer.session.study_store import settings
from explorer.studies import STUDIES, study_named
from explorer.studies.support.rows import with_published
from explorer.studies.support.study import Column, Resumes, Row, Study

EVERY = 2.0
Say = Callable[[str], None]
Watch = Callable[[int, str], None]
"""Told how many rows there are and what is being done."""


def options(command: ArgumentParser) -> None:
    """Which study, with which settings, and where its rows go."""
    command.add_argument(
        "name", nargs="?", metavar="NAME", help="the study to run; without it they are listed"
    )
    command.add_argument(
        "--settings", action="store_true", help="tell what the study's settings mean, and run nothing"
    )
    command.add_argument("--quick", action="store_true", help="begin with settings that take a few seconds")
    command.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the study"
    )
    command.add_argument(
        "--json", metavar="FILE", help="also write rows, table, published numbers and findings here"
    )
    command.add_argument(
        "--resume", metavar="FILE", help="go on after the rows that --json wrote here, if the study can"
    )
    command.add_argument("--csv", metavar="FILE", help="also write the rows here")


def run(args: Namespace, say: Say) -> int:
    """List the studies, or run one; returns the exit code."""
    if not args.name:
        for line in study_lines():
            say(line)
        return 0
    if args.settings:
        for line in setting_lines(study_named(args.name)):
            say(f"--set {line}")
        return 0
    for place in (args.json, args.csv):
        check_place(place)
    study = study_of(args)
    say(f"{study.name}: {study.title} ({study.source})")
    for line in (*wrap(study.about), *wrap(f"settings: {pairs(settings(study))}")):
        say(line)
    before = known_rows(args.resume, study) if args.resume else []
    keep = partial(write_json, args.json, study) if args.json else None
    with interrupts() as cancelled:
        rows, whole = collect_rows(study, cancelled.is_set, sys.stdout.isatty(), say, before, keep)
    for line in report(study, rows):
        say(line)
    if not whole:
        say(f"interrupted: {len(rows)} rows are kept")
    write_files(args, study, rows, whole, say)
    return 0 if whole else 130


def wrap(text: str, width: int = 118) -> list[str]:
    """A long sentence as lines."""
    return textwrap.wrap(text, width, break_on_hyphens=False)


def study_lines() -> Iterator[str]:
    """Every study: name, title, source, what it is about and its settings."""
    for kind in STUDIES:
        yield f"{kind.name:18} {kind.title} ({kind.source})"
        yield from (f"{'':18} {line}" for line in wrap(kind.about, 100))
        yield from (f"{'':18} {line}" for line in wrap(pairs(settings(kind())), 100))
    yield ""
    yield (
        "`explorer reproduce NAME` runs one, with --quick in seconds; NAME --settings tells what its "
        "settings mean."
    )


def study_of(args: Namespace) -> Study:
    """The study that is asked for, with its settings."""
    kind = study_named(args.name)
    study: Study = kind.quick() if args.quick else kind()
    return replace(study, **parse_settings(kind, args.set, "--set "))


def known_rows(place: str, study: Study) -> list[Row]:
    """The rows of an earlier run with the same settings; none where there is no such file yet."""
    if not isinstance(study, Resumes):
        raise Refused(f"{study.name} cannot go on after some of its rows; leave out --resume")
    if not Path(place).exists():
        return []
    kept = json.loads(Path(place).read_text())
    if kept.get("study") != study.name or kept.get("settings") != json.loads(json.dumps(settings(study))):
        raise Refused(f"{place} holds rows of another study, or with other settings; give those again")
    return [Row(tuple(found.items())) for found in kept["rows"]]


def collect_rows(
    study: Study,
    cancelled: Callable[[], bool],
    live: bool,
    say: Say,
    before: Sequence[Row] = (),
    keep: Callable[[Sequence[Row], bool], None] | None = None,
) -> tuple[list[Row], bool]:
    """The rows, those of an earlier run first, and whether they are all there; `keep` is told of every new
    one.
    """
    rows = list(before)
    with watching(study.total, live, say) as watch:

        def pulse(note: str) -> None:
            if cancelled():
                raise Cancelled
            watch(len(rows), note)

        try:
            for found in (
                study.rows_after(len(rows), pulse) if isinstance(study, Resumes) else study.rows(pulse)
            ):
                rows.append(found)
                if keep:
                    keep(rows, False)
                pulse("")
        except Cancelled:
            return rows, False
    return rows, True


@contextlib.contextmanager
def watching(total: int, live: bool, say: Say) -> Iterator[Watch]:
    """What to tell about progress, drawn as a bar or said now and then."""
    if live:
        with bar(total) as watch:
            yield watch
        return
    last, said = time.monotonic(), ""

    def watch_line(count: int, note: str) -> None:
        nonlocal last, said
        said = note or said
        if time.monotonic() - last >= EVERY:
            last = time.monotonic()
            say(f"{count} of at most {total} rows  {said}")

    yield watch_line


@contextlib.contextmanager
def bar(total: int) -> Iterator[Watch]:
    """A progress bar; rich is loaded only when there is a terminal to draw on."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[note]}", markup=False),
    )
    with Progress(*columns, transient=True) as progress:
        task = progress.add_task("", total=total, note="")

        def watch(count: int, note: str) -> None:
            if note:
                progress.update(task, note=note)
            progress.update(task, completed=count)

        yield watch


def report(study: Study, rows: Sequence[Row]) -> Iterator[str]:
    """The table with the published numbers beside ours, then the findings."""
    table = with_published(study.table(rows), study.published, study.columns)
    yield ""
    yield from lines(table, columns_of(study, table))
    yield ""
    for finding in study.findings(rows):
        yield f"{finding.verdict:>8}: {finding.claim}"
        yield f"{'':>8}  {finding.evidence}"


def columns_of(study: Study, table: Sequence[Row]) -> list[Column]:
    """The columns that have any cell, each followed by the published one where there is one."""
    out = []
    for column in study.columns:
        twin = Column(f"{column.name} published", f"({study.beside})", form=column.form)
        out += [found for found in (column, twin) if any(found.name in cells for cells in table)]
    return out


def lines(table: Sequence[Row], columns: Sequence[Column]) -> Iterator[str]:
    """The table as aligned text: names to the left, numbers to the right."""
    words = [any(isinstance(found.get(c.name), str) for found in table) for c in columns]
    cells = [[cell_text(found, *pair) for pair in zip(columns, words, strict=True)] for found in table]
    widths = [max([len(c.title), *(len(line[k]) for line in cells)]) for k, c in enumerate(columns)]
    for line in ([c.title for c in columns], *cells):
        parts = zip(line, widths, words, strict=True)
        yield "  ".join(f"{text:<{w}}" if left else f"{text:>{w}}" for text, w, left in parts).rstrip()


def cell_text(found: Row, column: Column, words: bool) -> str:
    """One cell as text."""
    value = found.get(column.name)
    if value is None:
        return "" if words else UNKNOWN
    return value if isinstance(value, str) else format(value, column.form)


def write_files(args: Namespace, study: Study, rows: Sequence[Row], whole: bool, say: Say) -> None:
    """The files that were asked for."""
    if args.json:
        write_json(args.json, study, rows, whole)
        say(f"saved to {args.json}")
    if args.csv:
        names = [c.name for c in study.columns if any(c.name in found for found in rows)]
        with Path(args.csv).open("w", newline="") as out:
            writer = csv.DictWriter(out, names, restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows([dict(found) for found in rows])
        say(f"saved to {args.csv}")


def write_json(place: str, study: Study, rows: Sequence[Row], whole: bool) -> None:
    """Rows, table, published numbers and findings; also after every row, since a long study may be killed."""
    Path(place).write_text(json.dumps(tree(study, rows, whole), indent=1, allow_nan=False) + "\n")


def tree(study: Study, rows: Sequence[Row], whole: bool) -> dict[str, Any]:
    """Everything about a run of a study, as JSON."""
    return {
        "study": study.name,
        "title": study.title,
        "source": study.source,
        "settings": settings(study),
        "complete": whole,
        "columns": [asdict(column) for column in study.columns],
        "plot": asdict(study.plot),
        "rows": [dict(found) for found in rows],
        "table": [dict(found) for found in study.table(rows)],
        "published": [dict(found) for found in study.published],
        "findings": [asdict(finding) for finding in study.findings(rows)],
    }
