"""Made-up web pages: words, links and co-citations."""

import numpy as np
import pytest

from explorer.engine.data.web_pages import all_pages, cited_pairs, linked_pairs, web_pages
from explorer.engine.refusals import Refused


@pytest.mark.spec("C54")
def test_links_make_two_more_regions_of_weights() -> None:
    with_links, without = (all_pages(links=links) for links in (True, False))
    assert with_links.inputs[0].dim == len(with_links.meta["features"]) == 200 + 2 * 201
    assert without.inputs[0].dim == len(without.meta["features"]) == 200
    assert without.inputs[0].relations == ()
    assert with_links.meta["about"].startswith("Made-up")
    for x, y in zip(with_links.inputs, with_links.labels, strict=True):
        assert (x.m, x.groups) == (60, 6)
        assert np.array_equal(np.bincount(y), [10] * 6)


def test_rows_of_words_have_length_one() -> None:
    for x in all_pages(sets=2).inputs:
        assert np.sqrt(np.asarray(x.nodes.multiply(x.nodes).sum(axis=1))) == pytest.approx(np.ones(60))


def test_pages_cited_together_are_more_often_of_one_kind() -> None:
    for x, y in zip(all_pages().inputs, all_pages().labels, strict=True):
        i, j = x.relations[1].T
        assert np.mean(y[i] == y[j]) > 0.35  # of all pairs, 15% are


def test_pairs_are_linked_in_either_direction_and_cited_by_a_common_page() -> None:
    assert linked_pairs(np.array([(2, 1), (1, 2), (0, 0), (0, 2)])).tolist() == [[0, 2], [1, 2]]
    assert linked_pairs(np.zeros((0, 2), dtype=int)).shape == (0, 2)
    assert cited_pairs(np.array([[1, 1, 0, 0], [0, 0, 1, 0], [0, 1, 0, 1]])).tolist() == [[0, 1], [1, 3]]


def test_one_university_is_left_out() -> None:
    train, test = web_pages(fold=3)
    assert train.meta["sets"] == ("Cornell", "Texas", "Wisconsin")
    assert test.meta["sets"] == ("Washington",)


def test_the_same_seed_gives_the_same_pages() -> None:
    first, again, other = (all_pages(sets=1, seed=seed).inputs[0] for seed in (1, 1, 2))
    assert (first.nodes != again.nodes).nnz == 0
    assert np.array_equal(first.relations[0], again.relations[0])
    assert not np.array_equal(first.relations[1], other.relations[1])


def test_wrong_sizes_are_refused() -> None:
    with pytest.raises(Refused, match="choose at least 1, 6 and 20"):
        all_pages(pages=3)
    with pytest.raises(Refused, match="fold is 5; there are 4 item sets"):
        web_pages(fold=5)
