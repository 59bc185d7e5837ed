"""One zip of JSON texts and flat arrays: written so that it can be checked, read as if an enemy had made it.

    file = zip members (JSON, NPY; run.json last) + archive comment "sha256:<digest of all bytes before it>"

Arrays are joined to one flat NPY member per type, with a table of their types and shapes beside it: a run
holds thousands of small arrays. run.json holds the sha256 of every other member. Time stamps and names are
fixed, so equal content gives equal bytes. Nothing is ever pickled, unpacked to disk or evaluated.

Reading refuses, before memory is taken: a file too large, a digest that does not match, a directory that is
too long, members with foreign names, encrypted, unpacking to too much or by too large a factor, NPY headers
that promise another size than is there, types that are not plain numbers. Cost: one pass over the bytes for
each of the two digests.
"""

import hashlib
import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from explorer.engine.refusals import Refused
from explorer.engine.runs.codec import DTYPES, AnyArray

FILE_BYTES = 256_000_000
UNPACKED_BYTES = 1_000_000_000
JSON_BYTES = 32_000_000
RATIO = 200
RATIO_FROM = 1_000_000
"""Members smaller than this may unpack by any factor: they are small."""
DIRECTORY_BYTES = 8_000
ARRAYS = 2_000_000
DIGITS = 400
"""The longest number that JSON may spell out: a random generator's state has 39 digits, a double 309."""

MANIFEST = "run.json"
MEMBER = re.compile(r"[a-z]{1,20}\.json|arrays/[a-z0-9]{1,20}\.npy")
HEADER = re.compile(
    rb"\{'descr': '([|<][biuf][1248])', 'fortran_order': False, 'shape': \((\d{1,10}),\), \} *\n"
)
SEAL = b"sha256:"
END = struct.Struct("<4s4H2LH")
CHUNK = 1 << 20
EARLIEST = (1980, 1, 1, 0, 0, 0)
NOTHING = np.zeros(0, np.int64)
CODES = {dtype: code for code, dtype in enumerate(DTYPES)}


def pack(texts: Mapping[str, Any], arrays: Sequence[AnyArray], manifest: Mapping[str, Any]) -> bytes:
    """The archive of these JSON trees and arrays; the manifest is given the digests and written last."""
    members = {f"{name}.json": json_bytes(tree) for name, tree in texts.items()} | pool_arrays(arrays)
    digests = {name: hashlib.sha256(members[name]).hexdigest() for name in sorted(members)}
    members = {name: members[name] for name in sorted(members)}
    members[MANIFEST] = json_bytes({**manifest, "sha256": digests}, indent=1)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, allowZip64=False) as archive:
        for name, content in members.items():
            check_size(name, len(content), 0)
            archive.writestr(entry(name), content, compression(content), compresslevel=1)
        archive.comment = SEAL + b"0" * 64
    return seal(out.getbuffer())


def json_bytes(tree: Any, indent: int | None = None) -> bytes:
    """JSON in ASCII; keys keep their order, and NaN never gets this far."""
    separators = None if indent else (",", ":")
    return json.dumps(tree, indent=indent, separators=separators, allow_nan=False).encode()


def entry(name: str) -> zipfile.ZipInfo:
    """A directory entry that is the same on every day and every system."""
    info = zipfile.ZipInfo(name, EARLIEST)
    info.create_system, info.external_attr = 3, 0o644 << 16
    return info


def compression(content: bytes) -> int:
    """Deflate, unless that would make a member that our own reader must take for a bomb."""
    bomb = len(content) >= RATIO_FROM and len(zlib.compress(content, 1)) * RATIO < 2 * len(content)
    return zipfile.ZIP_STORED if bomb else zipfile.ZIP_DEFLATED


def seal(content: memoryview) -> bytes:
    """The archive with its digest in the last 64 bytes."""
    body = content[:-64]
    whole = bytes(body) + hashlib.sha256(body).hexdigest().encode()
    if len(whole) > FILE_BYTES:
        raise Refused(
            f"the run needs a file of {len(whole) / 1e6:.0f} MB, more than the {FILE_BYTES / 1e6:.0f} MB "
            "that can be read again; train on fewer examples or for fewer steps"
        )
    return whole


