"""PNG pictures, read and written: 8 bits a channel, grey, colour or palette, with or without transparency,
not interlaced (ISO/IEC 15948). Nothing but the header, the palette and the pixels is looked at.

The file comes from outside: its size in pixels is bounded before anything is unpacked, and no more than these
pixels is ever unpacked. Cost: the filters are undone row by row.
"""

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from explorer.engine.data.readers.files import read_bytes
from explorer.engine.refusals import Refused

Pixels = np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]
BEGINS = b"\x89PNG\r\n\x1a\n"
MOST_BYTES, MOST_PIXELS = 20_000_000, 1_000_000
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
PALETTE = 3


class Header(NamedTuple):
    """What a picture says of itself."""

    width: int
    height: int
    depth: int
    colour: int
    compression: int
    filtering: int
    interlaced: int


def read_png(path: str | Path) -> Pixels:
    """The red, green and blue of every pixel, (height, width, 3); transparency is left out."""
    where = str(path)
    content = read_bytes(path, MOST_BYTES, "a PNG picture")
    if not content.startswith(BEGINS):
        raise Refused(f"{where} is no PNG picture; save it as PNG")
    header, palette, packed = _parts(content, where)
    channels = CHANNELS[header.colour]
    size = header.height * (1 + header.width * channels)
    try:
        raw = zlib.decompressobj().decompress(packed, size)
    except zlib.error as error:
        raise Refused(f"{where} is damaged ({error}); save it again") from error
    if len(raw) != size:
        raise Refused(f"{where} holds fewer pixels than it says; save it again")
    rows = _unfilter(np.frombuffer(raw, dtype=np.uint8).reshape(header.height, -1), channels, where)
    return _colours(rows.reshape(header.height, header.width, channels), header.colour, palette, where)


def _parts(content: bytes, where: str) -> tuple[Header, bytes, bytes]:
    """Header, palette and packed pixels."""
    found: dict[bytes, bytes] = {}
    pieces = []
    for kind, body in _chunks(content, where):
        if kind == b"IDAT":
            pieces.append(body)
        else:
            found.setdefault(kind, body)
    if len(found.get(b"IHDR", b"")) != 13:
        raise Refused(f"{where} has no header; save it again")
    header = Header(*struct.unpack(">IIBBBBB", found[b"IHDR"]))
    if not (0 < header.width * header.height <= MOST_PIXELS and header.width < 2**20 > header.height):
        raise Refused(
            f"{where} has {header.width:,} by {header.height:,} pixels; give 1 to {MOST_PIXELS:,} in all"
        )
    if header.colour not in CHANNELS or header.depth != 8 or header[4:] != (0, 0, 0):
        raise Refused(
            f"{where} has {header.depth} bits a channel, colours of type {header.colour} or is interlaced; "
            "save it with 8 bits, not interlaced"
        )
    return header, found.get(b"PLTE", b""), b"".join(pieces)


def _chunks(content: bytes, where: str) -> Iterator[tuple[bytes, bytes]]:
    at = len(BEGINS)
    while at < len(content):
        if at + 12 > len(content):
            raise Refused(f"{where} ends too early (byte {at}); copy it again")
        (size,) = struct.unpack_from(">I", content, at)
        kind, body = content[at + 4 : at + 8], content[at + 8 : at + 8 + size]
        if at + 12 + size > len(content):
            raise Refused(f"{where} ends too early (byte {at}); copy it again")
        if zlib.crc32(kind + body) != struct.unpack_from(">I", content, at + 8 + size)[0]:
            raise Refused(f"{where} is damaged at byte {at}: a checksum does not match; copy it again")
        yield kind, body
        if kind == b"IEND":
            return
        at += 12 + size
    raise Refused(f"{where} ends too early (byte {at}); copy it again")


def _unfilter(
    stored: "np.ndarray[tuple[int, int], np.dtype[np.uint8]]", step: int, where: str
) -> "np.ndarray[tuple[int, int], np.dtype[np.uint8]]":
    """The bytes of each row as they were before filtering."""
    out = np.zeros((len(stored), stored.shape[1] - 1), dtype=np.uint8)
    above = np.zeros(out.shape[1], dtype=np.uint8)
    for y, (kind, row) in enumerate(zip(stored[:, 0].tolist(), stored[:, 1:], strict=True)):
        if kind > 4:
            raise Refused(f"{where} is damaged: row {y} has the filter {kind}; save it again")
        if kind == 0:
            out[y] = row
        elif kind == 1:
            out[y] = np.cumsum(row.reshape(-1, step), axis=0, dtype=np.uint8).ravel()
        elif kind == 2:
            out[y] = row + above
        else:
            out[y] = _predicted(row.tolist(), above.tolist(), step, kind)
        above = out[y]
    return out


def _predicted(row: list[int], above: list[int], step: int, kind: int) -> list[int]:
    """A row whose bytes were told from those at the left and above: their mean (3) or Paeth's choice (4)."""
    out: list[int] = []
    for k, value in enumerate(row):
        left, up = (out[k - step] if k >= step else 0), above[k]
        corner = above[k - step] if k >= step else 0
        if kind == 3:
            guess = (left + up) // 2
        else:
            base = left + up - corner
            near = (abs(base - left), abs(base - up), abs(base - corner))
            guess = left if near[0] <= min(near[1:]) else up if near[1] <= near[2] else corner
        out.append((value + guess) & 255)
    return out


def _colours(pixels: Pixels, colour: int, palette: bytes, where: str) -> Pixels:
    if colour == PALETTE:
        table = np.frombuffer(palette[: len(palette) // 3 * 3], dtype=np.uint8).reshape(-1, 3)
        if not len(table) or int(pixels.max()) >= len(table):
            raise Refused(f"{where} names a colour that its palette lacks; save it again")
        return table[pixels[:, :, 0]]
    if colour in (0, 4):
        return np.repeat(pixels[:, :, :1], 3, axis=2)
    return np.ascontiguousarray(pixels[:, :, :3])


def write_png(pixels: Pixels) -> bytes:
    """Red, green and blue of every pixel as a file."""
    height, width, _ = pixels.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    return BEGINS + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )


__all__ = ["Pixels", "read_png", "write_png"]
