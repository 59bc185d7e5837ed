"""The menu of contrast methods, soft clusterings and dendrograms."""

import pkgutil
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest

import explorer.baselines.clustering as contrast
from explorer.baselines.clustering import CONTRAST, Linkage, Mixture
from explorer.baselines.clustering._arrays import renumber, square
from explorer.engine.knobs import knobs
from explorer.engine.refusals import Refused


def test_every_module_has_a_method_in_the_menu():
    modules = {name for _, name, _ in pkgutil.iter_modules(contrast.__path__) if not name.startswith("_")}
    assert {kind.__module__.rpartition(".")[2] for kind in CONTRAST} == modules


@pytest.mark.parametrize("kind", CONTRAST, ids=lambda kind: kind.__name__)
def test_every_method_has_a_title_a_kind_and_sentences(kind):
    assert kind.title
    assert kind.paper
    assert kind.kind in {"similarity", "selection", "clustering", "links", "metric"}
    assert kind.help.endswith(".")
    assert kind.__doc__.strip().endswith(".")
    assert all(setting.help.endswith(".") for _, _, setting in knobs(kind))
    assert kind() == kind()


def test_titles_are_unique():
    assert len({kind.title for kind in CONTRAST}) == len(CONTRAST)


def test_importing_the_methods_does_not_import_scikit_learn():
    seen = (
        "import sys, explorer.baselines.clustering; print(*sorted({'sklearn', 'cvxpy', 'scipy.optimize'} "
        "& set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", seen], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def merged_naively(K, join):
    """All merges by looking at every pair of clusters every time."""
    parts, at = [frozenset([i]) for i in range(len(K))], []
    while len(parts) > 1:
        pairs = [(a, b) for n, a in enumerate(parts) for b in parts[n + 1 :]]
        a, b = max(pairs, key=lambda p: join([K[i, j] for i in p[0] for j in p[1]]))
        at.append(join([K[i, j] for i in a for j in b]))
        parts = [c for c in parts if c not in (a, b)] + [a | b]
    return at


@pytest.mark.parametrize(("link", "join"), [("single", max), ("complete", min), ("average", np.mean)])
def test_a_dendrogram_merges_at_the_links_of_its_definition(link, join):
    K = square(np.random.default_rng(0).normal(size=28))
    assert Linkage(link=link).cluster(K).links == pytest.approx(merged_naively(K, join))


def test_single_link_cut_at_zero_is_what_hangs_together_by_similar_pairs():
    rng = np.random.default_rng(1)
    for _ in range(20):
        K = square(rng.normal(-1.0, 1.0, size=36))
        tree = Linkage(link="single").cluster(K)
        graph = nx.from_numpy_array(np.triu(K >= 0.0, 1).astype(float))
        expected = {frozenset(c) for c in nx.connected_components(graph)}
        y = tree.above(0.0)
        assert {frozenset(np.flatnonzero(y == c).tolist()) for c in set(y.tolist())} == expected
        assert [len(set(tree.into(k).tolist())) for k in range(1, 10)] == list(range(1, 10))


def test_shares_of_a_mixture_sum_to_one_and_separated_groups_are_found():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 15)
    X = rng.normal(size=(45, 2)) * 0.3 + np.array([[0, 0], [6, 0], [0, 6]])[y]
    soft = Mixture().cluster(X, 3, rng)
    assert np.allclose(soft.shares.sum(axis=1), 1.0)
    assert np.array_equal(soft.partition, renumber(y))


def test_an_item_between_two_groups_has_a_share_in_both():
    X = np.array([[-3.2], [-3.0], [-2.8], [0.0], [2.8], [3.0], [3.2]])
    shares = Mixture(covariance="tied").cluster(X, 2, np.random.default_rng(0)).shares
    assert shares[3].min() > 0.05
    assert np.all(shares[[0, 1, 2, 4, 5, 6]].max(axis=1) > 0.99)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda rng: Mixture().cluster(np.ones((2, 1)), 3, rng), "k is 3 but there are 2 items"),
        (lambda rng: Mixture().cluster(np.ones((3, 1)), 2, rng), "only 1 items differ"),
        (lambda rng: Linkage().cluster(np.zeros((1, 1))), "one item; give at least two"),
        (lambda rng: Linkage(link="ward"), "choose one of single, complete, average"),
        (lambda rng: Linkage().cluster(np.zeros((3, 3))).into(4), "k is 4 but there are 3 items"),
    ],
)
def test_bad_input_is_refused_with_the_place_and_the_fix(call, said):
    with pytest.raises(Refused, match=said):
        call(np.random.default_rng(0))
