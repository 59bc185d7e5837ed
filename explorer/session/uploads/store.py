"""The files that visitors of a server brought along.

A visitor is a browser, known by a random token that it keeps; nobody else can name its files. They lie in a
folder of this process that only its user can enter, under names of our own making. They are held by the pages
that the visitor has open: when the last of these ends, the files are deleted, and whatever was made of them
is let go.

    put(visitor, {name: bytes}) -> Upload        hold(visitor, page), release(visitor, page)

A table of pairs comes with its table of clusters, a picture with its labels: they are one upload, known by
the name of the first. How much one visitor, and all of them, may leave here is bounded.
"""

import contextlib
import os
import re
import secrets
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from explorer.engine.catalogue.files import checksum_of
from explorer.engine.catalogue.task import Task
from explorer.engine.refusals import Refused

MOST_BYTES = 20_000_000
"""Of one upload."""
MOST_EACH = 60_000_000
"""Of all uploads of one visitor."""
MOST_ALL = 1_000_000_000
MOST_FILES = 12
"""Uploads of one visitor; the oldest goes when there is another."""
PREFIX = "explorer-uploads-"
TOKEN = re.compile(r"[0-9a-f]{32}")
STRANGE = re.compile(r"[^\w.+ -]")
"""What a name of ours does not have: no folder, nothing that a shell or a page would take for its own."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that a visitor brought along, with those that belong to it."""

    name: str
    path: Path
    size: int
    sum: str

    @property
    def short(self) -> str:
        """The beginning of its checksum, enough to tell files apart."""
        return self.sum[:12]


@dataclass(slots=True)
class Belongings:
    """What one visitor has here: uploads by checksum, tasks made of them, and the pages that hold both."""

    folder: Path
    uploads: dict[str, Upload] = field(default_factory=dict)
    tasks: dict[tuple[str, ...], Task] = field(default_factory=dict)
    pages: set[str] = field(default_factory=set)

    @property
    def size(self) -> int:
        return sum(upload.size for upload in self.uploads.values())


Forget = Callable[[list[str]], None]
"""Told the stamps of tasks that are let go."""


class Uploads:
    """All uploads of a server process; any thread may ask."""

    def __init__(self, most: int = MOST_ALL, forget: Forget = lambda stamps: None) -> None:
        self.most, self.forget = most, forget
        self._lock = threading.RLock()
        self._visitors: dict[str, Belongings] = {}
        self._folder: Path | None = None

    def __len__(self) -> int:
        return sum(len(one.uploads) for one in self._visitors.values())

    def hold(self, visitor: str, page: str) -> None:
        """A page of this visitor has begun."""
        with self._lock:
            self._of(visitor).pages.add(page)

    def release(self, visitor: str, page: str) -> None:
        """A page of this visitor has ended; with the last one all files of the visitor go."""
        with self._lock:
            found = self._visitors.get(visitor)
            if found is None:
                return
            found.pages.discard(page)
            if found.pages:
                return
            del self._visitors[visitor]
        self._drop(found)

    def put(self, visitor: str, files: Mapping[str, bytes], first: str) -> Upload:
        """Keep the files of one upload, known by the name of the `first`; refused where there is no room."""
        size = sum(map(len, files.values()))
        check_size(first, size)
        with self._lock:
            own = self._of(visitor)
            if own.size + size > MOST_EACH or sum(v.size for v in self._visitors.values()) + size > self.most:
                raise Refused(
                    f"there is no room for {size / 1e6:.0f} MB more; take a file away that you do not need"
                )
            while len(own.uploads) >= MOST_FILES:
                self._remove(own, next(iter(own.uploads)))
            folder = own.folder / secrets.token_hex(8)
            folder.mkdir(parents=True, mode=0o700)
            for name, content in files.items():
                (folder / safe_name(name)).write_bytes(content)
            upload = upload_at(folder / safe_name(first), size)
            if upload.sum in own.uploads:
                shutil.rmtree(folder, ignore_errors=True)
                return own.uploads[upload.sum]
            own.uploads[upload.sum] = upload
            return upload

    def find(self, visitor: str, sum: str) -> Upload | None:
        """The upload of a visitor whose checksum begins like this."""
        with self._lock:
            found = self._visitors.get(visitor)
            known = found.uploads.values() if found and len(sum) >= 8 else ()
            return next((upload for upload in known if upload.sum.startswith(sum)), None)

    def of(self, visitor: str) -> tuple[Upload, ...]:
        """What a visitor has here, the newest first."""
        with self._lock:
            found = self._visitors.get(visitor)
            return tuple(reversed(found.uploads.values())) if found else ()

    def remove(self, visitor: str, upload: Upload) -> None:
        """Take an upload away before its time."""
        with self._lock:
            found = self._visitors.get(visitor)
            if found is not None and upload.sum in found.uploads:
                self._remove(found, upload.sum)

    def keep_task(self, visitor: str, key: tuple[str, ...], task: Task) -> None:
        """A task that was made of a visitor's uploads."""
        with self._lock:
            self._of(visitor).tasks[key] = task

    def task(self, visitor: str, key: tuple[str, ...]) -> Task | None:
        """The task of this key, if it was made."""
        with self._lock:
            found = self._visitors.get(visitor)
            return found.tasks.get(key) if found else None

    def close(self) -> None:
        """Delete everything."""
        with self._lock:
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)
            self._visitors, self._folder = {}, None

    def _of(self, visitor: str) -> Belongings:
        if self._folder is None:
            sweep()
            self._folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
        return self._visitors.setdefault(visitor, Belongings(self._folder / secrets.token_hex(8)))

    def _remove(self, own: Belongings, sum: str) -> None:
        gone = own.uploads.pop(sum)
        tasks = {key: task for key, task in own.tasks.items() if sum in key}
        for key in tasks:
            del own.tasks[key]
        self.forget(stamps_of(tasks.values()))
        shutil.rmtree(gone.path.parent, ignore_errors=True)

    def _drop(self, own: Belongings) -> None:
        self.forget(stamps_of(own.tasks.values()))
        shutil.rmtree(own.folder, ignore_errors=True)


def sweep() -> None:
    """Delete what servers left behind that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*-*") if os.name == "posix" else ():
        owner = folder.name.removeprefix(PREFIX).partition("-")[0]
        if owner.isdigit() and not is_alive(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


def is_alive(process: int) -> bool:
    """Whether there is a process of this number, ours or not."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def stamps_of(tasks: Iterable[Task]) -> list[str]:
    """What the caches know the data of these tasks by."""
    found = []
    for source in (task.source for task in tasks):
        with contextlib.suppress(OSError):
            found += [source.stamp()] if source is not None else []
    return found


def check_size(name: str, size: int) -> None:
    """Refuse what is too large for a page, with what can be done instead."""
    if size > MOST_BYTES:
        raise Refused(
            f"{name} has {size / 1e6:,.0f} MB and a page takes {MOST_BYTES / 1e6:.0f}; give a part of it, or "
            f"train on the command line: explorer train {name}"
        )
    if not size:
        raise Refused(f"{name} is empty; give a file with examples")


def upload_at(path: Path, size: int) -> Upload:
    """An upload that lies here."""
    return Upload(path.name, path, size, checksum_of(path))


def safe_name(name: str) -> str:
    """The name of an upload: its last part, without strange characters, of bearable length."""
    last = STRANGE.sub("_", name.replace("\\", "/").rpartition("/")[2]).strip(". ")
    return last[-80:] or "file"


__all__ = ["MOST_BYTES", "TOKEN", "Upload", "Uploads", "check_size", "safe_name"]
