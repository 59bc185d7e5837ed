"""How files and pages travel: compressed, each file once for all visitors, and kept by browsers that have it.

The libraries of a page are 4 MB of text, a quarter of that compressed. A file is recognised by its ETag,
which is a hash of what it holds, so that its compressed form is made for the first visitor alone.
"""

import threading
import zlib
from collections.abc import Mapping
from typing import ClassVar

from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.web import OutputTransform

LEVEL = 6
"""zlib's usual effort."""

LEAST = 1024
"""Bytes; what is shorter travels as it is."""

MOST = 32_000_000
"""Bytes of compressed files that are kept."""

TEXTS = ("text/", "application/javascript", "application/x-javascript", "application/json", "image/svg+xml")
DAY = "public, max-age=86400"
NAMED_BY_HASH = (".woff2", "panel-material-ui.bundle.js", "panel-material-ui.bundle.css")
"""Files whose address says what they hold, though no version is asked for."""


class Shelf:
    """Compressed files by their ETags; when it is full, what was put there first goes."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self._kept: dict[str, bytes] = {}
        self._lock = threading.Lock()

    def find(self, tag: str) -> bytes | None:
        """The file, if it is there."""
        return self._kept.get(tag)

    def put(self, tag: str, packed: bytes) -> None:
        """Keep a file."""
        with self._lock:
            self._kept[tag] = packed
            while sum(map(len, self._kept.values())) > self.most:
                del self._kept[next(iter(self._kept))]


class GzipTransform(OutputTransform):
    """Compresses what a browser accepts compressed and what is text."""

    shelf: ClassVar[Shelf] = Shelf()

    def __init__(self, request: HTTPServerRequest) -> None:
        self.path = request.path
        self.accepted = "gzip" in request.headers.get("Accept-Encoding", "")
        self.ready = False
        self.tag = ""
        self.pieces: list[bytes] = []
        self.pack: zlib._Compress | None = None

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        """Begin to compress, or send the whole file as it was compressed before."""
        if self.path.endswith(NAMED_BY_HASH) and "Cache-Control" not in headers:
            headers["Cache-Control"] = DAY
        if not self._may_pack(status_code, headers, len(chunk), finishing):
            return status_code, headers, chunk
        headers.add("Vary", "Accept-Encoding")
        headers["Content-Encoding"] = "gzip"
        self.tag = headers.get("Etag", "")
        found = self.shelf.find(self.tag) if self.tag else None
        if found is not None:
            self.ready = True
            headers["Content-Length"] = str(len(found))
            return status_code, headers, found
        self.pack = zlib.compressobj(LEVEL, zlib.DEFLATED, 31)
        packed = self.transform_chunk(chunk, finishing)
        if finishing:
            headers["Content-Length"] = str(len(packed))
        else:
            headers.pop("Content-Length", None)
        return status_code, headers, packed

    def _may_pack(self, status: int, headers: Mapping[str, str], length: int, finishing: bool) -> bool:
        plain = status == 200 and "Content-Encoding" not in headers
        text = headers.get("Content-Type", "").startswith(TEXTS)
        return self.accepted and plain and text and (not finishing or length >= LEAST)

    def transform_chunk(self, chunk: bytes, finishing: bool) -> bytes:
        """Compress the next part; a file that was complete needs none."""
        if self.ready:
            return b""
        if self.pack is None:
            return chunk
        packed = self.pack.compress(chunk) + (
            self.pack.flush() if finishing else self.pack.flush(zlib.Z_SYNC_FLUSH)
        )
        self.pieces.append(packed)
        if finishing and self.tag:
            self.shelf.put(self.tag, b"".join(self.pieces))
        return packed


__all__ = ["GzipTransform", "Shelf"]
