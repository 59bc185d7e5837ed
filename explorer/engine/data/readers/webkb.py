"""WebKB: web pages of computer science departments, with words and links, from the folder that EXPLORER_DATA
names.

    webkb/<university>/out1_node_feature_label.txt.gz
        page, binary words separated by commas, class; tab-separated
    webkb/<university>/out1_graph_edges.txt.gz           one link a line: from, to

1,703 words, made TFIDF rows of length 1 within each university; classes become clusters, whatever their
numbers. Relations: linked (in either direction) and co-cited (some page links to both). psi as in
`web_pages`; Finley 2009, section 4.5.1 had the full pages of four universities. A university whose pages are
exactly those of another is a copy by mistake and is left out, or its pages would be in training and in
testing; so it is with Cornell, whose file holds the pages of Texas. A class of a single page is a cluster of
its own. Cost: that of unpacking, about a million characters each.
"""

import gzip
import io
import os
import zlib
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from explorer.engine.contracts import Dataset
from explorer.engine.data.item_sets import item_sets, left_out, related_names
from explorer.engine.data.readers.files import read_bytes
from explorer.engine.data.text_cosines import tfidf_rows
from explorer.engine.data.web_pages import cited_pairs, linked_pairs
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.item_sets import ItemSet, item_set
from explorer.engine.vectors import Ints

UNIVERSITIES = ("texas", "wisconsin", "cornell")
NODES, EDGES = "out1_node_feature_label.txt.gz", "out1_graph_edges.txt.gz"
MOST_PACKED, MOST_BYTES, MOST_PAGES = 20_000_000, 100_000_000, 3000
Pages = tuple[Ints, Ints, Ints]
"""Binary words (pages, words), classes, links (r, 2)."""


def webkb_folder() -> Path:
    """The folder webkb inside EXPLORER_DATA, or Refused."""
    named = os.environ.get("EXPLORER_DATA", "")
    folder = Path(named) / "webkb"
    if not named or not folder.is_dir():
        raise Refused(
            "EXPLORER_DATA names no folder with webkb; set it, or choose web-pages, which is generated"
        )
    return folder


def webkb(links: bool = True, fold: int = 1, folder: str | Path | None = None) -> tuple[Dataset, Dataset]:
    """All universities but one, and that one."""
    return left_out(read_webkb(webkb_folder() if folder is None else folder, links), fold)


def read_webkb(folder: str | Path, links: bool = True) -> Dataset:
    """The universities of a folder that are no copies; meta["copies"] names those that are."""
    read = {name: read_pages(Path(folder) / name) for name in UNIVERSITIES if (Path(folder) / name).is_dir()}
    if not read:
        raise Refused(f"{folder} holds no folder {', '.join(UNIVERSITIES)}; unpack the WebKB graphs there")
    widths = {name: pages[0].shape[1] for name, pages in read.items()}
    if len(set(widths.values())) > 1:
        raise Refused(f"{folder}: universities have {widths} words; give all the same")
    copies = _copies(read)
    kept = {name: pages for name, pages in read.items() if name not in copies}
    words = next(iter(widths.values()))
    features = related_names([f"word {v + 1}" for v in range(words)], ("linked", "co-cited") if links else ())
    about = "Pages of one department's web site, of up to five kinds, told by their words" + (
        " and links." if links else "."
    )
    inputs = [_set(name, pages, links) for name, pages in kept.items()]
    each = {"sets": tuple(name.capitalize() for name in kept)}
    return item_sets("WebKB", inputs, [y for _, y, _ in kept.values()], features, about, each, copies=copies)


def _copies(read: dict[str, Pages]) -> tuple[str, ...]:
    """Universities that have the words and classes of one before them."""
    seen: set[tuple[bytes, bytes]] = set()
    found = []
    for name, (words, classes, _) in read.items():
        key = (words.tobytes(), classes.tobytes())
        found += [name] if key in seen else []
        seen.add(key)
    return tuple(found)


def _set(name: str, pages: Pages, links: bool) -> ItemSet:
    words, classes, cites = pages
    m = len(words)
    matrix = np.zeros((m, m), dtype=np.int64)
    matrix[cites[:, 0], cites[:, 1]] = 1
    np.fill_diagonal(matrix, 0)
    relations = (linked_pairs(cites), cited_pairs(matrix)) if links else ()
    rows = tfidf_rows(csr_array(words.astype(np.float64)))
    return item_set(
        m, rows, relations, names=[f"page {i}" for i in range(m)], groups=len(set(classes)), where=name
    )


def read_pages(folder: Path) -> Pages:
    """The pages of one university."""
    where = folder / NODES
    lines = [line.split("\t") for line in _lines(where)]
    if not 1 <= len(lines) <= MOST_PAGES:
        raise Refused(f"{where} holds {len(lines)} pages; give 1 to {MOST_PAGES:,}")
    for i, parts in enumerate(lines):
        if len(parts) != 3 or parts[0] != str(i):
            raise Refused(
                f"{where}, line {i + 2}, is not page {i}, words, class; give the pages in order, "
                "tab-separated"
            )
    words = _numbers(
        [parts[1].split(",") for parts in lines], where, "a word count for every word, separated by commas"
    )
    classes = _numbers([parts[2:] for parts in lines], where, "a whole number as class")
    return words, classes[:, 0], _links(folder / EDGES, len(lines))


def _links(where: Path, m: int) -> Ints:
    ends = _numbers(
        [line.split("\t") for line in _lines(where)], where, "two pages a line, tab-separated"
    ).reshape(-1, 2)
    if len(ends) and not (ends.min() >= 0 and ends.max() < m):
        row = int(np.argmax(np.any((ends < 0) | (ends >= m), axis=1)))
        raise Refused(
            f"{where}, line {row + 2}, names a page that is not there; pages are numbered 0 to {m - 1}"
        )
    return ends


def _numbers(rows: list[list[str]], where: Path, wanted: str) -> Ints:
    """Rows of whole numbers of one length."""
    width = len(rows[0]) if rows else 0
    for i, row in enumerate(rows):
        if len(row) != width or not all(part.strip().isdigit() and len(part) < 10 for part in row):
            raise Refused(f"{where}, line {i + 2}, cannot be read; give {wanted}")
    return np.array(rows, dtype=np.int64) if rows else np.zeros((0, 2), dtype=np.int64)


def _lines(where: Path) -> list[str]:
    """The lines of a packed file after its header."""
    packed = read_bytes(where, MOST_PACKED, "a gzip file of the WebKB graphs")
    try:
        with gzip.open(io.BytesIO(packed)) as opened:
            found = opened.read(MOST_BYTES + 1)
        text = found.decode("utf-8")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise Refused(f"{where} is no readable gzip text ({error}); fetch it again") from error
    if len(found) > MOST_BYTES:
        raise Refused(
            f"{where} unpacks to more than {MOST_BYTES / 1e6:,.0f} million bytes; give a part of it"
        )
    return text.splitlines()[1:]


@settings
class WebKB:
    """Real web pages of two computer science departments, from the folder that EXPLORER_DATA names."""

    links: bool = knob(True, "Use links and co-citations, not only words.")
    fold: int = knob(1, "Which department is for testing: 1 Texas, 2 Wisconsin.", low=1, high=3)

    def make(self) -> tuple[Dataset, Dataset | None]:
        """All departments but one, and that one."""
        return webkb(self.links, self.fold)
