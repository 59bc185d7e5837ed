"""A run in one file: its recipe, all that its trace kept, and the last keyframe, to look at or to go on from.

    save(path, recipe, trace);   load(path or bytes) -> SavedRun(recipe, trace, meta)

Members: run.json (version, recipe, starts and stops, digests), kept.json (which steps keep weights, cuts
and details, and the keyframe; see codec), arrays/*.npy (see archive), and what others add, such as a
model. Of the keyframes only the newest is saved: train(state=...) goes on from it bit for bit. Saving what
was loaded gives the same bytes.

A save is all or nothing: the bytes go to a temporary file in the same folder, are forced to disk, and only
then take the place of the old file; a name that appears is a complete run, whenever the process or the disk
gives out. Temporary files that a killed process left behind are swept by the next save. Cost: the arrays
are copied, packed and digested once.
"""

import contextlib
import os
import re
import secrets
import struct
import time
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_origin

import numpy as np

import explorer
from explorer.engine.events import Cut, Started, Stopped
from explorer.engine.refusals import Refused
from explorer.engine.runs.archive import FILE_BYTES, Archive, pack, refuse
from explorer.engine.runs.codec import Decoder, Encoder
from explorer.engine.runs.trace import FIGURES, LOOKS, Thinned, Trace
from explorer.engine.vectors import Array

FORMAT = 1
MOST_STEPS = 100_000_000
STALE = 60.0
"""Seconds after which a temporary file belongs to nobody."""
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    ArithmeticError,
    AttributeError,
    LookupError,
    NotImplementedError,
    RuntimeError,
    TypeError,
    ValueError,
    MemoryError,
)
"""What reading bytes that mean nothing may raise."""

T = TypeVar("T")
More = Callable[[Encoder], "Extra"]
"""Writes what else goes into a file; its arrays go to the run's encoder: shared ones are stored once."""


@dataclass(frozen=True, slots=True, eq=False)
class SavedRun:
    """What a file held; `meta` says which version wrote it."""

    recipe: dict[str, Any]
    trace: Trace
    meta: dict[str, Any]


class Extra(NamedTuple):
    """What else a file holds beside the run: JSON trees by name, and entries of the manifest."""

    texts: dict[str, Any]
    manifest: dict[str, Any]


def save(path: str | Path, recipe: Mapping[str, Any], trace: Trace, extra: More | None = None) -> None:
    """Write the run to `path`; if that fails the old file is still there, untouched. The recipe is plain
    data; `extra` is what else goes into the file.
    """
    content = to_bytes(recipe, trace, extra)
    try:
        replace_whole(Path(path), content)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise Refused(
            f"{path} could not be written ({why}); make room or choose another place; an earlier file is "
            "unharmed"
        ) from error


def load(source: str | Path | bytes) -> SavedRun:
    """The run in a file or in bytes; whatever is not exactly a run is refused with one sentence."""
    content = source if isinstance(source, bytes) else read(Path(source))
    try:
        return unpack(Archive(content))
    except Refused:
        raise
    except DAMAGE as error:
        refuse(f"is damaged or was not written by the explorer ({type(error).__name__})")


def read(path: Path) -> bytes:
    """The bytes of a file that is small enough."""
    try:
        if not path.is_file():
            raise Refused(f"there is no file {path}; give the name of a saved run")
        if path.stat().st_size > FILE_BYTES:
            refuse(f"has {path.stat().st_size / 1e6:.0f} MB, more than the {FILE_BYTES / 1e6:.0f} MB allowed")
        return path.read_bytes()
    except OSError as error:
        raise Refused(f"{path} cannot be read ({error.strerror}); check its name and permissions") from error


def to_bytes(recipe: Mapping[str, Any], trace: Trace, extra: More | None = None) -> bytes:
    """The run as the bytes of its file; equal runs give equal bytes."""
    encoder, n = Encoder(), len(trace)
    manifest = {
        "format": FORMAT,
        "explorer": explorer.__version__,
        "steps": n,
        "recipe": encoder.tree(dict(recipe), "the recipe"),
        "starts": [
            [at, encoder.tree(event_fields(event), "the settings")] for at, event in trace.starts if at <= n
        ],
        "stops": [[at, event_fields(event)] for at, event in trace.stops if at <= n],
    }
    kept = kept_tree(trace, encoder, n)
    more = Extra({}, {}) if extra is None else extra(encoder)
    return pack({"kept": kept, **more.texts}, encoder.arrays, {**manifest, **more.manifest})


def event_fields(event: Started | Stopped) -> dict[str, Any]:
    """The fields of an event."""
    return {f.name: plain(getattr(event, f.name)) for f in fields(event)}


def plain(value: Any) -> Any:
    """A mapping of any kind as a dict, everything else as it is."""
    return dict(value) if isinstance(value, Mapping) else value


def kept_tree(trace: Trace, encoder: Encoder, n: int) -> dict[str, Any]:
    """Columns, weights, light cuts, details and the newest keyframe of the first n steps; more may follow."""
    columns = {name: trace.column(name)[:n] for name in trace.names}
    cuts, details = first(trace.cuts, n), first(trace.details, n)
    light = {at: [(c.i, c.label, c.loss) for c in found] for at, found in cuts.items()}
    at, state = trace.keyframe(n - 1) if n else (0, {})
    newest = {at: dict(state)} if n else {}
    return {
        "columns": encoder.tree(columns, "the columns"),
        "certified": encoder.tree(np.array([trace.certified(k) for k in range(n)], bool), "the bounds"),
        "weights": thinned_tree(
            trace.weights.stride, first(trace.weights, n), encoder, "the weights of step {}"
        ),
        "cuts": thinned_tree(trace.cuts.stride, light, encoder, "the label of a cut of step {}"),
        "details": thinned_tree(trace.details.stride, details, encoder, "the details of step {}"),
        "state": thinned_tree(trace.states.stride, newest, encoder, "the keyframe of step {}"),
    }


