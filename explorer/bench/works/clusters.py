"""Clusterers on the same similarities: a planted clustering, +1 within and -1 across, under noise; and noise
alone.

    planted   K_ij = 2 [same cluster] - 1 + 2 z_ij,   clusters of 25 items, z standard normal
    noise     K_ij = z_ij

Beside ours: scikit-learn's agglomerative clustering with average links on the distance max K - K, which stops
where the mean similarity of two clusters falls to 0, and its spectral clustering on K - min K, told the
number of clusters. The referee computes for all, from its own formulas: `pairs`, the sum of K over pairs
together; `means`, the sum over clusters of their sum of K over their size, which compares clusterings into
the same number of clusters only; and `wrong`, the share of pairs that are not as planted. Oracles are asked
for the most violated clustering where their name says so. Bars: greedy merges at 200 items below 5 ms, the
spectral oracle at 500 below 0.5 s, the triangle relaxation at 60 items, planted or noise, below 1 s.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from explorer.bench.peers import import_peer
from explorer.bench.work import Clock, Outcome, Record, Verdict, Work
from explorer.engine.structures.clusterings.losses import Normalised, Pairwise
from explorer.engine.structures.clusterings.oracles import (
    Discrete,
    GreedyMerges,
    Iterative,
    Spectral,
    TriangleRelaxation,
)
from explorer.engine.structures.clusterings.partitions import is_relaxed
from explorer.engine.structures.clusterings.question import ClusterOracle, Question

NOISE, SIZE = 2.0, 25
"""Of the similarity, and items of a planted cluster."""

LARGE, SMALL = ("planted 200", "planted 500", "planted 1000"), ("planted 60", "noise 60")
SEEDS = (0, 1, 2)
"""Draws of the small matrices: how long a linear program takes depends much on the draw, and the slowest
counts.
"""

BARS = (
    ("greedy merges", "planted 200", 5.0),
    ("greedy merges, with loss", "planted 200", 5.0),
    ("spectral, with loss", "planted 500", 500.0),
    ("triangle relaxation", "planted 60", 1000.0),
    ("triangle relaxation", "noise 60", 1000.0),
)
"""Method, similarity, and the milliseconds that it must stay below."""


class Made(NamedTuple):
    """A similarity and the clustering that was planted into it, None where it is noise."""

    K: Any
    truth: Any
    groups: int


def make_similarity(name: str, seed: int = 0) -> Made:
    """The similarity of this name."""
    kind, m = name.split()[0], int(name.split()[1])
    rng = np.random.default_rng((seed, m))
    z = np.triu(rng.normal(size=(m, m)), 1)
    z, groups = z + z.T, max(1, m // SIZE)
    if kind == "noise":
        return Made(z, None, groups)
    truth = rng.permutation(np.arange(m) % groups)
    K = 2.0 * (truth[:, None] == truth) - 1.0 + NOISE * z
    np.fill_diagonal(K, 0.0)
    return Made(K, truth, groups)


def load(folder: Path | None) -> dict[str, list[Made]]:
    """All similarities by name; one draw of the large ones."""
    return {
        name: [make_similarity(name, seed) for seed in (SEEDS if name in SMALL else SEEDS[:1])]
        for name in (*LARGE, *SMALL)
    }


Answered = Callable[[Made], Any]


def ours(oracle: ClusterOracle, grouped: bool, with_loss: bool = False) -> Answered:
    """An oracle of ours, told the number of clusters or not."""

    def answer(one: Made) -> Any:
        loss = (Normalised() if grouped else Pairwise()) if with_loss else None
        question = Question(one.K, one.groups if grouped else None, one.truth if with_loss else None, loss)
        return oracle.solve(question).label

    return answer


def agglomerative(one: Made) -> Any:
    """scikit-learn's average links, cut where clusters stop being similar."""
    machine = import_peer("sklearn.cluster").AgglomerativeClustering
    top = float(one.K.max())
    fitted = machine(n_clusters=None, distance_threshold=top, metric="precomputed", linkage="average").fit(
        top - one.K
    )
    return fitted.labels_


def spectral(one: Made) -> Any:
    """scikit-learn's normalised cuts with k-means on the eigenvectors."""
    machine = import_peer("sklearn.cluster").SpectralClustering(
        one.groups, affinity="precomputed", random_state=0
    )
    return machine.fit(one.K - one.K.min()).labels_


def clusterer(
    answer: Answered, names: Sequence[str], calls: int = 5
) -> Callable[[dict[str, list[Made]]], Outcome]:
    """Milliseconds of processor time: the median of some calls on each draw, of the slowest draw; answers go
    to the referee.
    """

    def run(data: dict[str, list[Made]]) -> Outcome:
        answer(make_similarity("planted 50"))
        facts: Record = {}
        answers: dict[str, Any] = {}
        with Clock() as clock:
            for name in names:
                took = [[_timed(answer, one, answers, name) for _ in range(calls)] for one in data[name]]
                facts[f"{name} ms"] = 1000.0 * max(float(np.median(each)) for each in took)
        return Outcome(clock, answers=answers, facts=facts)

    return run


def _timed(answer: Answered, one: Made, answers: dict[str, Any], name: str) -> float:
    began = time.process_time()
    found = answer(one)
    spent = time.process_time() - began
    answers.setdefault(name, (one, found))
    return spent


def score(data: dict[str, list[Made]], outcome: Outcome) -> Record:
    """What the first draw's clusterings are worth, among the facts; relaxed answers are no clusterings."""
    for name, (one, labels) in outcome.answers.items():
        if not is_relaxed(labels):
            outcome.facts |= {f"{name} {key}": value for key, value in worth(one, labels).items()}
    return {}


def worth(one: Made, labels: Any) -> Record:
    """The sum over pairs, the sum over clusters of means, and the share of pairs that are not as planted."""
    same = labels[:, None] == labels
    within = np.where(same, one.K, 0.0)
    found = {"pairs": float(within.sum()) / 2.0, "means": float(np.sum(within / same.sum(axis=1)))}
    if one.truth is not None:
        apart = same != (one.truth[:, None] == one.truth)
        found["wrong"] = float(apart.sum() / (len(labels) * (len(labels) - 1)))
    return found


def judge(summary: Mapping[str, Record]) -> list[Verdict]:
    """The bars on time."""
    found = []
    for method, name, most in BARS:
        took = summary.get(method, {}).get("facts", {}).get(f"{name} ms")
        if took is not None:
            found.append(Verdict(f"{method}, {name}: below {most:g} ms", f"{took:.2f} ms", took < most))
    return found


WORK = Work(
    "clusters",
    "clusterers on planted similarities of 200 to 1,000 items, and a linear program on 60, planted and noise",
    load,
    {
        "greedy merges": clusterer(ours(GreedyMerges(), False), LARGE),
        "greedy merges, with loss": clusterer(ours(GreedyMerges(), False, True), LARGE),
        "scikit-learn agglomerative": clusterer(agglomerative, LARGE),
        "iterative k-means": clusterer(ours(Iterative(10), True), LARGE, 3),
        "spectral, with loss": clusterer(ours(Spectral(), True, True), LARGE, 3),
        "discrete spectral": clusterer(ours(Discrete(10), True), LARGE, 3),
        "scikit-learn spectral": clusterer(spectral, LARGE, 3),
        "triangle relaxation": clusterer(ours(TriangleRelaxation(), False), SMALL, 1),
    },
    score,
    judge,
    repeats=3,
)
