"""One run of one contestant, in this process alone: python -m explorer.bench.child WORK CONTESTANT FILE."""

import json
import os
import resource
import sys
from pathlib import Path

from explorer.bench.work import Missing, Record, Work
from explorer.bench.works import work_named

MOST_MEMORY = 12 * 2**30
"""A run that asks for more fails by itself, instead of taking the machine with it."""


def run(work: Work, contestant: str, folder: Path | None) -> Record:
    """Load, train and let the referee look; a missing file or system makes a record that says so."""
    try:
        data = work.load(folder)
        outcome = work.contestants[contestant](data)
    except Missing as missing:
        return {"skipped": str(missing)}
    clock = outcome.clock
    record = {"wall": clock.wall, "cpu": clock.cpu, "memory": clock.memory, "dual": outcome.dual}
    return record | work.score(data, outcome) | {"facts": outcome.facts}


def data_folder() -> Path | None:
    """Where real data lie: EXPLORER_DATA."""
    named = os.environ.get("EXPLORER_DATA", "")
    return Path(named) if named else None


def main(work: str, contestant: str, out: str) -> None:
    """Run, and write the record."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    Path(out).write_text(json.dumps(run(work_named(work), contestant, data_folder())))


if __name__ == "__main__":
    main(*sys.argv[1:])
