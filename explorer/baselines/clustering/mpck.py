"""MPCK-means: clusters, links that may be broken at a price, and a metric per cluster, learned in turns.

    J = sum_i ( |x_i - mu_h|^2_{A_h} - log det A_h ),  h = l_i
      + price * sum over must-links with l_i != l_j of
          (|x_i - x_j|^2_{A_{l_i}} + |x_i - x_j|^2_{A_{l_j}}) / 2
      + price * sum over cannot-links with l_i = l_j = h of  (R_h - |x_i - x_j|^2_{A_h})
      + prior * v * sum_h trace A_h

Bilenko, Basu and Mooney (ICML 2004). R_h is the largest squared distance of any two items under A_h; v is the
mean variance of the features. The last term is ours: without it a cluster of one item sends J to minus
infinity. In turns: each item moves to its best cluster given all others (random order), centres become means,
and A_h becomes n_h (scatter + prior v I)^-1, where the scatter counts broken links too. The pair behind R_h
changes with A_h, so a new A_h is taken only if J does not rise: J never rises. Cost of a turn: m k F + links
for the items, m^2 F per cluster for R_h.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from explorer.baselines.clustering._arrays import clusters, nodes
from explorer.baselines.clustering._links import Links, closure
from explorer.baselines.clustering._lloyd import means, starts, to_centres
from explorer.baselines.clustering._outcome import ClusteringOutcome, by_first_appearance, squared_distances
from explorer.engine.knobs import knob, settings
from explorer.engine.vectors import Array, Ints


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    """Labels, centres and metrics, with squared distances of all pairs under every metric."""

    labels: Ints
    centres: Array
    A: Array
    D: Array


@final
@settings
class MPCK:
    """k-means with priced links and learned metrics."""

    title: ClassVar[str] = "MPCK-means"
    help: ClassVar[str] = (
        "Clusters under links that may be broken at a price, and learns a metric for every cluster."
    )
    kind: ClassVar[str] = "links"
    paper: ClassVar[str] = "Bilenko, Basu and Mooney 2004"

    price: float = knob(1.0, "Price of a broken link, per squared distance.", low=0.0, high=1e6, log=True)
    form: str = knob("full", "Full metrics, or weights of single features.", choices=("full", "diagonal"))
    prior: float = knob(1.0, "Weight of the term that keeps metrics finite.", low=1e-9, high=1e6, log=True)
    restarts: int = knob(5, "Starts; the lowest objective is kept.", low=1, high=1000)
    turns: int = knob(100, "Most turns per start.", low=1, high=10**5, log=True)

    def cluster(
        self, X: Any, k: int, rng: np.random.Generator, must: Any = (), cannot: Any = ()
    ) -> ClusteringOutcome:
        """Clusters and metrics (k, F, F); the objective never rises from turn to turn."""
        rows = nodes(X)
        clusters(k, len(rows))
        links = closure(len(rows), must, cannot)
        runs = [self._run(rows, links, k, rng) for _ in range(self.restarts)]
        return min(runs, key=lambda run: float(run.trace[-1]))

    def _run(self, rows: Array, links: Links, k: int, rng: np.random.Generator) -> ClusteringOutcome:
        centres = starts(rows, links, k, rng)
        A = np.stack([np.eye(rows.shape[1])] * k)
        near = np.argmin(to_centres(rows, centres), axis=1).astype(np.int64)
        state = _State(near, centres, A, np.stack([squared_distances(rows, a) for a in A]))
        trace = [self.objective(rows, links, state)]
        for _ in range(self.turns):
            before = state.labels
            labels = self._assign(rows, links, state, rng)
            state = _State(labels, means(rows, labels, state.centres), state.A, state.D)
            state = self._metrics(rows, links, state)
            trace.append(self.objective(rows, links, state))
            if np.array_equal(labels, before) and trace[-2] - trace[-1] <= 1e-9 * max(1.0, abs(trace[-1])):
                break
        broken = links.broken_pairs(state.labels)
        return by_first_appearance(state.labels, state.centres, trace, state.A, broken)

    def objective(self, X: Array, links: Links, state: _State) -> float:
        """J."""
        return sum(self._part(X, links, state, h, state.A[h], state.D[h]) for h in range(len(state.A)))

    def _part(self, X: Array, links: Links, state: _State, h: int, A: Array, D: Array) -> float:
        """What cluster h adds to J with the metric A: all terms that hold A_h."""
        inside = X[state.labels == h] - state.centres[h]
        own = float(np.sum((inside @ A) * inside)) - len(inside) * float(np.linalg.slogdet(A)[1])
        split, joined = _broken(links, state.labels, h)
        priced = 0.5 * float(D[split[:, 0], split[:, 1]].sum())
        priced += len(joined) * float(D.max()) - float(D[joined[:, 0], joined[:, 1]].sum())
        return own + self.price * priced + self._shrink(X) * float(np.trace(A))

    def _shrink(self, X: Array) -> float:
        return self.prior * max(float(X.var(axis=0).mean()), 1e-12)

    def _assign(self, X: Array, links: Links, state: _State, rng: np.random.Generator) -> Ints:
        """One sweep in random order; every item takes its best cluster given all others, or stays."""
        labels, numbers = state.labels.copy(), np.arange(len(state.A))
        logdet = np.linalg.slogdet(state.A)[1]
        reach = state.D.max(axis=(1, 2))
        friends, foes = _partners(links.must, len(X)), _partners(links.cannot, len(X))
        for i in rng.permutation(len(X)).tolist():
            away = X[i] - state.centres
            cost = np.einsum("hf,hfg,hg->h", away, state.A, away) - logdet
            for j in friends[i]:
                both = 0.5 * (state.D[:, i, j] + state.D[labels[j], i, j])
                cost += self.price * np.where(numbers == labels[j], 0.0, both)
            for j in foes[i]:
                h = labels[j]
                cost[h] += self.price * (reach[h] - state.D[h, i, j])
            best = int(np.argmin(cost))
            labels[i] = best if cost[best] < cost[labels[i]] else labels[i]
        return labels

    def _metrics(self, X: Array, links: Links, state: _State) -> _State:
        """Every cluster's own best metric for fixed labels, taken only where J does not rise."""
        A, D = state.A.copy(), state.D.copy()
        for h in range(len(A)):
            trial = self._metric(X, links, state, h)
            if trial is None:
                continue
            pairs = squared_distances(X, trial)
            if self._part(X, links, state, h, trial, pairs) <= self._part(X, links, state, h, A[h], D[h]):
                A[h], D[h] = trial, pairs
        return _State(state.labels, state.centres, A, D)

    def _metric(self, X: Array, links: Links, state: _State, h: int) -> Array | None:
        """n_h (scatter + prior)^-1, or None when broken cannot-links make the scatter indefinite."""
        inside = X[state.labels == h] - state.centres[h]
        if len(inside) == 0:
            return None
        split, joined = _broken(links, state.labels, h)
        i, j = np.unravel_index(int(np.argmax(state.D[h])), state.D[h].shape)
        apart, close = X[split[:, 0]] - X[split[:, 1]], X[joined[:, 0]] - X[joined[:, 1]]
        widest = np.outer(X[i] - X[j], X[i] - X[j])
        scatter = inside.T @ inside + self._shrink(X) * np.eye(X.shape[1])
        scatter += self.price * (0.5 * apart.T @ apart + len(joined) * widest - close.T @ close)
        scatter = np.diag(np.diag(scatter)) if self.form == "diagonal" else scatter
        values, vectors = np.linalg.eigh(scatter)
        if values[0] <= 1e-12 * values[-1]:
            return None
        return np.asarray(len(inside) * (vectors / values) @ vectors.T)


def _broken(links: Links, labels: Ints, h: int) -> tuple[Ints, Ints]:
    """Ends of broken must-links in h, one row per end, and broken cannot-links inside h."""
    a, b = labels[links.must[:, 0]], labels[links.must[:, 1]]
    split = np.concatenate([links.must[(a != b) & (a == h)], links.must[(a != b) & (b == h)]])
    c, d = labels[links.cannot[:, 0]], labels[links.cannot[:, 1]]
    return split, links.cannot[(c == h) & (d == h)]


def _partners(pairs: Ints, m: int) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in range(m)]
    for a, b in pairs.tolist():
        found[a].append(b)
        found[b].append(a)
    return found
