"""A label for every node of a graph, or for every cell of a grid: pictures, networks, molecules.

    score(x, y) = sum_u x_u W[:, y_u] + sum_(u,v) edge_uv . P[:, y_u, y_v]

The problem is `structures.fields` with a `GraphMap`. Training relaxes the labelling (the fast relaxation)
unless another oracle is named: "tree max-product" is exact for forests, "graph cut" for two labels that
attract each other. Predictions that are fractional are rounded. Cost of a pass: one matrix product, then the
oracle for every graph.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import networkx as nx
import numpy as np
from sklearn.utils.validation import check_is_fitted

from explorer.engine.catalogue.fields import NODES, PAIRWISE, GraphModel, graph, with_directions
from explorer.engine.catalogue.task import Parts
from explorer.engine.contracts import Dataset
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.graph_map import GraphMap
from explorer.engine.structures.fields.graphs import Graph, from_networkx, graphs, grid
from explorer.engine.structures.fields.graphs import graph as checked_graph
from explorer.engine.structures.fields.layout import slots
from explorer.engine.structures.fields.problem import FieldLabelling, as_fields
from explorer.engine.vectors import Array, Ints
from explorer.estimators.fields import alone_scores, best_labellings, decode, field_oracle
from explorer.estimators.fitting import pricing_of
from explorer.estimators.frames import table
from explorer.estimators.inputs import known_names
from explorer.estimators.metrics import token_accuracy
from explorer.estimators.models import arrays_of, labels_from, labels_tree
from explorer.estimators.structured import StructuredEstimator
from explorer.estimators.vocabularies import codes_of, label_codes

FAST = "fast relaxation"


@dataclass(eq=False, repr=False, kw_only=True)
class GraphLabeller(StructuredEstimator):
    """One label for every node of a graph.

    X is a list of graphs, each one of: a pair (node features (m, F), edges (e, 2)) or a triple with edge
    features (e, G); a networkx graph whose nodes carry their features under `node_attribute`; a picture, as
    an array of (rows, columns) or (rows, columns, F), whose cells are joined with their four neighbours; or a
    `Graph` of the engine. y is a list of labellings: one label for each node in order, an array of the
    picture's shape, or for networkx a dict from nodes to labels. Predictions have the same form.

    Parameters
    ----------
    {prices}
    loss : "hamming" (wrong nodes) or "hamming-normalised" (their share).
    pairwise : "shared" (one weight for every ordered pair of labels), "symmetric", "directional" (pictures:
        across and down apart) or "none".
    oracle, predictor : who finds the most violated labelling in training and the best one afterwards.
    node_attribute, edge_attribute : where networkx graphs carry their features, a name or a list of names;
        edge_attribute=None: edges have the feature 1.
    edge_features : a function of the features of an edge's two ends that returns the features of the edge,
        for graphs that have none; pictures too.
    {shared}

    Attributes
    ----------
    classes_, weights_, n_features_in_, n_edge_features_, certificate_, trace_, n_iter_
    """

    loss: str = "hamming"
    pairwise: str = "shared"
    oracle: str = FAST
    predictor: str = FAST
    node_attribute: str | Sequence[str] = "features"
    edge_attribute: str | Sequence[str] | None = None
    edge_features: Callable[[Array, Array], Any] | None = None

    def _problem_for(self, X: Any, y: Any, classes: Any = None, keep: bool = False) -> FieldLabelling:
        for name, known in (("loss", NODES), ("pairwise", PAIRWISE)):
            if getattr(self, name) not in known:
                raise Refused(f"{name} is {getattr(self, name)!r}; choose one of {', '.join(known)}")
        inputs, labels = self._graphs(X), _labellings(X, y)
        if not keep:
            found = chain.from_iterable(labels) if classes is None else classes
            self.classes_ = label_codes(found)[0]
        numbers = {name: k for k, name in enumerate(self.classes_.tolist())}
        codes = [codes_of(labelling, numbers, f"graph {i}") for i, labelling in enumerate(labels)]
        model = GraphModel(self.pairwise)
        data = with_directions(graphs("graphs", inputs, codes, tuple(map(str, numbers))), None, model)[0]
        if keep:
            data = replace(data, inputs=tuple(self._checked_graph(x, i) for i, x in enumerate(data.inputs)))
        else:
            self.n_features_in_ = int(data.inputs[0].nodes.shape[1])
            self.n_edge_features_ = int(data.inputs[0].edge_features.shape[1])
        oracles = field_oracle(self.oracle), field_oracle(self.predictor)
        return graph(data, Parts(NODES[self.loss], pricing_of(self), *oracles, model))

    def _graphs(self, X: Any) -> list[Graph]:
        if isinstance(X, nx.Graph | Graph) or not hasattr(X, "__len__") or len(X) == 0:
            raise Refused("X holds no graphs; give a list of graphs, also where there is only one")
        return [self._graph(x, f"graph {i}") for i, x in enumerate(X)]

    def _graph(self, x: Any, where: str) -> Graph:
        """One input as a graph of the engine, with features of edges as they were asked for."""
        found = self._plain_graph(x, where)
        if self.edge_features is None or not len(found.edges):
            return found
        rows = [np.atleast_1d(self.edge_features(found.nodes[a], found.nodes[b])) for a, b in found.edges]
        made = checked_graph(found.nodes, found.edges, np.array(rows, dtype=float), where=where)
        return replace(found, edge_features=made.edge_features)

    def _plain_graph(self, x: Any, where: str) -> Graph:
        if isinstance(x, Graph):
            return x
        if isinstance(x, nx.Graph):
            return from_networkx(x, self.node_attribute, self.edge_attribute, where)
        if isinstance(x, np.ndarray) and x.ndim in (2, 3):
            return grid(x.reshape(x.shape[0] * x.shape[1], -1), x.shape[0], x.shape[1], where=where)
        if isinstance(x, tuple | list) and len(x) in (2, 3):
            nodes, edges, marks = (*x, None)[:3]
            return checked_graph(nodes, edges, marks, where=where)
        raise Refused(
            f"{where} is a {type(x).__name__}; give (node features, edges), a networkx graph or a picture"
        )

    def _fields(self, X: Any) -> Fields:
        """The scores of all graphs."""
        check_is_fitted(self, "weights_")
        model = GraphModel(self.pairwise)
        inputs = with_directions(Dataset("asked", tuple(self._graphs(X)), ()), None, model)[0].inputs
        inputs = tuple(self._checked_graph(x, i) for i, x in enumerate(inputs))
        return as_fields(GraphMap(len(self.classes_), PAIRWISE[self.pairwise]).layout(inputs), self.weights_)

    def _checked_graph(self, x: Graph, i: int) -> Graph:
        """The graph, refused where it has other features than those trained on."""
        wide = x.edge_features.shape[1] if len(x.edges) else self.n_edge_features_
        if (x.nodes.shape[1], wide) != (self.n_features_in_, self.n_edge_features_):
            raise Refused(
                f"graph {i} has {x.nodes.shape[1]} node and {wide} edge features; the labeller was trained "
                f"on {self.n_features_in_} and {self.n_edge_features_}"
            )
        if len(x.edges):
            return x
        return Graph(x.nodes, x.edges, np.zeros((0, self.n_edge_features_)), x.place, x.shape, x.names)

    def predict(self, X: Any) -> list[Any]:
        """The labels of every graph, in the form in which labellings are given."""
        if hasattr(X, "__len__") and len(X) == 0:
            return []
        fields = self._fields(X)
        labels = self.classes_[decode(fields, field_oracle(self.predictor))]
        return [_in_form_of(x, part) for x, part in zip(X, np.split(labels, fields.nodes[1:-1]), strict=True)]

    def predict_k_best(self, X: Any, k: int) -> list[list[tuple[Any, float]]]:
        """For every graph at most k labellings with their scores, best first; exact where the predictor is,
        such as "tree max-product" for forests. Each takes a prediction for every node.
        """
        oracle = field_oracle(self.predictor)
        return [
            [
                (_in_form_of(x, self.classes_[codes]), score)
                for codes, score in best_labellings(field, oracle, k)
            ]
            for x, field in zip(X, self._fields(X), strict=True)
        ]

    def decision_function(self, X: Any) -> list[Array]:
        """For every node and label the score that the node would have with that label while all others keep
        those predicted, as (m, K) arrays in the order of `classes_`.
        """
        fields = self._fields(X)
        labels: Ints = decode(fields, field_oracle(self.predictor))
        return np.split(alone_scores(fields, labels), fields.nodes[1:-1])

    def score(self, X: Any, y: Any) -> float:
        """The share of nodes with the right label."""
        return token_accuracy(_labellings(X, y), _labellings(X, self.predict(X)))

    def weight_tables(self) -> list[dict[str, Any]]:
        """All weights: kind (feature, or edge with its feature), feature (or the label of
        the first end), label, weight. Weights that two pairs of labels share are given for both.
        """
        check_is_fitted(self, "weights_")
        split, slot = (
            self.n_features_in_ * len(self.classes_),
            slots(len(self.classes_), PAIRWISE[self.pairwise]),
        )
        names = known_names(self, "features", self.n_features_in_)
        parts = [table("feature", names, self.classes_, self.weights_[:split])]
        if len(self.weights_) > split:
            pairs = self.weights_[split:].reshape(self.n_edge_features_, -1)
            kinds = known_names(self, "edges", self.n_edge_features_, "")
            parts += [
                table(f"edge {kind}", self.classes_, self.classes_, row[slot])
                for kind, row in zip(kinds, pairs, strict=True)
            ]
        return parts

    def _model(self) -> dict[str, Any]:
        """What a model file holds beside the parameters."""
        return {
            "weights": self.weights_,
            "classes": labels_tree(self.classes_),
            "features": self.n_features_in_,
            "edge_features": self.n_edge_features_,
        }

    def _restore(self, model: Mapping[str, Any]) -> None:
        self.classes_ = labels_from(model["classes"])
        self.n_features_in_, self.n_edge_features_ = int(model["features"]), int(model["edge_features"])
        K = len(self.classes_)
        each = {"shared": K * K, "directional": K * K, "symmetric": K * (K + 1) // 2, "none": 0}[
            self.pairwise
        ]
        (self.weights_,) = arrays_of(model, weights=(self.n_features_in_ * K + self.n_edge_features_ * each,))


def _labellings(X: Any, y: Any) -> list[list[Any]]:
    """The labels of every graph's nodes in order."""
    if len(X) != len(y):
        raise Refused(f"there are {len(X)} graphs and {len(y)} labellings; give one labelling for each graph")
    return [_labelling(x, labels, i) for i, (x, labels) in enumerate(zip(X, y, strict=True))]


def _labelling(x: Any, labels: Any, i: int) -> list[Any]:
    if isinstance(labels, Mapping):
        if not isinstance(x, nx.Graph) or any(node not in labels for node in x.nodes):
            raise Refused(
                f"graph {i} has labels by node, but not for every node of a networkx graph; give all of them"
            )
        return [labels[node] for node in x.nodes]
    found: list[Any] = np.asarray(labels).ravel().tolist()
    return found


def _in_form_of(x: Any, labels: Any) -> Any:
    """The labels of one graph in the form of its input."""
    if isinstance(x, nx.Graph):
        return dict(zip(x.nodes, labels.tolist(), strict=True))
    return labels.reshape(x.shape[:2]) if isinstance(x, np.ndarray) else labels


__all__ = ["GraphLabeller"]
