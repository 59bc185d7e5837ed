"""Made-up documents: sizes and shares of MUC-6, and links that show only between neighbours of a chain."""

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.data.coreference import FEATURES, LINKS, coreference
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.losses import Mitre, Pairwise
from explorer.engine.structures.clusterings.partitions import together


@pytest.fixture(scope="module")
def full() -> Dataset:
    return coreference(n=30, n_test=1, entities=101)[0]


@pytest.mark.spec("C54")
def test_documents_of_full_size_are_like_those_of_the_source(full: Dataset) -> None:
    for x, y in zip(full.inputs, full.labels, strict=True):
        assert int(y.max()) + 1 == 101
        assert x.m == round(1.48 * 101)
        assert x.dim == len(full.meta["features"]) == len(set(FEATURES)) == 53
    assert full.meta["about"].startswith("Made-up")


def test_about_36_in_a_thousand_pairs_are_coreferent(full: Dataset) -> None:
    share = [together(y).mean() for y in full.labels]
    assert np.mean(share) == pytest.approx(0.036, abs=0.01)
    # What a document loses by all its mentions alone is that share, in per cent.
    alone = [Pairwise().value(y, np.arange(len(y))) for y in full.labels]
    assert np.mean(alone) == pytest.approx(100.0 * np.mean(share))
    # Finley 2009, table 3.1: all in one cluster loses 51.0 by MITRE.
    assert [Mitre().value(y, np.zeros_like(y)) for y in full.labels] == pytest.approx([51.0] * 30, abs=0.1)


def signs(data: Dataset, of: str) -> float:
    """The mean number of signs of a link that pairs show: neighbours of a chain, other coreferent ones, or
    the rest.
    """
    found = []
    for x, y in zip(data.inputs, data.labels, strict=True):
        i, j = np.triu_indices(x.m, 1)
        same = y[i] == y[j]
        next_of = np.array(
            [np.count_nonzero(y[a + 1 : b] == y[a]) == 0 for a, b in zip(i[same], j[same], strict=True)]
        )
        near = np.zeros(len(i), dtype=bool)
        near[np.flatnonzero(same)[next_of]] = True
        chosen = {"neighbours": near, "others of a chain": same & ~near, "rest": ~same}[of]
        found.append(np.asarray(x.pairs[np.flatnonzero(chosen)][:, : len(LINKS)].sum(axis=1)).reshape(-1))
    return float(np.concatenate(found).mean())


def test_only_neighbours_of_a_chain_show_that_they_are_linked() -> None:
    small = coreference(n=12, n_test=1, entities=60)[0]
    rest = signs(small, "rest")
    assert rest == pytest.approx(20 * 0.01, abs=0.01)
    assert signs(small, "neighbours") == pytest.approx(5 * 0.505 + 15 * 0.01, abs=0.2)
    assert signs(small, "others of a chain") == pytest.approx(rest, abs=0.04)


def test_pronouns_are_marked_and_are_never_the_first_of_their_chain() -> None:
    train, _ = coreference(n=10, n_test=1)
    for x, y, pronoun, texts in zip(
        train.inputs, train.labels, train.meta["pronouns"], train.meta["texts"], strict=True
    ):
        assert len(texts) == len(pronoun) == x.m
        for t in np.flatnonzero(pronoun):
            assert y[t] in y[:t]
        row = FEATURES.index("second is pronoun")
        _, j = np.triu_indices(x.m, 1)
        assert np.array_equal(x.pairs[:, [row]].toarray().reshape(-1), pronoun[j])
    assert any(pronoun.any() for pronoun in train.meta["pronouns"])


def test_sentence_distances_are_one_of_four() -> None:
    x = coreference(n=1, n_test=1)[0].inputs[0]
    at = [FEATURES.index(name) for name in ("same sentence", "1 sentence apart", "2 sentences apart")]
    far = FEATURES.index("3 or more sentences apart")
    assert (x.pairs[:, [*at, far]].sum(axis=1) == 1.0).all()
    next_one = x.pairs[:, [FEATURES.index("next mention")]].toarray().reshape(-1)
    assert next_one.sum() == x.m - 1


def test_the_same_seed_gives_the_same_documents() -> None:
    first, again, other = (coreference(n=2, n_test=1, seed=seed)[0] for seed in (5, 5, 6))
    assert (first.inputs[1].pairs != again.inputs[1].pairs).nnz == 0
    assert first.meta["texts"] == again.meta["texts"]
    assert first.meta["texts"] != other.meta["texts"]


def test_wrong_sizes_are_refused() -> None:
    with pytest.raises(Refused, match="choose 1 or more, 1 or more, and 2 to 500"):
        coreference(entities=1)
