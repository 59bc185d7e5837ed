"""Hash functions of edges: distances help, tags generalise, words are learnt by heart."""

from pathlib import Path

import pytest

from explorer.studies.support.parsed_text import GERMAN
from explorer.studies.support.study import HELD, NOT_HELD, OPEN, row, value, where
from explorer.studies.trees.edge_hashes import HASHES, PRICES, EdgeHashes


@pytest.mark.spec("F48")
def test_on_the_register_treebank_tags_need_distances_and_generalise_and_words_do_not() -> None:
    rows = list(EdgeHashes(prices=2).rows())
    assert len(rows) == 2 * len(HASHES)
    for name in ("posTags", "posTags2"):
        for C in PRICES[:2]:
            assert value(rows, "test", hash=f"{name}::dir", C=C) < value(rows, "test", hash=name, C=C)
    assert all(
        abs(one.number("train") - one.number("test")) <= 1.5 for one in where(rows, hash="posTags::dir")
    )
    words = where(rows, hash="tokens::dir")[-1]
    assert words.number("train") < 5.0
    assert words.number("test") > 5.0 * words.number("train")
    assert [finding.verdict for finding in EdgeHashes().findings(rows)][1:] == [HELD, HELD]


@pytest.mark.spec("F48")
def test_published_figures_stand_beside_the_rows() -> None:
    printed = EdgeHashes(prices=5).published
    assert value(printed, "test", hash="posTags2::dir", C=100.0) == 14.79
    assert value(printed, "train", hash="tokens::dir", C=10.0) == 3.40
    assert len(printed) == 4 * 3 + 4 * 5
    assert {finding.verdict for finding in EdgeHashes().findings([])} == {OPEN}
    other = [row(hash=name, C=1.0, train=10.0, test=20.0) for name in HASHES]
    assert {finding.verdict for finding in EdgeHashes().findings(other)} == {NOT_HELD}


@pytest.mark.spec("F48")
def test_on_german_sentences_tags_need_distances(data_dir: Path) -> None:
    rows = list(EdgeHashes(corpus=GERMAN, n=100, prices=1).rows())
    for name in ("posTags", "posTags2"):
        assert value(rows, "test", hash=f"{name}::dir", C=0.1) < value(rows, "test", hash=name, C=0.1)
