"""Families of clusterings: each makes what its problem can take, and the same again."""

import pickle
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.data.clouds import clouds
from explorer.engine.data.cluster_families import (
    AnyClusters,
    Clouds,
    Coreference,
    Figures,
    LinkFigure,
    Marbles,
    Moons,
    News,
    NewsAreas,
    Synth,
    WebKB,
    WebPages,
)
from explorer.engine.data.marbles import marbles
from explorer.engine.data.web_pages import web_pages
from explorer.engine.knobs import knobs
from explorer.engine.learners import NSlack
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.item_sets import item_set, similarity
from explorer.engine.structures.clusterings.kernel_features import MOST_PAIRS, kernelised
from explorer.engine.structures.clusterings.pair_kernels import RBF
from explorer.engine.structures.clusterings.partitions import pair_vector
from explorer.engine.structures.clusterings.problem import Clustering, checked

SMALL = (
    Figures(),
    Synth(per_group=4),
    Clouds(),
    Moons(),
    LinkFigure(),
    Marbles(per_group=5),
    Coreference(n=3, n_test=2),
    News(n=2, n_test=1),
    NewsAreas(articles=3),
    WebPages(pages=20),
    Clouds(n=2, n_test=1, points=8, similarity="polynomial"),
    Clouds(n=2, n_test=1, points=8, similarity="RBF"),
    Marbles(n=2, n_test=1, per_group=3, similarity="RBF"),
    Marbles(n=2, n_test=1, per_group=3, nearest=True, similarity="polynomial"),
    WebPages(sets=2, pages=6, words=20, similarity="full matrix"),
    WebPages(sets=2, pages=6, words=20, links=False, similarity="full matrix"),
)
CORRELATION = (Figures, Clouds, Moons, LinkFigure, Marbles, Coreference, News)


def same(first: Dataset, second: Dataset) -> bool:
    w = np.random.default_rng(0).normal(size=first.inputs[0].dim)
    return all(
        np.array_equal(similarity(a, w), similarity(b, w)) and np.array_equal(y, z)
        for a, b, y, z in zip(first.inputs, second.inputs, first.labels, second.labels, strict=True)
    )


@pytest.mark.parametrize("family", SMALL, ids=lambda family: type(family).__name__)
def test_a_family_makes_checked_sets_with_a_name_for_each_weight(family: Any) -> None:
    for data in family.make():
        if data is None:
            continue
        model = "correlation" if isinstance(family, CORRELATION) else "k-means"
        assert len(checked(data, model)) == len(data)
        assert all(len(data.meta["features"]) == x.dim for x in data.inputs)
        assert data.meta["about"].endswith(".")
        for texts, x in zip(data.meta.get("texts", ()), data.inputs, strict=False):
            assert len(texts) == x.m
        assert same(data, pickle.loads(pickle.dumps(data)))


@pytest.mark.parametrize("family", SMALL, ids=lambda family: type(family).__name__)
def test_a_family_makes_the_same_sets_again(family: Any) -> None:
    for first, again in zip(family.make(), family.make(), strict=True):
        assert (first is None and again is None) or same(first, again)


@pytest.mark.parametrize("family", get_args(AnyClusters), ids=lambda family: family.__name__)
def test_every_family_says_which_sums_its_problem_takes(family: type) -> None:
    named = {name: default for name, default, _ in knobs(family)}
    assert len(named) == len(fields(family))
    linked = family in (Moons, LinkFigure)
    assert named.get("weights") == (None if linked else "free")
    assert named.get("loss_in_oracle") is (None if linked else True)
    assert ("normalise" in named) == (family in CORRELATION and not linked)
    assert ("diagonal" in named) == (family not in CORRELATION)


