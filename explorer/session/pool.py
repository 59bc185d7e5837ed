"""Worker processes for a server: spawned, niced, shared fairly, and expendable.

The server process only draws. Each worker gives its jobs slices in turn, so twenty sessions on one worker all
move. A new session goes to the worker with the fewest. A worker that dies (a crash in compiled code, out of
memory) is replaced; its sessions are told, and keep what they had recorded.
"""

import multiprocessing
import os
import pickle
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from explorer.engine.events import Event, Stopped
from explorer.engine.refusals import Refused
from explorer.session.runner import Inboxes, Worker
from explorer.session.wire import pack

NICE = 15
MEMORY = 8 << 30
"""Address space that one worker may use."""

DIED = "The worker process ended unexpectedly; press reset to train again. What was recorded is kept."


def work(pipe: Connection) -> None:
    """The whole life of a worker process."""
    os.nice(NICE)
    limit_memory()
    lock = threading.Lock()

    def send(name: str, events: list[Event]) -> None:
        with lock:
            pipe.send((name, [pack(event) for event in events]))

    worker = Worker(send, pickle.loads)
    threading.Thread(target=worker.run, daemon=True).start()
    while True:
        try:
            worker.post(*pipe.recv())
        except (EOFError, OSError):
            os._exit(0)


def limit_memory() -> None:
    """Let a runaway job fail in its own process, where the system can."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


Deliver = Callable[[str, list[Event]], None]
Died = Callable[["WorkerProcess"], None]


class WorkerProcess:
    """The server's side of one worker process."""

    def __init__(self, deliver: Deliver, died: Died) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.sessions: set[str] = set()
        self._send = threading.Lock()
        self.process: BaseProcess = context.Process(target=work, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        threading.Thread(
            target=self._read, args=(deliver, died), name="explorer-worker-reader", daemon=True
        ).start()

    def _read(self, deliver: Deliver, died: Died) -> None:
        while True:
            try:
                deliver(*self.pipe.recv())
            except (EOFError, OSError):
                died(self)
                return

    def post(self, *message: Any) -> None:
        """Send an order; a dead worker is noticed by the reader."""
        with self._send:
            try:
                self.pipe.send(message)
            except OSError:
                return


class Pool:
    """`size` worker processes behind the Runner interface; started when first needed."""

    elsewhere = True

    def __init__(self, size: int | None = None) -> None:
        self.size = size or max(1, (os.cpu_count() or 2) - 1)
        self._boxes = Inboxes()
        self._workers: list[WorkerProcess] = []
        self._assigned: dict[str, WorkerProcess] = {}
        self._lock = threading.Lock()
        self._open = True

    def start(self) -> None:
        """Start all workers now, so that the first student does not wait for one."""
        with self._lock:
            while self._open and len(self._workers) < self.size:
                self._workers.append(WorkerProcess(self._boxes.put, self._died))

    def order(self, name: str, order: str, *args: Any) -> None:
        """Pass an order to the worker that has the session."""
        self._boxes.obey(name, order)
        try:
            packed_args = pickle.dumps(args)
        except Refused as refusal:  # a problem that exists only in this process
            self._boxes.put(name, [Stopped("failed", str(refusal), -1)])
            return
        worker = self._worker_of(name)
        worker.post(name, order, packed_args)
        if order == "close":
            with self._lock:
                worker.sessions.discard(name)
                self._assigned.pop(name, None)

    def everywhere(self, act: Callable[..., Any], *args: Any) -> None:
        """Have every worker do something of which nobody waits for the end."""
        with self._lock:
            workers = list(self._workers)
        for worker in workers:
            worker.post("everywhere", "errand", pickle.dumps((act, *args)))
            worker.post("everywhere", "close", pickle.dumps(()))

    def _worker_of(self, name: str) -> WorkerProcess:
        self.start()
        with self._lock:
            if name not in self._assigned:
                worker = min(self._workers, key=lambda d: len(d.sessions))
                worker.sessions.add(name)
                self._assigned[name] = worker
            return self._assigned[name]

    def _died(self, worker: WorkerProcess) -> None:
        with self._lock:
            if worker not in self._workers:
                return
            self._workers.remove(worker)
            lost = [name for name, at in self._assigned.items() if at is worker]
            for name in lost:
                del self._assigned[name]
        for name in lost:
            self._boxes.put(name, [Stopped("failed", DIED, -1)])

    def collect(self, name: str) -> list[Event]:
        """What the session's job said since the last call."""
        return self._boxes.take(name)

    def has_ended(self, name: str) -> bool:
        """Whether the job has stopped, and that has not been collected."""
        return self._boxes.has_ended(name)

    def sessions(self) -> int:
        """How many sessions have a worker."""
        return len(self._assigned)

    def close(self) -> None:
        """End every worker."""
        with self._lock:
            self._open = False
            workers, self._workers = self._workers, []
        for worker in workers:
            worker.pipe.close()
            worker.process.terminate()
            worker.process.join(timeout=5.0)
