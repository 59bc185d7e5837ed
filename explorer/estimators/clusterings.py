"""Clusterings of sets of items, as people made them: learn which items are alike.

    K_ij = w . psi_ij,      a clusterer then finds the partition that is worth most under K

"correlation" joins items whose similarities sum to more than 0 and finds the number of clusters itself,
"k-means" is told that number, "single link" joins what a chain of similar items connects (Finley 2009). The
problems are those of `structures.clusterings`. Cost of a pass: the similarities of all pairs, then the
clusterer for every set.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from explorer.engine.catalogue.clusterings import (
    FREE,
    FREE_LOSSES,
    KNOWN_LOSSES,
    NONNEGATIVE,
    CorrelationModel,
    KMeansModel,
    clusterers,
    correlation,
    k_means,
    single_link,
)
from explorer.engine.catalogue.oracle_names import oracle_named
from explorer.engine.catalogue.task import NOTHING_TO_SET, Parts, with_first
from explorer.engine.contracts import Dataset, Problem
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.item_sets import ItemSet, item_set, similarity
from explorer.engine.structures.clusterings.link_forests import partition_of
from explorer.engine.structures.clusterings.link_forests import single_link as linked
from explorer.engine.structures.clusterings.link_oracles import LINK_ORACLES
from explorer.engine.structures.clusterings.partitions import canonical, is_relaxed
from explorer.engine.structures.clusterings.question import Question
from explorer.engine.vectors import Array, Ints
from explorer.estimators.fitting import AUTO, pricing_of
from explorer.estimators.frames import table
from explorer.estimators.inputs import known_names
from explorer.estimators.metrics import adjusted_rand
from explorer.estimators.models import arrays_of
from explorer.estimators.structured import StructuredEstimator

CORRELATION, K_MEANS, SINGLE_LINK = "correlation", "k-means", "single link"
MODELS = (CORRELATION, K_MEANS, SINGLE_LINK)


@dataclass(eq=False, repr=False, kw_only=True)
class ItemClusterer(StructuredEstimator):
    """One partition for every set of items.

    X is a list of sets; a set is an (m, F) array of item features (a pair is described by the products of its
    items' features), an (m, m, G) array of pair features (of which i < j is used), a dict with `items`,
    `pairs` or `relations`, or an `ItemSet` of the engine. With `pair_features`, a function of two items that
    returns numbers, a set is any list. y is a list of clusterings: for every item of a set the name or number
    of its cluster.

    Parameters
    ----------
    {prices}
    model : "correlation", "k-means" or "single link".
    loss : "pairwise" (per cent of pairs treated differently), "mitre" (correlation, single link) or
        "normalised" (k-means); "auto": "pairwise", of k-means "normalised".
    normalise : divide the sum of features by the squared number of items (correlation). Off, as for files.
    nonnegative : allow no weight below 0 (correlation, k-means).
    n_clusters : how many clusters k-means makes of a new set; in training each set has as many as its truth.
    pair_features : a function of two items, for X as lists of items.
    oracle, predictor : clusterers in training and afterwards; "auto": greedy merges, iterative k-means, or
        link search.
    {shared}

    Attributes
    ----------
    weights_, widths_ (item features, relations, pair features), certificate_, trace_, n_iter_
    """

    model: str = CORRELATION
    loss: str = AUTO
    normalise: bool = False
    nonnegative: bool = False
    n_clusters: int | None = None
    pair_features: Callable[[Any, Any], Any] | None = None
    oracle: str = AUTO
    predictor: str = AUTO

    def _problem_for(self, X: Any, y: Any, classes: Any = None, keep: bool = False) -> Problem:
        inputs = self._sets(X)
        if len(inputs) != len(y):
            raise Refused(
                f"there are {len(inputs)} sets of items and {len(y)} clusterings; give one for each set"
            )
        if not keep:
            self.widths_: tuple[int, int, int] = inputs[0].widths
        for i, x in enumerate(inputs):
            self._check_widths(x, i)
        labels = [_numbers(x, labels, i) for i, (x, labels) in enumerate(zip(inputs, y, strict=True))]
        data, weights = (
            Dataset("item sets", tuple(inputs), tuple(labels)),
            NONNEGATIVE if self.nonnegative else FREE,
        )
        separator, predictor = self._oracle(self.oracle), self._oracle(self.predictor)
        common = self._loss(), pricing_of(self), separator, predictor
        if self.model == CORRELATION:
            return correlation(
                data, Parts(*common, CorrelationModel(weights, normalise=bool(self.normalise)))
            )
        if self.model == K_MEANS:
            return k_means(data, Parts(*common, KMeansModel(weights)))
        return single_link(data, Parts(*common, NOTHING_TO_SET))

    def _loss(self) -> Any:
        losses = KNOWN_LOSSES if self._checked_model() == K_MEANS else FREE_LOSSES
        name = next(iter(losses)) if self.loss == AUTO else self.loss
        if name not in losses:
            raise Refused(f"loss is {name!r}; {self.model} takes one of {', '.join(losses)}")
        return losses[name]

    def _checked_model(self) -> str:
        if self.model not in MODELS:
            raise Refused(f"model is {self.model!r}; choose one of {', '.join(MODELS)}")
        return self.model

    def _oracle(self, name: str) -> Any:
        """The clusterer of this name, or the one that the model begins with."""
        first = {CORRELATION: ("greedy merges", None), K_MEANS: ("iterative k-means", 2)}.get(
            self._checked_model()
        )
        kinds = LINK_ORACLES if first is None else with_first(first[0], clusterers(first[1]))
        return oracle_named(kinds[0].title if name == AUTO else name, kinds)

    def _sets(self, X: Any) -> list[ItemSet]:
        if isinstance(X, ItemSet) or not hasattr(X, "__len__") or len(X) == 0:
            raise Refused("X holds no sets of items; give a list of sets, also where there is only one")
        return [self._set(x, f"item set {i}") for i, x in enumerate(X)]

    def _set(self, x: Any, where: str) -> ItemSet:
        """One input as an item set of the engine."""
        if isinstance(x, ItemSet):
            return x
        if self.pair_features is not None:
            return item_set(len(x), pairs=_pair_rows(x, self.pair_features, where), where=where)
        if isinstance(x, Mapping):
            return _from_parts(x, where)
        if hasattr(x, "shape") and len(x.shape) == 3:
            m = x.shape[0]
            if x.shape[1] != m:
                raise Refused(f"{where} has pair features of shape {x.shape}; give (m, m, G)")
            return item_set(m, pairs=np.asarray(x)[np.triu_indices(m, 1)], where=where)
        rows = x if hasattr(x, "shape") else np.asarray(x)
        return item_set(rows.shape[0] if rows.ndim else 0, nodes=rows, where=where)

    def decision_function(self, X: Any) -> list[Array]:
        """The learned similarity of every two items, as (m, m) matrices with a diagonal of 0: correlation
        clustering and single link would rather have two items together where it is above 0.
        """
        check_is_fitted(self, "weights_")
        out = []
        for i, x in enumerate(self._sets(X)):
            self._check_widths(x, i)
            out.append(similarity(x, self.weights_))
            np.fill_diagonal(out[-1], 0.0)
        return out

    def _check_widths(self, x: ItemSet, i: int) -> None:
        if x.widths != self.widths_:
            raise Refused(
                f"item set {i} has {x.widths} features of items, relations and features of pairs; the "
                f"clusterer is trained on {self.widths_}"
            )

    def predict(self, X: Any) -> list[Ints]:
        """The cluster of every item of every set, numbered from 0 in the order of first sight."""
        if hasattr(X, "__len__") and len(X) == 0:
            return []
        return [self._clusters(K, x) for K, x in zip(self.decision_function(X), self._sets(X), strict=True)]

    def _clusters(self, K: Array, x: ItemSet) -> Ints:
        if self.model == SINGLE_LINK:
            return partition_of(linked(K))
        groups = self._count(x) if self.model == K_MEANS else None
        scale = 0.5 if self.model == K_MEANS else 1.0 / x.m**2 if self.normalise else 1.0
        question, clusterer = Question(K * scale, groups), self._oracle(self.predictor)
        reason = clusterer.refuses(question)
        if reason:
            raise Refused(reason)
        label = clusterer.solve(question).label
        if is_relaxed(label):
            raise Refused(
                f"{self.predictor} answers with shares, not with clusters; choose another predictor"
            )
        return canonical(label)

    def _count(self, x: ItemSet) -> int:
        groups = x.groups if self.n_clusters is None else self.n_clusters
        if groups is None:
            raise Refused("k-means must be told how many clusters to make; set n_clusters")
        return min(int(groups), x.m)

    def score(self, X: Any, y: Any) -> float:
        """The mean adjusted Rand index of the predictions."""
        return adjusted_rand([list(labels) for labels in y], self.predict(X))

    def weight_tables(self) -> list[dict[str, Any]]:
        """All weights: kind (items, relation 1, ..., pairs), feature, label, weight."""
        check_is_fitted(self, "weights_")
        own, relations, pairs = self.widths_
        sizes = {"items": own} | {f"relation {r + 1}": own + 1 for r in range(relations)} | {"pairs": pairs}
        parts, at = [], 0
        for kind, size in sizes.items():
            names = known_names(self, "features" if kind == "pairs" else kind, size)
            parts.append(table(kind, names, [""], self.weights_[at : at + size]))
            at += size
        return parts

    def _model(self) -> dict[str, Any]:
        """What a model file holds beside the parameters."""
        return {"weights": self.weights_, "widths": list(self.widths_)}

    def _restore(self, model: Mapping[str, Any]) -> None:
        widths = model["widths"]
        if not (
            isinstance(widths, list) and len(widths) == 3 and all(type(w) is int and w >= 0 for w in widths)
        ):
            raise Refused("this model has no widths of features; open a saved model")
        own, relations, pairs = widths
        (self.weights_,) = arrays_of(model, weights=(own + relations * (own + 1) + pairs,))
        self.widths_ = (own, relations, pairs)


def _pair_rows(items: Any, function: Callable[[Any, Any], Any], where: str) -> Array:
    """The features of all pairs i < j of a list of items."""
    rows = [np.atleast_1d(function(a, b)) for i, a in enumerate(items) for b in items[i + 1 :]]
    if not rows:
        raise Refused(f"{where} has fewer than two items; leave it out")
    return np.array(rows, dtype=float)


def _from_parts(x: Mapping[str, Any], where: str) -> ItemSet:
    known = {"items", "pairs", "relations", "n_clusters"}
    strange = sorted(set(x) - known)
    if strange or not ("items" in x or "pairs" in x):
        raise Refused(
            f"{where} is a dict with {strange or sorted(x)}; give `items` or `pairs`, and maybe `relations`"
        )
    pairs = x.get("pairs")
    if pairs is not None and getattr(pairs, "ndim", 2) == 3:
        m = len(pairs)
        pairs = np.asarray(pairs)[np.triu_indices(m, 1)]
    else:
        m = _items_of(pairs.shape[0]) if pairs is not None else x["items"].shape[0]
    return item_set(m, x.get("items"), x.get("relations", ()), pairs, groups=x.get("n_clusters"), where=where)


def _items_of(pairs: int) -> int:
    """m with m (m - 1) / 2 pairs."""
    return round((1 + np.sqrt(1 + 8 * pairs)) / 2)


def _numbers(x: ItemSet, labels: Any, i: int) -> Ints:
    """The clusters of a set as numbers."""
    plain = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
    if len(plain) != x.m:
        raise Refused(f"item set {i} has {x.m} items and {len(plain)} labels; give one for each item")
    known: dict[Any, int] = {}
    return np.array([known.setdefault(label, len(known)) for label in plain], dtype=np.int64)


__all__ = ["ItemClusterer"]