def test_webkb_trains_on_one_department_and_tests_on_another(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXPLORER_DATA", str(data_dir))
    train, test = WebKB(fold=1, links=False).make()
    assert (train.meta["sets"], test.meta["sets"]) == (("Wisconsin",), ("Texas",))
    assert train.inputs[0].dim == 1703


def trained(problem: Clustering, C: float = 1e4) -> np.ndarray:
    *_, last = NSlack(C=C, eps=1e-2).steps(problem, np.random.default_rng(0))
    return last.w


@pytest.mark.parametrize(
    ("family", "direct"),
    [
        (Clouds(n=2, n_test=2, points=7), lambda: clouds(2, 2, 7)),
        (Marbles(n=2, n_test=2, per_group=2, nearest=True), lambda: marbles(2, 2, 2, nearest=True)),
        (WebPages(sets=3, pages=6), lambda: web_pages(3, 6)),
    ],
    ids=["clouds", "marbles", "web pages"],
)
def test_without_a_kernel_a_family_is_what_its_generator_makes(family: Any, direct: Any) -> None:
    for made, drawn in zip(family.make(), direct(), strict=True):
        assert same(made, drawn)
        assert made.meta["features"] == drawn.meta["features"]


@pytest.mark.spec("C20")
@pytest.mark.parametrize(
    ("kind", "sharp"), [("polynomial", 2), ("polynomial", 3), ("RBF", 1.0), ("RBF", 0.2)]
)
def test_inner_products_of_the_coordinates_of_training_pairs_are_the_kernel(kind: str, sharp: Any) -> None:
    plain, _ = Clouds(n=2, n_test=1, points=8).make()
    how = {"degree" if kind == "polynomial" else "sharpness": sharp}
    bent, tested = Clouds(n=2, n_test=1, points=8, similarity=kind, **how).make()
    psi, rows = (np.vstack([x.pairs for x in data.inputs]) for data in (plain, bent))
    inner = psi @ psi.T
    squared = np.diag(inner)[:, None] + np.diag(inner)[None, :] - 2.0 * inner
    expected = (inner + 1.0) ** sharp if kind == "polynomial" else np.exp(-sharp * squared)
    assert rows @ rows.T == pytest.approx(expected, abs=1e-8 * np.abs(expected).max())
    assert bent.meta["features"] == tested.meta["features"]
    assert bent.meta["features"][:2] == ("coordinate 1", "coordinate 2")
    assert np.array_equal(bent.inputs[0].place, plain.inputs[0].place)


def test_coordinates_of_the_polynomial_hold_the_linear_similarity_of_test_pairs_too() -> None:
    # (psi . psi' + 1)^2 contains psi . psi': some weights of the coordinates give any linear similarity, on
    # test pairs too.
    (train, test), (bent, tested) = (
        Clouds(n=4, n_test=2, similarity=kind).make() for kind in ("linear", "polynomial")
    )
    rows, new = (np.vstack([x.pairs for x in data.inputs]) for data in (bent, tested))
    for feature in range(3):
        aim, new_aim = (np.concatenate([x.pairs[:, feature] for x in data.inputs]) for data in (train, test))
        w = np.linalg.lstsq(rows, aim, rcond=None)[0]
        assert new @ w == pytest.approx(new_aim, abs=1e-5)


def rings(n: int, seed: int) -> Dataset:
    """Four items in two clusters; what is together differs by 1, of what is apart one half by 0 and one half
    by 2.

    Under a d + b the truth scores 2 (a + b), everything in one cluster 6 (a + b) and everything apart 0.
    Nothing makes the truth the only best: that needs 2 (a + b) > 0 and 2 (a + b) > 6 (a + b).
    """
    rng = np.random.default_rng(seed)
    inputs, labels = [], []
    i, j = np.triu_indices(4, 1)
    for _ in range(n):
        y = rng.permutation([0, 0, 1, 1])
        apart = np.flatnonzero(y[i] != y[j])
        d = np.ones(6)
        d[apart] = rng.permutation([0.0, 0.0, 2.0, 2.0])
        inputs.append(item_set(4, pairs=np.column_stack([d, np.ones(6)])))
        labels.append(y)
    return Dataset("rings", tuple(inputs), tuple(labels))


def test_rbf_learns_a_band_of_distances_which_no_linear_similarity_can() -> None:
    train, test = rings(4, 0), rings(6, 1)
    straight = Clustering(train)
    w = trained(straight)
    assert all(loss > 0.0 for loss in straight.losses(straight.predictions(w)))
    bent, found = kernelised(train, RBF())
    problem = Clustering(bent)
    u = trained(problem)
    assert max(problem.losses(problem.predictions(u))) == 0.0
    unseen = problem.on(found.dataset(test))
    assert max(unseen.losses(unseen.predictions(u))) == 0.0


@pytest.mark.spec("D37")
@pytest.mark.parametrize("links", [True, False])
def test_a_full_matrix_of_words_is_the_similarity_of_a_matrix_by_hand(links: bool) -> None:
    plain = WebPages(sets=2, pages=6, words=20, links=links).make()
    full = WebPages(sets=2, pages=6, words=20, links=links, similarity="full matrix").make()
    names = full[0].meta["features"]
    assert (names[0], names[19], names[20]) == ("word 1", "word 20", "word 1 x word 2")
    rng = np.random.default_rng(0)
    W = rng.normal(size=(20, 20))
    W = W + W.T
    # vec(W) . vec(x x'): a mixed word pair stands twice in the matrix and once, times sqrt 2, in the weights.
    own = np.diag(W)
    mixed = [np.sqrt(2.0) * W[a, b] for a in range(20) for b in range(a + 1, 20)]
    rest = rng.normal(size=len(names) - 210)
    for before, after in zip(plain, full, strict=True):
        for x, z in zip(before.inputs, after.inputs, strict=True):
            X = x.nodes.toarray()
            by_hand = X @ W @ X.T + similarity(x, np.concatenate([np.zeros(20), rest]))
            found = similarity(z, np.concatenate([own, mixed, rest]))
            assert pair_vector(found) == pytest.approx(pair_vector(by_hand), abs=1e-12)


@pytest.mark.parametrize(
    ("family", "sentence"),
    [
        (
            Clouds(points=200, similarity="RBF"),
            f"119,400 training pairs.* at most {MOST_PAIRS:,}; lower n or points",
        ),
        (Marbles(similarity="polynomial"), "8,850 training pairs.*lower n or per_group"),
        (Clouds(similarity="RBF", weights="non-negative"), "signs mean nothing; choose free weights"),
        (WebPages(similarity="full matrix"), "choose at most 72 words"),
        (WebPages(pages=1000, similarity="full matrix"), "lower pages"),
        (WebPages(words=20, diagonal=True, similarity="full matrix"), "turn diagonal off"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_is_too_large_or_makes_no_sense_is_refused_with_the_fix(family: Any, sentence: str) -> None:
    with pytest.raises(Refused, match=sentence):
        family.make()


def test_a_full_matrix_has_a_weight_for_every_word_and_every_two_words() -> None:
    train, _ = WebPages(words=30, links=False, pages=12, similarity="full matrix").make()
    assert train.inputs[0].dim == 30 * 31 // 2