def pool_arrays(arrays: Sequence[AnyArray]) -> dict[str, bytes]:
    """One member per type with all its arrays end to end, and the type and size of every array."""
    if len(arrays) > ARRAYS:
        raise Refused(
            f"the run keeps {len(arrays):,} arrays, more than {ARRAYS:,}; train on fewer examples to save it"
        )
    types = np.array([CODES[array.dtype.str] for array in arrays], np.uint8)
    sizes = np.array([array.size for array in arrays], np.int64)
    members = {"arrays/types.npy": npy(types), "arrays/sizes.npy": npy(sizes)}
    for code in np.unique(types):
        parts = [array for array, its in zip(arrays, types, strict=True) if its == code]
        members[f"arrays/{np.dtype(DTYPES[code]).name}.npy"] = npy(np.concatenate(parts))
    return members


def npy(array: AnyArray) -> bytes:
    """A flat array in numpy's own format."""
    out = io.BytesIO()
    np.lib.format.write_array(out, array, version=(1, 0), allow_pickle=False)
    return out.getvalue()


class Archive:
    """A checked archive: its manifest and texts as trees, its arrays by number."""

    def __init__(self, content: bytes) -> None:
        check_seal(content)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            self._infos = checked_directory(archive)
            self.manifest = parse_json(self._text(archive, MANIFEST, None), MANIFEST)
            digests = self.manifest.get("sha256") if isinstance(self.manifest, dict) else None
            if not isinstance(digests, dict) or {*digests, MANIFEST} != set(self._infos):
                refuse("does not list its own members")
            texts = [name for name in digests if name.endswith(".json")]
            self.texts = {t[:-5]: parse_json(self._text(archive, t, digests[t]), t) for t in texts}
            pools = [name for name in digests if name.endswith(".npy")]
            flat = {name[7:-4]: self._flat(archive, name, digests[name]) for name in pools}
        self._pools = Pools(flat)

    def array(self, number: int) -> AnyArray:
        """Array `number`, as a copy of its own."""
        return self._pools.array(number)

    def _text(self, archive: zipfile.ZipFile, name: str, digest: Any) -> bytes:
        """A small member as bytes."""
        info = self._infos.get(name)
        if info is None:
            refuse(f"holds no {name}")
        content = np.empty(info.file_size, np.uint8)
        fill(archive, info, content, b"", digest)
        return content.tobytes()

    def _flat(self, archive: zipfile.ZipFile, name: str, digest: Any) -> AnyArray:
        """An NPY member, whose header is checked against the member's size before its array is made."""
        info = self._infos[name]
        with archive.open(info) as stream:
            start = stream.read(10)
            head = start + stream.read(int.from_bytes(start[8:10], "little"))
        found = HEADER.fullmatch(head[10:])
        if start[:8] != b"\x93NUMPY\x01\x00" or found is None or found[1].decode() not in CODES:
            refuse(f"holds {name}, which is not a flat array of plain numbers")
        dtype, count = np.dtype(found[1].decode()), int(found[2])
        if len(head) + count * dtype.itemsize != info.file_size:
            refuse(f"holds {name}, whose header promises {count} numbers but whose size is another")
        array = np.empty(count, dtype)
        fill(archive, info, array.view(np.uint8), head, digest)
        return array


class Pools:
    """All arrays of a type end to end, and where each begins."""

    def __init__(self, flat: Mapping[str, AnyArray]) -> None:
        self._flat = [flat.get(np.dtype(dtype).name, np.zeros(0, dtype)) for dtype in DTYPES]
        self._types, self._sizes = flat.get("types", NOTHING), flat.get("sizes", NOTHING)
        known = {"types", "sizes", *(np.dtype(dtype).name for dtype in DTYPES)}
        if not (set(flat) <= known and len(self._types) == len(self._sizes) <= ARRAYS):
            refuse("holds a table of arrays that cannot be")
        self._starts = np.zeros(len(self._sizes), np.int64)
        for code, pool in enumerate(self._flat):
            self._cut(self._types == code, pool, DTYPES[code])
        if np.any(self._types >= len(DTYPES)):
            refuse("holds arrays of a type that is not known")

    def _cut(self, mine: AnyArray, pool: AnyArray, dtype: str) -> None:
        """Fill in where the arrays of one type begin; their sizes must add up to what is there."""
        sizes = self._sizes[mine]
        fits = not np.any((sizes < 0) | (sizes > pool.size)) and int(sizes.sum()) == pool.size
        if not fits or pool.dtype.str != dtype:
            refuse("holds a table of arrays that does not fit its numbers")
        self._starts[mine] = np.cumsum(sizes) - sizes

    def array(self, number: int) -> AnyArray:
        """Array `number`, as a copy of its own."""
        if number >= len(self._starts):
            refuse(f"names array {number}, but holds {len(self._starts)}")
        start = self._starts[number]
        return self._flat[int(self._types[number])][start : start + self._sizes[number]].copy()


