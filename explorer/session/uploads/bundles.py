"""Files that were dropped together, sorted: what belongs to one upload, under names that tell their formats.

A table of pairs takes its table of clusters along, edges their nodes, a picture its labels. A second file of
the same format is one to test on. What a file is, its content says; a name without a known ending gets one.
"""

from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import NamedTuple

from explorer.engine.catalogue.files import Format, format_named, format_of
from explorer.engine.data.readers.sniffing import sniff
from explorer.engine.refusals import Refused
from explorer.session.uploads.store import safe_name

MOST_FILES = 8
TESTS = ("test", "dev", "gold", "valid")
"""What names of files to test on contain."""


class DroppedFile(NamedTuple):
    """The files of one upload by name, the one that names it, its format, and what gave that away."""

    files: dict[str, bytes]
    first: str
    format: str
    why: str


def bundles(files: Mapping[str, bytes], alone: bool = False) -> list[DroppedFile]:
    """One upload, or two where the second is to test on; with `alone` companions may be missing."""
    if not 1 <= len(files) <= MOST_FILES:
        raise Refused(f"{len(files)} files came at once; give one, with those that belong to it")
    named = {safe_name(name): content for name, content in files.items()}
    companions = {own for name in named for own in belonging(name) if own in named}
    found = [bundle(name, named, alone) for name in named if name not in companions]
    if len(found) > 2 or len({one.format for one in found}) > 1:
        names = ", ".join(one.first for one in found)
        raise Refused(f"{names} do not belong together; give one file, and perhaps one like it to test on")
    return sorted(found, key=lambda one: any(word in one.first.lower() for word in TESTS))


def belonging(name: str) -> list[str]:
    """The names of the files that a file of this name takes along."""
    found = format_of(name)
    return [] if found is None else [file.name for file in found.files(Path(name)) if file.name != name]


def bundle(name: str, named: Mapping[str, bytes], alone: bool) -> DroppedFile:
    """A file with those that belong to it, under a name of its format."""
    spoken = format_of(name)
    guess = sniff(name, named[name], spoken.name if spoken else "")
    form = format_named(guess.format)
    first = name_of(name, form)
    parts = {first: named[name]}
    for other in belonging(first):
        if other in named:
            parts[other] = named[other]
        elif not alone:
            raise Refused(f"{first} needs {other} beside it, with the labels; drop both together")
    return DroppedFile(parts, first, form.name, guess.why)


def name_of(name: str, form: Format) -> str:
    """The name, with an ending of the format if it has another."""
    found = format_of(name)
    if found is not None and found.name == form.name:
        return name
    packed = ".gz" if name.endswith(".gz") and any(end.endswith(".gz") for end in form.suffixes) else ""
    stem = name.removesuffix(".gz")
    return (PurePath(stem).stem or "file") + form.suffixes[0] + packed


__all__ = ["DroppedFile", "bundles", "name_of"]
