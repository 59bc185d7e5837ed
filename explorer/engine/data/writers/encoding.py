"""Text as bytes again, in the way in which a file had it."""

import gzip
from codecs import BOM_UTF8
from pathlib import Path

from explorer.engine.refusals import Refused

GZIP = b"\x1f\x8b"


def encode_like(path: Path, text: str, encoding: str = "utf-8") -> bytes:
    """The text with the byte order mark of this file, if it has one; unpacked, also if the file is packed."""
    with path.open("rb") as opened:
        start = opened.read(3)
    if start[:2] == GZIP:
        with gzip.open(path) as unpacked:
            start = unpacked.read(3)
    try:
        return (BOM_UTF8 if start == BOM_UTF8 else b"") + text.encode(encoding)
    except UnicodeEncodeError as error:
        strange = error.object[error.start]
        raise Refused(f"{path} is in {encoding}, which has no {strange!r}; save it as UTF-8") from None


__all__ = ["encode_like"]
