"""Visitors who come, train and go leave nothing behind, and a class that trains at once is answered."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

GROWTH = 20.0
"""Megabytes by which the visits may grow the server and its workers together."""


def visited(warm: int, count: int, port: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is alive after a few visits, and after so many more."""
    script = Path(__file__).with_name("visits.py")
    command = [sys.executable, script, str(warm), str(count), str(port)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    return found["before"], found["after"]


def check(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Nothing of the sessions lives on."""
    # Panel's own clean-up timer remembers the first document that it was started from, and no other.
    assert all(after["objects"].get(name, 0) <= 1 for name in ("Session", "Studio", "Shell")), after[
        "objects"
    ]
    assert after["threads"] == before["threads"]
    assert (after["processes"], after["seats"]) == (before["processes"], 0)


def test_sessions_that_ended_leave_no_object_thread_or_worker(port: int) -> None:
    check(*visited(1, 3, port))


def class_of(count: int, port: int) -> dict[str, Any]:
    """What so many who train at once are given, and how they are answered."""
    script = Path(__file__).with_name("visits.py")
    done = subprocess.run(
        [sys.executable, script, "class", str(count), str(port)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_a_class_of_twenty_trains_fairly_and_every_page_answers(port: int) -> None:
    """Once all are at work, everybody has one slice between two of anybody else at the same worker."""
    found = class_of(20, port)
    assert (found["running"], len(found["seconds"])) == (20, 20)
    assert sum(map(len, found["workers"])) == 20
    for names in found["workers"]:
        slices = [name for name in found["slices"] if name in names]
        begun = max(slices.index(name) for name in names)
        turns = [slices[k : k + len(names)] for k in range(begun, len(slices) - len(names))]
        assert turns
        assert all(sorted(turn) == names for turn in turns)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_fifty_sessions_leave_no_memory_behind(port: int) -> None:
    before, after = visited(10, 50, port)
    check(before, after)
    assert after["megabytes"] - before["megabytes"] < GROWTH