def check_seal(content: bytes) -> None:
    """Refuse what is too large, no zip, or not the bytes that were written."""
    if len(content) > FILE_BYTES:
        refuse(f"has {len(content) / 1e6:.0f} MB, more than the {FILE_BYTES / 1e6:.0f} MB allowed")
    end = len(content) - 64 - len(SEAL) - END.size
    if content[:4] != b"PK\x03\x04" or end < 0:
        refuse("is not a zip file")
    if content[-64 - len(SEAL) : -64] != SEAL:
        refuse("is cut off, or was not written by the explorer")
    if hashlib.sha256(memoryview(content)[:-64]).hexdigest().encode() != content[-64:]:
        refuse("is damaged: its checksum does not match")
    signature, *_, size, start, comment = END.unpack_from(content, end)
    if signature != b"PK\x05\x06" or comment != 64 + len(SEAL) or start + size != end:
        refuse("has a directory that does not fit")
    if size > DIRECTORY_BYTES or content[end - 20 : end - 16] == b"PK\x06\x07":
        refuse("has a directory that is too long")


def checked_directory(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """The members by name; foreign, encrypted, repeated or too large ones are refused before any is read."""
    found: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        if not MEMBER.fullmatch(info.filename) or info.filename in found:
            refuse(f"holds a member {info.filename[:60]!r}, which is no part of a run")
        if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            refuse(f"holds {info.filename} encrypted or packed in a strange way")
        check_size(info.filename, info.file_size, info.compress_size)
        found[info.filename] = info
    if sum(info.file_size for info in found.values()) > UNPACKED_BYTES:
        refuse(f"unpacks to more than {UNPACKED_BYTES / 1e6:.0f} MB")
    return found


def check_size(name: str, size: int, packed_size: int) -> None:
    """Refuse a member that is too large or, when `packed_size` is given, unpacks by too large a factor."""
    most = JSON_BYTES if name.endswith(".json") else UNPACKED_BYTES
    if size > most:
        refuse(f"holds {name} of {size / 1e6:.0f} MB, more than the {most / 1e6:.0f} MB allowed")
    if packed_size and size >= RATIO_FROM and size > RATIO * packed_size:
        refuse(f"holds {name}, which unpacks to more than {RATIO} times its size")


def fill(archive: zipfile.ZipFile, info: zipfile.ZipInfo, out: Any, head: bytes, digest: Any) -> None:
    """Unpack what follows `head` into `out`, in pieces; refuse another length or digest."""
    known, at = hashlib.sha256(head), 0
    with archive.open(info) as stream:
        stream.read(len(head))
        while piece := stream.read(CHUNK):
            known.update(piece)
            if at + len(piece) > len(out):
                refuse(f"holds {info.filename}, which unpacks to more than it says")
            out[at : at + len(piece)] = np.frombuffer(piece, np.uint8)
            at += len(piece)
    if at != len(out) or (digest is not None and known.hexdigest() != digest):
        refuse(f"is damaged: the checksum of {info.filename} does not match")


def parse_json(text: bytes, name: str) -> Any:
    """A JSON tree; NaN, numbers without end, repeated keys and deep nesting are refused."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        return found if len(found) == len(pairs) else refuse(f"holds {name}, which says one thing twice")

    def whole(digits: str) -> int:
        return (
            int(digits)
            if len(digits) <= DIGITS
            else refuse(f"holds {name} with a number of {len(digits)} digits")
        )

    def real(digits: str) -> float:
        value = float(digits) if len(digits) <= DIGITS else np.inf
        return value if abs(value) < np.inf else refuse(f"holds {name} with the number {digits[:20]}")

    def constant(word: str) -> NoReturn:
        refuse(f"holds {name} with the number {word}")

    try:
        return json.loads(
            text, object_pairs_hook=unique, parse_int=whole, parse_float=real, parse_constant=constant
        )
    except RecursionError:
        refuse(f"holds {name}, which is nested too deep")


def refuse(why: str) -> NoReturn:
    """Every refusal of a file is one sentence about the file."""
    raise Refused(f"this file {why}; open a run that the explorer saved")
