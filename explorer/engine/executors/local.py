"""Shards on threads of this process, and in processes of joblib's.

Threads help where the oracle lets go of the interpreter's lock, as compiled ones do. Processes help plain
Python too: their shards lie in files of a temporary folder, which each process reads once.
"""

import pickle
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed

from explorer.engine.executors.shards import QUESTIONS, Shard, answer
from explorer.engine.threads import workers
from explorer.engine.vectors import Array


class ThreadExecutor:
    """Shards on threads; nothing is copied."""

    def __init__(self, jobs: int = 0) -> None:
        self.jobs = jobs or workers()
        self.sent = self.received = 0
        self._shards: list[Shard] = []
        self._pool = ThreadPoolExecutor(self.jobs, thread_name_prefix="passes")

    def place(self, shards: list[Shard]) -> None:
        """Take every shard as it is."""
        self._shards = shards

    def ask(self, question: str, w: Array, floor: bool) -> list[tuple[Any, ...]]:
        """Every shard's answer, in order."""
        parts = [shard.open() for shard in self._shards]
        return list(self._pool.map(lambda part: QUESTIONS[question](part, w, floor), parts))

    def close(self) -> None:
        """Let the threads go."""
        self._pool.shutdown()


class ProcessExecutor:
    """Shards in joblib's worker processes."""

    def __init__(self, jobs: int = 0) -> None:
        self.jobs = jobs or workers()
        self.sent = self.received = 0
        self._shards: list[Shard] = []
        self._folder = tempfile.TemporaryDirectory(prefix="explorer-shards-")
        self._pool = Parallel(n_jobs=self.jobs, backend="loky", batch_size=1, max_nbytes=None)
        self._pool.__enter__()

    def place(self, shards: list[Shard]) -> None:
        """Write every shard to a file that all processes see."""
        threads = max(1, workers() // self.jobs)
        for shard in shards:
            place = Path(self._folder.name) / shard.name
            place.write_bytes(shard.content)
            self._shards.append(replace(shard, content=b"", place=str(place), threads=threads))

    def ask(self, question: str, w: Array, floor: bool) -> list[tuple[Any, ...]]:
        """Every shard's answer, in order."""
        answers = self._pool(delayed(answer)(shard, question, w, floor) for shard in self._shards)
        self.sent += w.nbytes * len(self._shards)
        self.received += sum(len(found) for found in answers)
        return [pickle.loads(found) for found in answers]

    def close(self) -> None:
        """End the processes, and delete the files."""
        self._pool.__exit__(None, None, None)
        self._folder.cleanup()
