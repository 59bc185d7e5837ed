"""What the models of clusterings make of the features of pairs: kernels, full matrices, and what is
refused.
"""

from typing import Any

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Dataset
from explorer.engine.learners import NSlack
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.item_sets import item_set, similarity
from explorer.engine.structures.clusterings.kernel_features import MOST_PAIRS, with_kernel
from explorer.engine.structures.clusterings.pair_kernels import RBF
from explorer.engine.structures.clusterings.partitions import pair_vector
from explorer.engine.structures.clusterings.problem import Clustering

FEW = {"n": 2, "n_test": 1, "points": 8}
PAGES = {"sets": 2, "pages": 6, "words": 20}


def seen(task: str, data: dict[str, Any], **model: Any) -> tuple[Dataset, Dataset]:
    """Training and test data as the problem has them."""
    problem, test = Recipe(task, data, model=model).problem()
    assert test is not None
    return problem.dataset, test


def trained(problem: Clustering, C: float = 1e4) -> np.ndarray:
    *_, last = NSlack(C=C, eps=1e-2).steps(problem, np.random.default_rng(0))
    return last.w


@pytest.mark.spec("C20")
@pytest.mark.parametrize(
    ("kind", "sharp"), [("polynomial", 2), ("polynomial", 3), ("RBF", 1.0), ("RBF", 0.2)]
)
def test_inner_products_of_the_coordinates_of_training_pairs_are_the_kernel(kind: str, sharp: Any) -> None:
    plain, _ = seen("clouds", FEW)
    how = {"degree" if kind == "polynomial" else "sharpness": sharp}
    bent, tested = seen("clouds", FEW, similarity=kind, **how)
    psi, rows = (np.vstack([x.pairs for x in data.inputs]) for data in (plain, bent))
    inner = psi @ psi.T
    squared = np.diag(inner)[:, None] + np.diag(inner)[None, :] - 2.0 * inner
    expected = (inner + 1.0) ** sharp if kind == "polynomial" else np.exp(-sharp * squared)
    assert rows @ rows.T == pytest.approx(expected, abs=1e-8 * np.abs(expected).max())
    assert bent.meta["features"] == tested.meta["features"]
    assert bent.meta["features"][:2] == ("coordinate 1", "coordinate 2")
    assert np.array_equal(bent.inputs[0].place, plain.inputs[0].place)


def test_coordinates_of_the_polynomial_hold_the_linear_similarity_of_test_pairs_too() -> None:
    # (psi . psi' + 1)^2 contains psi . psi': some weights give any linear similarity, on test pairs too.
    sizes = {"n": 4, "n_test": 2}
    (train, test), (bent, tested) = (
        seen("clouds", sizes, similarity=kind) for kind in ("linear", "polynomial")
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
    bent, found = with_kernel(train, RBF())
    problem = Clustering(bent)
    u = trained(problem)
    assert max(problem.losses(problem.predictions(u))) == 0.0
    unseen = problem.on(found.dataset(test))
    assert max(unseen.losses(unseen.predictions(u))) == 0.0


@pytest.mark.spec("D37")
@pytest.mark.parametrize("links", [True, False])
def test_a_full_matrix_of_words_is_the_similarity_of_a_matrix_by_hand(links: bool) -> None:
    data = {**PAGES, "links": links}
    plain, full = seen("web-pages", data), seen("web-pages", data, similarity="full matrix")
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
    ("task", "data", "model", "sentence"),
    [
        (
            "clouds",
            {"points": 200},
            {"similarity": "RBF"},
            f"119,400 training pairs.* at most {MOST_PAIRS:,}; take fewer",
        ),
        ("marbles", {}, {"similarity": "polynomial"}, "8,850 training pairs.*or a linear similarity"),
        (
            "clouds",
            {},
            {"similarity": "RBF", "weights": "non-negative"},
            "signs mean nothing; choose free weights",
        ),
        # 3 sets of 1,770 pairs with 3 V + 2 + V (V - 1) / 2 numbers each:
        # 19,859,400 for V = 84, 20,321,370 for V = 85.
        ("web-pages", {}, {"similarity": "full matrix"}, "take at most 84 features of an item"),
        ("web-pages", {"words": 20}, {"diagonal": True, "similarity": "full matrix"}, "turn diagonal off"),
        ("synth", {}, {"similarity": "full matrix"}, "item set 0 has no features of its items"),
    ],
)
def test_what_is_too_large_or_makes_no_sense_is_refused_with_the_fix(
    task: str, data: dict[str, Any], model: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(Refused, match=sentence):
        Recipe(task, data, model=model).problem()


def test_a_full_matrix_has_a_weight_for_every_word_and_every_two_words() -> None:
    train, _ = seen("web-pages", {"words": 30, "links": False, "pages": 12}, similarity="full matrix")
    assert train.inputs[0].dim == 30 * 31 // 2


def test_every_clustering_task_can_have_its_pairs_bent() -> None:
    """Coreference had no such setting; its sets of features are few enough for a kernel."""
    bent, tested = seen("coreference", {"n": 2, "n_test": 1, "entities": 4}, similarity="RBF")
    assert bent.meta["features"] == tested.meta["features"]
    assert bent.meta["features"][0] == "coordinate 1"
