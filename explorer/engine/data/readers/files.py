"""Files from outside, read within a bound: what is missing, no file, too large or compressed is refused with
the fix.
"""

from pathlib import Path

from explorer.engine.refusals import Refused

PACKED = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"PK\x03\x04": "zip",
    b"(\xb5/\xfd": "zstd",
}
"""How compressed files begin."""


def read_bytes(path: str | Path, most: int, what: str) -> bytes:
    """The bytes of a file of at most `most` bytes; `what` says what was expected."""
    source = Path(path)
    if not source.is_file():
        raise Refused(f"{source} is not a file; give {what}")
    try:
        with source.open("rb") as opened:
            found = opened.read(most + 1)
    except OSError as error:
        raise Refused(f"{source} cannot be read ({error.strerror}); give {what}") from error
    if len(found) > most:
        raise Refused(f"{source} has more than {most / 1e6:,.0f} million bytes; give a part of it")
    return found


def text_of(path: str | Path, most: int, what: str) -> str:
    """The text of an UTF-8 file, without a byte order mark."""
    found = read_bytes(path, most, what)
    for mark, name in PACKED.items():
        if found.startswith(mark):
            raise Refused(f"{path} is compressed ({name}); unpack it first")
    if b"\0" in found:  # UTF-16 and UTF-32, or no text at all
        raise Refused(f"{path} is not UTF-8 text (byte {found.index(0)}); save it as UTF-8")
    try:
        return found.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8") from error
