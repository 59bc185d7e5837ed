"""WebKB: the true pages where they are there, small files elsewhere, and what is refused."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from explorer.engine.data.readers import webkb as module
from explorer.engine.data.readers.webkb import read_webkb, webkb, webkb_folder
from explorer.engine.refusals import Refused

NODES = "node_id\tfeature\tlabel\n0\t1,0,1\t2\n1\t0,1,1\t0\n2\t1,1,0\t2\n3\t0,0,1\t0\n"
EDGES = "node_id\tnode_id\n0\t1\n3\t0\n3\t2\n2\t3\n"


def write(folder: Path, university: str, nodes: str = NODES, edges: str = EDGES) -> Path:
    (folder / university).mkdir()
    for name, text in ((module.NODES, nodes), (module.EDGES, edges)):
        (folder / university / name).write_bytes(gzip.compress(text.encode()))
    return folder


def test_words_become_tfidf_rows_and_links_become_relations(tmp_path: Path) -> None:
    data = read_webkb(write(tmp_path, "texas"))
    x = data.inputs[0]
    # Words 1 and 2 are on 2 of the 4 pages, word 3 on 3 of them.
    rare, common = np.log(4 / 2), np.log(4 / 3)
    first = np.array([rare, 0.0, common]) / np.hypot(rare, common)
    assert x.nodes.toarray()[0] == pytest.approx(first)
    assert x.relations[0].tolist() == [[0, 1], [0, 3], [2, 3]]
    assert x.relations[1].tolist() == [[0, 2]]  # page 3 links to both
    assert data.labels[0].tolist() == [0, 1, 0, 1]
    assert (x.dim, x.groups) == (3 + 2 * 4, 2)
    assert data.meta["features"][3:7] == ("linked: word 1", "linked: word 2", "linked: word 3", "linked")
    assert read_webkb(tmp_path, links=False).inputs[0].dim == 3


def test_a_university_with_the_pages_of_another_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, "cornell", edges="node_id\tnode_id\n0\t2\n")
    write(write(tmp_path, "texas"), "wisconsin", nodes=NODES.replace("1,0,1", "1,1,1"))
    data = read_webkb(tmp_path)
    assert data.meta["sets"] == ("Texas", "Wisconsin")
    assert data.meta["copies"] == ("cornell",)
    train, test = webkb(fold=2, folder=tmp_path)
    assert (train.meta["sets"], test.meta["sets"]) == (("Texas",), ("Wisconsin",))


@pytest.mark.spec("C54")
def test_the_true_pages_have_1703_words_and_five_kinds(data_dir: Path) -> None:
    data = read_webkb(data_dir / "webkb")
    assert data.meta["sets"] == ("Texas", "Wisconsin")
    assert data.meta["copies"] == ("cornell",)
    assert [x.m for x in data.inputs] == [183, 251]
    for x, y in zip(data.inputs, data.labels, strict=True):
        assert x.widths == (1703, 2, 0)
        assert x.groups == int(y.max()) + 1 == 5
        i, j = x.relations[1].T
        a, b = np.triu_indices(x.m, 1)
        assert np.mean(y[i] == y[j]) > 1.2 * np.mean(y[a] == y[b])


@pytest.mark.parametrize(
    ("nodes", "edges", "said"),
    [
        (NODES.replace("1\t0,1,1", "7\t0,1,1"), EDGES, r"line 3, is not page 1, words, class"),
        (NODES.replace("0,1,1", "0,x,1"), EDGES, "line 3, cannot be read; give a word count for every word"),
        (NODES.replace("0,1,1", "0,1"), EDGES, "line 3, cannot be read"),
        (
            NODES.replace("\t2\n1", "\tstaff\n1"),
            EDGES,
            "line 2, cannot be read; give a whole number as class",
        ),
        (NODES, EDGES + "0\t9\n", "line 6, names a page that is not there; pages are numbered 0 to 3"),
        (NODES, EDGES + "0\n", "line 6, cannot be read; give two pages a line"),
        ("node_id\tfeature\tlabel\n", EDGES, "holds 0 pages; give 1 to 3,000"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, nodes: str, edges: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        read_webkb(write(tmp_path, "texas", nodes, edges))


def test_what_is_no_gzip_text_or_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "texas")
    (tmp_path / "texas" / module.EDGES).write_bytes(b"plain")
    with pytest.raises(Refused, match="is no readable gzip text"):
        read_webkb(tmp_path)
    monkeypatch.setattr(module, "MOST_BYTES", 20)
    with pytest.raises(Refused, match="unpacks to more than 0 million bytes"):
        read_webkb(tmp_path)
    (tmp_path / "texas" / module.NODES).unlink()
    with pytest.raises(Refused, match="is not a file; give a gzip file of the WebKB graphs"):
        read_webkb(tmp_path)


def test_different_vocabularies_are_refused(tmp_path: Path) -> None:
    write(write(tmp_path, "texas"), "wisconsin", nodes="node_id\tfeature\tlabel\n0\t1\t2\n", edges="a\tb\n")
    with pytest.raises(Refused, match="words; give all the same"):
        read_webkb(tmp_path)


def test_a_missing_folder_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Refused, match="holds no folder texas, wisconsin, cornell; unpack"):
        read_webkb(tmp_path)
    monkeypatch.delenv("EXPLORER_DATA", raising=False)
    with pytest.raises(
        Refused, match="EXPLORER_DATA names no folder with webkb; set it, or choose web-pages"
    ):
        webkb_folder()
    monkeypatch.setenv("EXPLORER_DATA", str(tmp_path))
    with pytest.raises(Refused, match="EXPLORER_DATA names no folder with webkb"):
        webkb()
