"""The similarity shows what enumeration and hand calculation give, keeps its order, and says what its
pictures show.
"""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from explorer.dashboards.studio.page import Studio
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Dataset
from explorer.engine.data.cluster_figures import figure_set
from explorer.engine.events import Bounds, Started, Step
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.clusterings.item_sets import item_set, similarity
from explorer.engine.structures.clusterings.losses import Mitre, Normalised, Pairwise
from explorer.engine.structures.clusterings.oracles import GreedyMerges, Spectral, TriangleRelaxation
from explorer.engine.structures.clusterings.partitions import (
    all_partitions,
    pair_matrix,
    pair_vector,
    together,
)
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.structures.clusterings.single_link import SingleLink
from explorer.session.state import Session
from explorer.views import structure_of
from explorer.views.kit.drawing.theme import DARK, PROJECTOR
from explorer.views.kit.memory import Memory
from explorer.views.similarity import frame as numbers
from explorer.views.similarity import words
from explorer.views.similarity.frame import ORDERS
from explorer.views.similarity.matrix import FULL
from explorer.views.similarity.order import MOST_CELLS, block_means
from explorer.views.similarity.shapes import embed, places, tree
from explorer.views.similarity.view import BEFORE, BESIDE, LOSS, MAP, TREE, Similarity

NAMES = ("ant", "bee", "cat", "dog", "elk")
K = pair_matrix(np.array([2.0, -1.0, -3.0, 1.0, 4.0, -2.0, -1.0, -1.0, -2.0, 3.0]), 5)
TRUTH = np.array([0, 0, 0, 1, 1])


def trace_of(problem: Any, *steps: Any) -> Trace:
    trace = Trace()
    trace.append(Started(problem.name, "Subgradient", problem.n, problem.dim, 0, True, {"C": 1.0}))
    for k, w in enumerate(steps):
        trace.append(Step(k, np.asarray(w, dtype=float), bounds=Bounds(1.0)))
    return trace


def pets(**more: Any) -> tuple[Clustering, Trace]:
    """Five named items whose similarity at w = (1, 0) is K, and one more set with all of it turned round."""
    both = [np.column_stack([sign * pair_vector(K), np.ones(10)]) for sign in (1.0, -1.0)]
    sets = tuple(item_set(5, pairs=rows, names=NAMES) for rows in both)
    data = Dataset("pets", sets, (TRUTH, TRUTH), {"features": ("alike", "constant")})
    problem = Clustering(data, **({"normalise": False} | more))
    return problem, trace_of(problem, [0.0, 0.0], [0.5, 0.25], [1.0, 0.0])


