"""`explorer bench`: list the works, or run some of them and write tables, records and curves into a
folder.
"""

import json
import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from explorer.bench import curves, headlines, rounds, table
from explorer.bench.work import Record, Verdict, Work
from explorer.bench.works import NAMES, work_named
from explorer.engine.refusals import Refused

ALL = "all"
FOLDER = "bench-results"


def run(args: Any, say: Callable[[str], None]) -> int:
    """The subcommand; the exit code is 0 also when a bar is missed, which the table says."""
    if args.name is None:
        for name in NAMES:
            say(f"{name:14} {work_named(name).about}")
        return 0
    if args.name not in (*NAMES, ALL):
        raise Refused(f"there is no work {args.name!r}; choose among {', '.join(NAMES)} or all")
    folder = Path(args.out or FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    names = NAMES if args.name == ALL else (args.name,)
    ends = time.monotonic() + 60.0 * args.minutes if args.minutes else None
    for k, name in enumerate(names):
        share = (ends - time.monotonic()) / (len(names) - k) if ends else None
        measure(work_named(name), args.repeats, args.only, folder, say, share)
    write_table(folder)
    if args.readme:
        headlines.put_into(Path(args.readme), headlines.headlines(trees_in(folder)))
    if args.json and args.name != ALL:
        Path(args.json).write_text((folder / f"{args.name}.json").read_text())
    say(f"written to {folder}")
    return 0


def measure(
    work: Work,
    repeats: int | None,
    only: str | None,
    folder: Path,
    say: Callable[[str], None],
    seconds: float | None = None,
) -> None:
    """Run one work, for about so many seconds, and write what it found."""
    records = rounds.run_work(work, repeats or work.repeats or rounds.REPEATS, only, say, seconds)
    summary = table.summarise(records)
    verdicts = work.judge(summary)
    text = table.markdown(work.name, work.about, summary, verdicts)
    say(text)
    (folder / f"{work.name}.md").write_text(text)
    (folder / f"{work.name}.json").write_text(json.dumps(as_tree(work, summary, verdicts), indent=1))
    drawn = drawing(work.name, summary)
    if drawn:
        (folder / f"{work.name}.svg").write_text(drawn)


def as_tree(work: Work, summary: Mapping[str, Record], verdicts: Sequence[Verdict]) -> Record:
    """Everything that was measured, as JSON."""
    bars = [{"asked": v.asked, "found": v.found, "met": v.met} for v in verdicts]
    machine = {"cores": os.cpu_count(), "python": platform.python_version(), "processor": processor()}
    day = time.strftime("%Y-%m-%d")
    return {
        "work": work.name,
        "about": work.about,
        "day": day,
        "machine": machine,
        "bars": bars,
        "contestants": summary,
    }


def processor() -> str:
    """What the system calls its processor."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text().splitlines() if told.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def trees_in(folder: Path) -> list[Record]:
    """The records of all works that the folder has."""
    files = (folder / f"{name}.json" for name in NAMES)
    return [json.loads(file.read_text()) for file in files if file.exists()]


def drawing(title: str, summary: Mapping[str, Record]) -> str:
    """The curves of every contestant's first run that has one, as SVG."""
    runs = {who: row["runs"][0] for who, row in summary.items() if row["runs"]}
    lines = {who: first["curve"] for who, first in runs.items() if first.get("curve")}
    best = min([y for line in lines.values() for _, y in line], default=0.0)
    return curves.svg(title, lines, best) if best > 0.0 else ""


def write_table(folder: Path) -> None:
    """One page of all works that the folder has figures of."""
    parts = [(folder / f"{name}.md").read_text() for name in NAMES if (folder / f"{name}.md").exists()]
    (folder / "table.md").write_text("\n".join(["# Measured", "", *parts, table.not_here()]))
