"""What the other views say of a clustering: its weights beside a classifier of pairs, its cuts and examples
in words.
"""

from typing import Any

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from explorer.dashboards.studio.stage import kinds_of
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Dataset
from explorer.engine.events import Bounds, Cut, Started, Step
from explorer.engine.learners import by_name
from explorer.engine.runs.streams import Until, train
from explorer.engine.runs.trace import Trace, recorded
from explorer.engine.structures.clusterings.item_sets import item_set, pair_rows
from explorer.engine.structures.clusterings.losses import Normalised
from explorer.engine.structures.clusterings.oracles import GreedyMerges, Spectral, TriangleRelaxation
from explorer.engine.structures.clusterings.partitions import together
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.structures.clusterings.single_link import SingleLink
from explorer.session.state import Session
from explorer.views import structure_of
from explorer.views.examples import frame as examples_frame
from explorer.views.inspector.view import Inspector
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.words.label_words import cluster_text, pairs_apart
from explorer.views.kit.words.weight_names import word_of
from explorer.views.similarity.depiction import CLUSTERINGS
from explorer.views.weights import frame as weights_frame
from explorer.views.weights.rival import compare, rival_of, sets_to_train, train_rival
from explorer.views.weights.view import Weights
from explorer.views.working_set.rows import labelling_text as cut_words

FEATURES = ("cosine", "length", "date")


def sets(m: int = 5, n: int = 2, seed: int = 0, named: bool = True) -> Dataset:
    rng = np.random.default_rng(seed)
    truth = np.arange(m) % 2
    same = together(truth)[:, None]
    rows = [
        np.hstack([4 * same - 2, np.zeros((len(same), 2))]) + rng.normal(size=(len(same), 3))
        for _ in range(n)
    ]
    names = tuple("abcdefghijklmnopqrstuvwxyz"[:m]) if named else ()
    inputs = tuple(item_set(m, pairs=part, names=names) for part in rows)
    return Dataset("sets", inputs, (truth,) * n, {"features": FEATURES})


def trace_of(problem: Any, *steps: Any) -> Trace:
    trace = Trace()
    trace.append(Started(problem.name, "Subgradient", problem.n, problem.dim, 0, True, {"C": 1.0}))
    for k, w in enumerate(steps):
        trace.append(Step(k, np.asarray(w, dtype=float), bounds=Bounds(1.0)))
    return trace


# weights ----------------------------------------------------------------------------------------------------


def test_pair_weights_have_the_names_of_the_data() -> None:
    problem = Clustering(sets())
    parts = CLUSTERINGS.weights(problem)
    assert [word_of(parts, j) for j in range(3)] == list(FEATURES)


def test_unnamed_weights_of_several_groups_are_told_apart() -> None:
    rng = np.random.default_rng(0)
    x = item_set(4, nodes=rng.normal(size=(4, 2)), relations=[[(0, 1)]], pairs=rng.normal(size=(6, 1)))
    parts = CLUSTERINGS.weights(Clustering(Dataset("mixed", (x,), (np.array([0, 0, 1, 1]),))))
    words = [word_of(parts, j) for j in range(6)]
    assert words[0] == "feature 1 (items)"
    assert words[2] == "feature 1 (relation 1)"
    assert words[5] == "feature 1 (pairs)"
    assert len(set(words)) == 6


@pytest.mark.spec("C50")
def test_learned_weights_stand_beside_a_classifier_of_pairs_at_unit_length() -> None:
    problem = Clustering(sets(8, 3), separator=GreedyMerges(), predictor=GreedyMerges())
    rows = np.concatenate([pair_rows(x) for x in problem.dataset.inputs])
    same = np.concatenate([together(y) for y in problem.dataset.labels])
    peer = LinearSVC(C=100.0 / (2 * len(same)), fit_intercept=False, dual=False, tol=1e-8, max_iter=100_000)
    v = peer.fit(rows, np.where(same > 0.5, 1, -1)).coef_.ravel()
    w = np.array([3.0, -4.0, 0.0])
    shown = compare(CLUSTERINGS.weights(problem), w, train_rival(problem))
    assert shown is not None
    assert shown.cosine == pytest.approx(float(w @ v) / (5.0 * np.linalg.norm(v)), abs=1e-3)
    assert shown.agree == np.count_nonzero(np.sign(w) * np.sign(v) > 0)
    assert shown.total == 3
    at = dict(zip(shown.names, zip(shown.mine, shown.theirs, strict=True), strict=True))
    assert at["length"][0] == pytest.approx(-0.8)
    assert at["cosine"][1] == pytest.approx(v[0] / np.linalg.norm(v), abs=1e-3)