def drawn_set(m: int, seed: int = 0, **more: Any) -> tuple[Clustering, Trace]:
    """m items in clusters of about four, with one telling feature."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, max(2, m // 4), m)
    rows = rng.normal(size=(m * (m - 1) // 2, 2)) + np.column_stack(
        [4 * together(y) - 2, np.zeros(m * (m - 1) // 2)]
    )
    problem = Clustering(Dataset("drawn", (item_set(m, pairs=rows),), (y,)), **more)
    return problem, trace_of(problem, rng.normal(size=2), [1.0, 0.0])


def session_of(problem: Any, trace: Trace) -> Session:
    session = Session(Recipe.of(problem))
    session.replay(trace)
    return session


# the frame --------------------------------------------------------------------------------------------------


def test_the_prediction_and_its_costs_are_those_of_enumeration() -> None:
    problem, trace = pets()
    shown = numbers.frame(problem, trace, 2)
    best = max(all_partitions(5), key=lambda y: float(pair_vector(K) @ together(y)))
    assert np.array_equal(shown.guess.labels, best)
    np.testing.assert_allclose(shown.K, K)
    pairs = list(combinations(range(5), 2))
    assert shown.split == sum(K[i, j] > 0 and best[i] != best[j] for i, j in pairs)
    assert shown.joined == sum(K[i, j] < 0 and best[i] == best[j] for i, j in pairs)
    wrong = sum((TRUTH[i] == TRUTH[j]) != (best[i] == best[j]) for i, j in pairs)
    assert shown.loss == pytest.approx(100.0 * wrong / 10)


def test_the_most_violated_clustering_is_found_and_priced() -> None:
    problem, trace = pets()
    shown = numbers.frame(problem, trace, 2, by=ORDERS[2])
    assert shown.rival is not None

    def violation(y: Any) -> float:
        loss = Pairwise().value(TRUTH, y)
        return loss - float(pair_vector(K) @ (together(TRUTH) - together(y)))

    best = max(all_partitions(5), key=violation)
    assert shown.rival.violation == pytest.approx(violation(best))
    assert violation(shown.shown.labels) == pytest.approx(violation(best))
    assert numbers.frame(problem, trace, 2, phase=1).by == ORDERS[2]


def test_clusters_follow_the_truth_and_items_keep_their_order() -> None:
    problem, trace = pets()
    shown = numbers.frame(problem, trace, 2, by=ORDERS[1])
    assert shown.order.items.tolist() == [0, 1, 2, 3, 4]
    assert shown.order.begins.tolist() == [0, 3]
    rng = np.random.default_rng(3)
    for _ in range(30):
        truth, labels = rng.integers(0, 3, 9), rng.integers(0, 4, 9)
        truth, labels = np.unique(truth, return_inverse=True)[1], np.unique(labels, return_inverse=True)[1]
        order = numbers.order_of(labels, truth)
        assert sorted(order.items.tolist()) == list(range(9))
        for number, a, b, best in zip(order.clusters, order.begins, order.ends, order.best, strict=True):
            members = order.items[a:b]
            assert set(labels[members]) == {number}
            counts = np.bincount(truth[members], minlength=3)
            assert counts[best] == counts.max()
        assert (np.diff(order.best) >= 0).all()
        assert len(set(order.hues.tolist())) == len(order.hues)


def test_one_item_that_changes_its_cluster_moves_one_row() -> None:
    truth = np.repeat([0, 1, 2], 4)
    moved = truth.copy()
    moved[1] = 2
    rest = lambda labels: [i for i in numbers.order_of(labels, truth).items.tolist() if i != 1]  # noqa: E731
    assert rest(truth) == rest(moved)


def test_the_agreement_counts_every_item_once() -> None:
    problem, trace = pets()
    shown = numbers.frame(problem, trace, 2)
    table = numbers.agreement(shown)
    assert table.sum() == 5
    for a in range(2):
        for c, number in enumerate(shown.order.clusters):
            assert table[a, c] == np.count_nonzero((a == TRUTH) & (shown.shown.labels == number))


def test_the_matrix_with_the_loss_differs_by_100_over_the_pairs() -> None:
    problem, trace = pets()
    shown = numbers.frame(problem, trace, 2)
    found = numbers.with_loss(shown)
    assert found is not None
    for i, j in combinations(range(5), 2):
        assert found[1][i, j] == pytest.approx(-10.0 if TRUTH[i] == TRUTH[j] else 10.0)
    np.testing.assert_allclose(found[0], K + found[1])
    other, trace = pets(delta=Mitre())
    assert numbers.with_loss(numbers.frame(other, trace, 2)) is None


def test_the_parts_of_a_pair_add_up_to_its_similarity() -> None:
    rng = np.random.default_rng(1)
    x = item_set(
        5, nodes=rng.normal(size=(5, 2)), relations=[[(0, 1), (2, 4)]], pairs=rng.normal(size=(10, 2))
    )
    for problem in (
        Clustering(Dataset("mixed", (x,), (TRUTH,))),
        Clustering(Dataset("m", (x,), (TRUTH,)), "k-means"),
    ):
        w = rng.normal(size=problem.dim)
        shown = numbers.frame(problem, trace_of(problem, w), 0)
        raw = similarity(x, w)
        for i, j in combinations(range(5), 2):
            assert float(w @ numbers.psi(x, i, j)) == pytest.approx(raw[i, j])
            assert sum(part for _, part in numbers.contributions(shown, i, j, 99)) == pytest.approx(
                shown.K[i, j]
            )
        assert numbers.contributions(shown, 2, 2) == []


def test_the_first_trained_similarity_is_the_one_before() -> None:
    problem, trace = pets()
    step, before = numbers.earlier(numbers.frame(problem, trace, 2), trace) or (-1, np.zeros(0))
    assert step == 1  # at step 0 all weights are 0
    np.testing.assert_allclose(before, 0.5 * K + 0.25 * (1 - np.eye(5)))
    untrained = trace_of(problem, [0.0, 0.0])
    assert numbers.earlier(numbers.frame(problem, untrained, 0), untrained) is None


def test_means_within_and_without_are_those_of_a_hand_count() -> None:
    problem, trace = pets()
    within, without = numbers.means(numbers.frame(problem, trace, 2, by=ORDERS[1]))
    assert within[0] == pytest.approx((2 - 1) / 2)  # ant with bee and cat
    assert without[0] == pytest.approx((-3 + 1) / 2)
    alone = numbers.frame(problem, trace_of(problem, [-1.0, -10.0]), 0)
    assert alone.guess.count == 5
    assert np.isnan(numbers.means(alone)[0]).all()


def test_a_large_matrix_is_drawn_as_means_over_blocks() -> None:
    rng = np.random.default_rng(0)
    m = 2 * MOST_CELLS
    matrix, items = rng.normal(size=(m, m)), rng.permutation(m)
    cells = block_means(matrix, items)
    assert cells.shape == (MOST_CELLS, MOST_CELLS)
    for a, b in ((0, 0), (3, 7), (MOST_CELLS - 1, 5)):
        block = matrix[np.ix_(items[2 * a : 2 * a + 2], items[2 * b : 2 * b + 2])]
        assert cells[a, b] == pytest.approx(block.mean())


# relaxed answers --------------------------------------------------------------------------------------------


def test_a_relaxed_correlation_clustering_shows_its_shares() -> None:
    star = figure_set("star")
    problem = Clustering(
        star, normalise=False, separator=TriangleRelaxation(), predictor=TriangleRelaxation()
    )
    shown = numbers.frame(problem, trace_of(problem, [1.0, 0.0]), 0)
    assert shown.shown.shares is not None
    shares = shown.matrix
    np.testing.assert_allclose(pair_vector(shares) @ pair_vector(shown.K), 1.5, atol=1e-6)  # three halves
    assert shown.shown.open == 3
    assert "relaxed: 3 of 6 pairs are neither together nor apart" in words.sentence(shown)
    assert "share 0.5 in the prediction" in " ".join(words.pair_words(shown, 0, 1))


def test_a_relaxed_k_means_clustering_shows_what_items_share() -> None:
    problem, trace = drawn_set(
        9, model="k-means", delta=Normalised(), separator=Spectral(), predictor=Spectral()
    )
    shown = numbers.frame(problem, trace, 0)
    Y = np.asarray(problem.predict(trace.at(0).w, problem.dataset.inputs[0])).reshape(9, -1)
    assert shown.shown.shares is not None
    np.testing.assert_allclose(shown.matrix, Y @ Y.T)
    assert "Y Y'" in words.sentence(shown)


# map and tree -----------------------------------------------------------------------------------------------


def test_the_map_has_the_products_of_a_similarity_of_rank_two() -> None:
    rng = np.random.default_rng(2)
    points = rng.normal(size=(8, 2))
    found = embed(points @ points.T)
    np.testing.assert_allclose(found @ found.T, points @ points.T, atol=1e-9)
    np.testing.assert_allclose(embed(points @ points.T + 1e-9), found, atol=1e-6)
    given = item_set(5, pairs=np.ones((10, 1)), place=np.arange(10.0).reshape(5, 2))
    problem = Clustering(Dataset("placed", (given,), (TRUTH,)))
    np.testing.assert_allclose(places(numbers.frame(problem, Trace(), 0)), np.arange(10.0).reshape(5, 2))


def test_the_tree_joins_the_most_similar_first_and_is_cut_into_the_clusters() -> None:
    problem, trace = pets()
    shown = numbers.frame(problem, trace, 2)
    made = tree(shown)
    assert made is not None
    assert made.y.max() == pytest.approx(4.0)  # bee and cat are the most similar: they join at the top
    assert sorted(made.leaves.tolist()) == list(range(5))
    joined = made.y[:, 1]
    assert np.count_nonzero(joined < made.cut) == shown.guess.count - 1


def test_a_single_link_problem_has_its_own_tree_and_partitions() -> None:
    base, _ = pets()
    problem = SingleLink(base.dataset)
    shown = numbers.frame(problem, trace_of(problem, [1.0, 0.0]), 0)
    assert np.array_equal(shown.truth, TRUTH)
    made = tree(shown)
    assert made is not None
    assert made.single
    heights = sorted(np.round(made.y[:, 1], 9).tolist(), reverse=True)
    assert heights == [4.0, 3.0, 2.0, 1.0]  # bee cat, dog elk, ant bee, ant elk: none is below 0
    assert shown.guess.count == 1
    assert numbers.with_loss(shown) is None


# words ------------------------------------------------------------------------------------------------------


def test_the_sentence_tells_clusters_loss_and_what_they_pay() -> None:
    problem, trace = pets()
    shown = numbers.frame(problem, trace, 2)
    text = words.sentence(shown)
    assert text.startswith(f"Example 0: {shown.guess.count} clusters predicted, 2 true; pairwise loss ")
    assert f"{shown.split} pair" in text
    assert "Nothing trained yet" in words.sentence(numbers.frame(problem, Trace(), 0))
    with_truth = words.sentence(numbers.frame(problem, trace, 2, by=ORDERS[1]))
    assert "the truth has 1 pair with positive similarity split, 1 negative one joined" in with_truth


def test_a_pair_is_told_with_its_names_sides_and_features() -> None:
    problem, trace = pets()
    shown = numbers.frame(problem, trace, 1)
    lines = words.pair_words(shown, 0, 1)
    assert lines[0] == "ant and bee: similarity 1.25"
    assert lines[1].startswith("together in the truth, ")
    assert lines[2] == "alike +1; constant +0.25"


def test_names_from_outside_are_escaped() -> None:
    x = item_set(2, pairs=np.ones((1, 1)), names=("<b>", "&"))
    problem = Clustering(Dataset("odd", (x,), (np.array([0, 1]),), {"features": ("<i>",)}))
    text = words.panel(numbers.frame(problem, trace_of(problem, [1.0]), 0), 0, (0, 1))
    assert "&lt;b&gt;" in text
    assert "<i>" not in text
    assert "<b>" not in text.replace("<p><b>", "<p>")


def test_the_table_has_a_row_for_each_item() -> None:
    problem, trace = pets()
    columns = words.table(numbers.frame(problem, trace, 2, by=ORDERS[1]))
    assert columns["item"] == list(NAMES)
    assert columns["true cluster"] == ["A", "A", "A", "B", "B"]
    assert columns["mean similarity within"][3] == pytest.approx(3.0)


# the view ---------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:Both 'variant' and 'button_style':PendingDeprecationWarning")
def test_clusterings_have_the_similarity_as_their_structure_view() -> None:
    problem, trace = pets()
    assert structure_of(problem) is Similarity
    assert structure_of(SingleLink(problem.dataset)) is Similarity
    session = session_of(problem, trace)
    studio = Studio(session=session)
    assert Similarity in studio.kinds
    session.close()


@pytest.fixture
def shown() -> Any:
    problem, trace = pets()
    session = session_of(problem, trace)
    yield Similarity(session)
    session.close()


def image_of(view: Similarity) -> Any:
    limit = view.main.scale.data["limit"][0]
    return np.asarray(view.main.image.data["image"][0]) * limit / FULL


def test_the_image_is_the_similarity_in_the_order_of_the_clustering(shown: Similarity) -> None:
    frame = shown.shown
    order = frame.order.items
    np.testing.assert_allclose(image_of(shown), K[np.ix_(order, order)], atol=4.0 / FULL)
    assert shown.main.names.data["name"] == [NAMES[i] for i in order]


def test_only_a_new_order_moves_items_and_never_while_training_flat_out(shown: Similarity) -> None:
    before = shown.main._before[1].copy()
    shown.by = ORDERS[1]
    old = np.asarray(shown.main.image.data["before"][0])
    expected = before[shown.shown.order.items]
    assert len(old) == (0 if np.array_equal(expected, np.arange(5)) else 5)
    if len(old):
        np.testing.assert_array_equal(old, expected)
    shown.session.status = "running"
    shown._took = 0.0
    shown.by = ORDERS[0]
    assert len(shown.main.image.data["before"][0]) == 0


@pytest.mark.parametrize("beside", BESIDE)
def test_every_picture_beside_the_matrix_is_drawn_alone(shown: Similarity, beside: str) -> None:
    shown.beside = beside
    visible = [picture for picture in shown.pictures[1:] if picture.plot.visible]
    assert len(visible) == 1
    expected = {LOSS: shown.other, BEFORE: shown.other, MAP: shown.map, TREE: shown.tree}.get(
        beside, shown.agreement
    )
    assert visible[0] is expected
    if beside == LOSS:
        assert "±10 a pair" in shown.other.plot.title.text


def test_pointing_explains_a_pair_and_a_click_pins_an_item(shown: Similarity) -> None:
    order = shown.shown.order.items
    shown.main.asked.data = {"row": [0], "column": [1]}
    a, b = NAMES[order[0]], NAMES[order[1]]
    assert f"{a} and {b}: similarity" in shown.about.object
    shown._pin(shown._item_at(2.4))
    assert shown.pinned == order[2]
    assert f"Pinned: {NAMES[order[2]]}" in shown.about.object
    assert 2.5 in shown.main.pin.data["y"]
    shown._pin(int(order[2]))
    assert shown.pinned is None
    shown.main.asked.data = {"row": [-1], "column": [-1]}
    assert "Point at a cell" in shown.about.object


def test_another_example_lets_go_of_the_pinned_item(shown: Similarity) -> None:
    shown.pinned = 1
    shown.session.example = 1
    assert shown.pinned is None
    np.testing.assert_allclose(shown.shown.K, -K)


def test_a_loss_that_does_not_fold_is_said_and_the_agreement_shown() -> None:
    problem, trace = pets(delta=Mitre())
    session = session_of(problem, trace)
    view = Similarity(session, beside=LOSS)
    assert view.agreement.plot.visible
    assert "does not fold" in view.about.object
    session.close()


@pytest.mark.parametrize("theme", [DARK, PROJECTOR])
def test_another_theme_recolours_all_pictures(shown: Similarity, theme: Any) -> None:
    shown.theme = theme
    assert shown.main.mapper.palette[0] == theme.low
    assert shown.main.outlines.glyph.line_color == theme.text
    assert shown.agreement.counts.glyph.text_color == theme.text


def test_300_items_are_one_picture_of_two_bytes_a_pair() -> None:
    problem, _ = drawn_set(300, separator=GreedyMerges(), predictor=GreedyMerges())
    session = session_of(problem, trace_of(problem, np.array([1.0, 0.0])))
    view = Similarity(session)
    assert view.main.image.data["image"][0].nbytes == 2 * 300 * 300
    session.close()


def test_answers_are_remembered_step_by_step() -> None:
    problem, trace = pets()
    memory = Memory(numbers.REMEMBERED, numbers.nbytes)
    first = numbers.frame(problem, trace, 2, memory=memory)
    numbers.frame(problem, trace, 1, memory=memory)
    assert numbers.frame(problem, trace, 2, memory=memory).K is first.K
    assert memory.used == 2 * K.nbytes