def first(store: Thinned[T], n: int) -> dict[int, T]:
    """What is kept of the first n steps, copied at once: another thread may be adding to it."""
    return {at: value for at, value in dict(store.kept).items() if at < n}


def thinned_tree(stride: int, kept: Mapping[int, Any], encoder: Encoder, place: str) -> dict[str, Any]:
    """What a thinned store holds, step by step."""
    values = [encoder.tree(plain(value), place.format(at)) for at, value in kept.items()]
    return {"stride": stride, "at": list(kept), "kept": values}


def unpack(archive: Archive) -> SavedRun:
    """The run that a checked archive holds."""
    manifest, decoder = archive.manifest, Decoder(archive.array)
    check_version(manifest)
    kept = archive.texts["kept"]
    n, recipe = whole(manifest["steps"], MOST_STEPS), decoder.value(manifest["recipe"])
    columns = {name: column(decoder.value(tree), n) for name, tree in kept["columns"].items()}
    certified = decoder.value(kept["certified"])
    if not {*FIGURES, *LOOKS} <= set(columns) or len(certified) != n or type(recipe) is not dict:
        refuse("lacks what every run has")
    starts = [place(at, n, decoder.value(tree), Started) for at, tree in manifest["starts"]]
    stops = [place(at, n, decoder.value(tree), Stopped) for at, tree in manifest["stops"]]
    trace = Trace.restore(columns, certified.tolist(), starts, stops)
    trace.weights.refill(*unpack_stored(kept["weights"], n, decoder, np.ndarray))
    trace.details.refill(*unpack_stored(kept["details"], n, decoder, dict))
    trace.states.refill(*unpack_stored(kept["state"], n, decoder, dict))
    stride, light = unpack_stored(kept["cuts"], n, decoder, list)
    trace.cuts.refill(stride, {at: tuple(light_cut(*c) for c in cuts) for at, cuts in light.items()})
    return SavedRun(recipe, trace, {name: manifest[name] for name in ("format", "explorer", "steps")})


def check_version(manifest: Mapping[str, Any]) -> None:
    """Refuse another format, saying which version made it."""
    if "kind" in manifest:
        raise Refused("this file is a model without its run; `explorer inspect` tells what it holds")
    maker, form = str(manifest.get("explorer"))[:40], manifest.get("format")
    if form != FORMAT or type(form) is not int:
        raise Refused(
            f"this run was made by version {maker} (format {str(form)[:40]}) and this is version "
            f"{explorer.__version__} (format {FORMAT}); open it with the version that made it"
        )


def place(at: int, steps: int, found: Mapping[str, Any], kind: type[T]) -> tuple[int, T]:
    """A start or stop and the step before which it happened."""
    return whole(at, steps), as_record(kind, found)


def record_fields(kind: type) -> tuple[Field[Any], ...]:
    """The fields of a dataclass."""
    return fields(kind)


def as_record(kind: type[T], found: Mapping[str, Any]) -> T:
    """A record whose fields have the types it declares."""
    for f in record_fields(kind):
        wanted: Any = get_origin(f.type) or f.type
        if f.name in found and not isinstance(found[f.name], wanted):
            refuse(f"holds a {kind.__name__} whose {f.name} is {str(found[f.name])[:40]!r}")
    return kind(**found)


def whole(number: int, most: int) -> int:
    """A step number between 0 and `most`."""
    return number if type(number) is int and 0 <= number <= most else refuse("counts its steps wrongly")


def column(found: Any, steps: int) -> Array:
    """A figure for every step."""
    right = isinstance(found, np.ndarray) and found.dtype == np.float64 and found.shape == (steps,)
    return np.asarray(found) if right else refuse("holds a column of the wrong length")


def unpack_stored(tree: Any, steps: int, decoder: Decoder, kind: type) -> tuple[int, dict[int, Any]]:
    """Stride and values of a thinned store; steps must rise and values be of one kind."""
    at = [whole(number, steps - 1) for number in tree["at"]]
    values = [decoder.value(part) for part in tree["kept"]]
    rising = all(a < b for a, b in pairwise(at)) and len(at) == len(values)
    if not rising or any(type(value) is not kind for value in values) or (steps and not at):
        refuse("keeps values that are not those of its steps")
    return max(1, whole(tree["stride"], 1 << 60)), dict(zip(at, values, strict=True))


def light_cut(i: int, label: Any, loss: float) -> Cut:
    """A cut without its feature vector, as traces keep them."""
    return Cut(i, label, np.zeros(0), loss)


def replace_whole(path: Path, content: bytes) -> None:
    """Put the content in the place of the file at once; nobody ever sees half of it."""
    sweep(path)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    if os.name == "posix":
        force_folder(path.parent)


def force_folder(folder: Path) -> None:
    """Make the new name itself survive a loss of power."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sweep(path: Path) -> None:
    """Delete what killed saves of the same file left behind more than a minute ago."""
    ours = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{16}}\.tmp")
    for other in path.parent.iterdir():
        if ours.fullmatch(other.name):
            with contextlib.suppress(OSError):
                if time.time() - other.stat().st_mtime > STALE:
                    other.unlink()


__all__ = ["Extra", "SavedRun", "load", "replace_whole", "save", "to_bytes"]