def test_the_view_draws_both_and_says_cosine_and_signs() -> None:
    problem = Clustering(sets())
    session = Session(Recipe.of(problem))
    session.replay(trace_of(problem, [0.0, 0.0, 0.0], [1.0, 0.5, -0.1]))
    view = Weights(session, table_open=True)
    assert view.paired.plot.visible
    assert not view.bars.plot.visible
    assert set(view.paired.texts.data["name"]) == set(FEATURES)
    assert "With a classifier of pairs: cosine 0." in view.words.object
    assert "3 signs agree" in view.words.object
    assert "classifier of pairs" in view.data.object
    session.cursor = 0  # no weights yet: the classifier's alone, and as long a table
    assert "0 of 3 signs agree" in view.words.object
    view.part = "changes"
    assert not view.paired.plot.visible
    session.close()


def test_the_classifier_is_made_once_per_problem() -> None:
    problem = Clustering(sets())
    assert rival_of(problem) is rival_of(problem)
    assert rival_of(problem).result(30).sets == 2


def test_only_as_many_sets_as_fit_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Clustering(sets(5, 6))
    monkeypatch.setattr("explorer.views.weights.rival.MOST_ENTRIES", 100)
    assert len(sets_to_train(problem)) == 3  # ten pairs of three features make 30 entries a set
    shown = compare(CLUSTERINGS.weights(problem), np.ones(3), train_rival(problem))
    assert shown is not None
    assert shown.note == "the classifier saw 3 of 6 sets"


def test_pairs_of_one_kind_have_no_classifier_and_say_so() -> None:
    data = sets()
    alone = Dataset("alone", data.inputs, (np.arange(5), np.arange(5)), data.meta)
    problem = Clustering(alone)
    shown = weights_frame.frame(problem, trace_of(problem, [1.0, 0.0, 0.0]), 0, rival=train_rival(problem))
    assert "all 20 pairs are negative" in weights_frame.sentence(shown)


# words ------------------------------------------------------------------------------------------------------


def test_a_clustering_is_told_by_its_members_or_by_its_sizes() -> None:
    problem = Clustering(sets())
    assert depiction_of(problem).label_text(problem, np.array([0, 0, 1, 1, 1]), 0) == "a b / c d e"
    assert depiction_of(problem).label_text(problem, np.array([0, 0, 1, 1, 1])) == "0 1 / 2 3 4"
    assert cluster_text(np.repeat([0, 1, 2], [30, 5, 1])) == "3 clusters of 30 5 1"
    assert cluster_text(np.array([-1, 0, -1, 2, 3])) == "0 1 / 2 3 4"  # links, as single link gives them
    assert cluster_text(np.array([0.5, 0.5, 1.0])) == "(relaxed)"
    assert depiction_of(problem).part(problem) == "item"


def test_a_cut_says_how_many_pairs_it_treats_unlike_the_truth() -> None:
    problem = Clustering(sets())
    truth = problem.dataset.labels[0]  # a c e / b d
    assert cut_words(problem, Cut(0, truth, np.zeros(3), 0.0)) == "a c e / b d, the truth"
    other = np.array([0, 0, 1, 1, 1])  # ab, cd, ce, de together; truly ac, ae, ce, bd are
    assert cut_words(problem, Cut(0, other, np.zeros(3), 60.0)) == "a b / c d e (6 of 10 pairs differ)"
    shares = np.array([0.5, 1.0, 0.0, 0.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert cut_words(problem, Cut(0, shares, np.zeros(3), 60.0)) == "(relaxed: 2 of 10 pairs open)"
    assert pairs_apart(np.zeros(8), np.arange(4)) == "Y with orthonormal columns"


def test_examples_are_told_in_clusters_and_no_states_are_confused() -> None:
    problem = Clustering(sets())
    shown = examples_frame.frame(problem, trace_of(problem, [1.0, 0.0, 0.0]), 0)
    assert shown is not None
    assert "a c e / b d" in shown.truth
    assert shown.confusion.size == 0
    assert shown.part == "item"


# every view -------------------------------------------------------------------------------------------------


def relaxed_k_means() -> Clustering:
    return Clustering(sets(6), "k-means", delta=Normalised(), separator=Spectral(), predictor=Spectral())


MADE = {
    "exact": lambda: Clustering(sets()),
    "relaxed pairs": lambda: Clustering(
        sets(), separator=TriangleRelaxation(), predictor=TriangleRelaxation()
    ),
    "relaxed Y": relaxed_k_means,
    "single link": lambda: SingleLink(sets()),
}


@pytest.mark.parametrize(
    ("kind", "learner"),
    [("exact", "sgd"), ("relaxed pairs", "n-slack"), ("relaxed Y", "one-slack"), ("single link", "n-slack")],
)
def test_every_view_shows_a_clustering_run(kind: str, learner: str) -> None:
    problem = MADE[kind]()
    trace = Trace()
    for _ in recorded(train(problem, by_name(learner)(), rule=Until(steps=3)), trace):
        pass
    session = Session(Recipe.of(problem))
    session.choices.learner = learner
    session.replay(trace)
    for view in (*kinds_of(problem), Inspector):
        made = view(session, table_open=True)
        for phase in (1, 2, 3, 0) if view in (structure_of(problem), Inspector) else ():
            session.phase = phase
        assert made.words.object.startswith("<p"), view
        made.close()
    session.close()
