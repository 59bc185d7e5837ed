"""A saved run from somebody else, read in a process of its own with limits of memory and time.

    read_apart(content)  ->  its recipe as plain data, and its trace; refused in one sentence

The process is given the bytes and gives back the run; what it reads can only cost it its own life. That the
recipe is one of the tasks that are open here, and that recipe and trace are of the same problem, is checked
by `check_same_problem` where the problem is.
"""

import pickle
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from explorer.engine.contracts import Problem
from explorer.engine.refusals import Refused
from explorer.engine.runs import saved
from explorer.engine.runs.trace import Trace

MEMORY = 2_000_000_000
"""Bytes of address space that the reading may take."""

SECONDS = 20
"""Seconds of processor time that it may take; and six times as many on the clock, for a busy machine."""

READ = "from explorer.session.uploads.apart import main; main()"


def read_apart(content: bytes) -> tuple[Mapping[str, Any], Trace]:
    """The recipe and the trace of a saved run."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", READ], input=content, capture_output=True, timeout=6 * SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise Refused(f"reading it took more than {6 * SECONDS} seconds; save a shorter run") from None
    if done.returncode != 0:
        limits = f"{MEMORY / 1e9:.0f} GB or {SECONDS} seconds"
        raise Refused(f"reading it took more than {limits}, which no run that the explorer saved does")
    said, value = pickle.loads(done.stdout)
    if said == "refused":
        raise Refused(value)
    found: tuple[Mapping[str, Any], Trace] = value
    return found


def main() -> None:
    """Read a saved run from stdin within the limits, and write what it is to stdout."""
    content = sys.stdin.buffer.read()
    limit()
    try:
        run = saved.load(content)
        answer: Any = ("run", (run.recipe, run.trace))
    except Refused as refusal:
        answer = ("refused", str(refusal))
    sys.stdout.buffer.write(pickle.dumps(answer))


def limit() -> None:
    """Let this process have so much memory and time, where the system can see to that."""
    try:
        import resource
    except ImportError:
        return
    for what, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CPU, SECONDS)):
        resource.setrlimit(what, (most, most))


def check_same_problem(trace: Trace, problem: Problem) -> None:
    """Refuse a record of another problem than that of its recipe."""
    for _, begun in trace.starts:
        if (begun.n, begun.dim) != (problem.n, problem.dim):
            raise Refused(
                f"its record is of {begun.n} examples and {begun.dim} weights, its recipe of {problem.n} and "
                f"{problem.dim}; open a run as it was saved"
            )


__all__ = ["check_same_problem", "main", "read_apart"]
