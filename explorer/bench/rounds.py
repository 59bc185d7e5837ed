"""Runs in turn: ours, a peer, ours, the next peer, ... each in a fresh process, so that load and heat hit all
alike.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from explorer.bench.work import Record, Work

ONE_THREAD = (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "EXPLORER_THREADS",
)
REPEATS = 5
PATIENCE = 600.0
"""Seconds after which a run is given up, where there is no other limit."""


def run_work(
    work: Work, repeats: int, only: str | None, say: Callable[[str], None], seconds: float | None = None
) -> dict[str, list[Record]]:
    """Every contestant `repeats` times, one after the other within each round; records by contestant. With
    `seconds`, no round begins that would end later, as long as the longest one.
    """
    began, longest = time.monotonic(), 0.0
    found: dict[str, list[Record]] = {name: [] for name in work.contestants if only is None or only in name}
    for turn in range(repeats):
        since = time.monotonic()
        if turn and seconds is not None and since + longest > began + seconds:
            break
        for name in found:
            if any("skipped" in record for record in found[name]) or (turn and name in work.once):
                continue
            record = run_child(work.name, name, PATIENCE if seconds is None else min(PATIENCE, seconds))
            found[name].append(record | {"round": turn, "load": os.getloadavg()[0]})
            say(f"{work.name}  round {turn + 1}  {name}: {in_short(record)}")
        longest = max(longest, time.monotonic() - since)
    return found


def run_child(work: str, contestant: str, patience: float = PATIENCE) -> Record:
    """One run in its own process; a run that fails is reported with its last words, one that takes too long
    is ended.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "record.json"
        command = [sys.executable, "-m", "explorer.bench.child", work, contestant, str(out)]
        settings = os.environ | dict.fromkeys(ONE_THREAD, "1")
        try:
            ended = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=patience)
        except subprocess.TimeoutExpired:
            return {"skipped": f"not done after {patience:.0f} s"}
        if ended.returncode:
            return {"skipped": "failed: " + "".join(ended.stderr.strip().splitlines()[-1:])}
        record: Record = json.loads(out.read_text())
        return record


def in_short(record: Record) -> str:
    """One run in a line."""
    return record["skipped"] if "skipped" in record else ", ".join(figures(record))


def figures(record: Record) -> Iterator[str]:
    """The numbers of a record that there are."""
    for name in ("wall", "cpu", "gap", "primal", "test_error", "f1", "memory"):
        if record.get(name) is not None:
            yield f"{name} {record[name]:.4g}"
