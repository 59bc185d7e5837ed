"""Shards on the workers of a Dask cluster.

Each shard is sent once, to one worker; a pass sends w to each and brings back its sums. When a worker is
lost, the scheduler, which has every shard, gives those of the lost one to who is left, and they are asked
at the same w: the run makes the same steps. Cost of a loss: its shards on the wire once more. A cluster
runs what it is sent: name only one that is yours.
"""

import pickle
from typing import Any

import dask
from distributed import CancelledError, Client, TimeoutError
from distributed.scheduler import KilledWorker

from explorer.engine.executors.shards import Shard, answer
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array

PATIENCE = 120.0
"""Seconds that a cluster without workers is given to get one."""

TRIES = 5
"""How often a shard may be lost for good in one pass; the scheduler has then tried it several times
itself.
"""

LOST = (CancelledError, KilledWorker)
QUIET = {"distributed.admin.large-graph-warning-threshold": "1GB"}
"""w is large where there are many features, and has to go out."""


class DaskExecutor:
    """Shards on the workers that the scheduler at this address has."""

    def __init__(self, scheduler: str, jobs: int = 0) -> None:
        try:
            self._client = Client(scheduler, timeout="20s", set_as_default=False, name="explorer")
        except (OSError, TimeoutError, ValueError) as error:
            raise Refused(
                f"no Dask scheduler answers at {scheduler}; start one, or mend its address"
            ) from error
        self.sent = self.received = self.lost = 0
        self.jobs = jobs or len(self._workers())
        self._shards: list[Shard] = []
        self._there: dict[str, Any] = {}

    def _workers(self) -> list[str]:
        """The addresses of all workers there are, in order."""
        try:
            self._client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError as error:
            raise Refused(f"the Dask cluster has had no worker for {PATIENCE:.0f} s; start one") from error
        return sorted(self._client.scheduler_info(n_workers=-1)["workers"])

    def place(self, shards: list[Shard]) -> None:
        """Send every shard, to one worker after the other."""
        self._shards, workers = shards, self._workers()
        for at, shard in enumerate(shards):
            self._send(shard, workers[at % len(workers) :][:1])

    def _send(self, shard: Shard, workers: list[str]) -> None:
        """A task of its own, so that the scheduler can do it again; the worker is a wish."""
        with dask.config.set(QUIET):
            self._there[shard.name] = self._client.submit(
                keep, shard, workers=workers, allow_other_workers=True, pure=False
            )
        self.sent += len(shard.content)

    def ask(self, question: str, w: Array, floor: bool) -> list[tuple[Any, ...]]:
        """Every shard's answer, in order; what is lost for good is sent and asked again."""
        found: dict[str, bytes] = {}
        for _ in range(TRIES):
            missing = [shard for shard in self._shards if shard.name not in found]
            if not missing:
                break
            found |= self._ask_some(missing, question, w, floor)
            for shard in missing:
                if shard.name not in found:
                    self.lost += 1
                    self._send(shard, self._workers())
        else:
            raise Refused(f"a part of a pass was lost {TRIES} times; see the logs of the Dask workers")
        self.received += sum(map(len, found.values()))
        return [pickle.loads(found[shard.name]) for shard in self._shards]

    def _ask_some(self, shards: list[Shard], question: str, w: Array, floor: bool) -> dict[str, bytes]:
        """The answers of those shards that answer."""
        with dask.config.set(QUIET):
            asked = {
                shard.name: self._client.submit(
                    answer, self._there[shard.name], question, w, floor, pure=False
                )
                for shard in shards
            }
        self.sent += w.nbytes * len(shards)
        answers: dict[str, bytes] = {}
        for name, future in asked.items():
            try:
                answers[name] = future.result()
            except LOST:
                continue
        return answers

    def close(self) -> None:
        """Leave the cluster; it goes on."""
        self._there.clear()
        self._client.close()


def keep(shard: Shard) -> Shard:
    """The shard, on the worker that does this."""
    return shard
