"""From a run of the engine to a fitted estimator: what was trained from a file, a page or a script predicts
like any other model, without its training data.

The recipe's choices become the estimator's parameters, the last step's weights its own. A problem that no
estimator stands for (two classes with a bias, kernels of pairs, problems in Python) is refused with the
reason. How new files are to be read comes from the training data (`catalogue.formats`). Cost: none but
copying names.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from explorer.engine.catalogue.clusterings import DIAGONAL, LINEAR, NONNEGATIVE
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.trees import DUAL
from explorer.engine.contracts import Problem
from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.structures.clusterings.single_link import SingleLink
from explorer.engine.structures.fields.graph_map import GraphMap
from explorer.engine.structures.fields.label_map import LabelMap
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.structures.trees.dual_problem import KernelTrees
from explorer.engine.structures.trees.problem import DependencyTrees
from explorer.estimators.chains import SequenceTagger
from explorer.estimators.classes import StructuredClassifier
from explorer.estimators.clusterings import CORRELATION, K_MEANS, SINGLE_LINK, ItemClusterer
from explorer.estimators.fitting import certificate_of, passes_of
from explorer.estimators.graphs import GraphLabeller
from explorer.estimators.label_sets import SETS, LabelSetClassifier
from explorer.estimators.trees import NONE, DependencyParser
from explorer.estimators.vocabularies import NO_NAME, Columns

Maker = Callable[[Any, Recipe, dict[str, Any]], Any]
"""From a problem, its recipe and the parameters that all estimators share."""


def estimator_of(recipe: Recipe, problem: Problem, trace: Trace) -> Any:
    """The estimator that predicts with the weights of a run's last step; refused where there is none."""
    if not len(trace):
        raise Refused("the run has made no step yet, so there are no weights; train it first")
    made = _makers(problem)(problem, recipe, _common(recipe))
    last = trace.at(-1)
    made.weights_, made.trace_ = last.w, trace
    made.certificate_, made.n_iter_ = certificate_of(trace), passes_of(trace, problem.n)
    if "reading" in problem.dataset.meta:
        made.reading_ = dict(problem.dataset.meta["reading"])
    return made


def _makers(problem: Problem) -> Maker:
    """Who makes the estimator for a problem of this kind."""
    kinds: Mapping[type, Maker] = {
        Chain: _tagger,
        Multiclass: _classifier,
        Clustering: _clusterer,
        SingleLink: _clusterer,
        DependencyTrees: _parser,
        KernelTrees: _parser,
    }
    if isinstance(problem, FieldLabelling):
        return _graphs if isinstance(problem.map, GraphMap) else _label_sets
    for kind, maker in kinds.items():
        if isinstance(problem, kind):
            return maker
    raise Refused(f"a {type(problem).__name__} has no estimator; predict with the problem itself")


def _common(recipe: Recipe) -> dict[str, Any]:
    """The parameters that all estimators have."""
    settings, rule = dict(recipe.settings), recipe.rule
    price = settings.pop("C", 1.0)
    return {
        "C": float(price),
        "scaling": recipe.scaling,
        "penalty": recipe.penalty,
        "learner": recipe.learner,
        "learner_settings": settings,
        "tol": float(rule["relative_gap"]),
        "max_iter": int(rule["passes"]),
        "max_seconds": float(rule["seconds"]),
        "random_state": int(recipe.seed),
    }


def _with_oracles(recipe: Recipe, common: dict[str, Any]) -> dict[str, Any]:
    """The parameters of those that choose among oracles."""
    return common | {"oracle": recipe.oracle, "predictor": recipe.predictor}


def _names(values: Any) -> Any:
    """Names as labels: whole numbers where all of them are."""
    texts = [str(value) for value in values]
    whole = all(text.removeprefix("-").isdigit() and str(int(text)) == text for text in texts)
    return np.array([int(text) for text in texts] if whole else texts)


def _tagger(problem: Chain, recipe: Recipe, common: dict[str, Any]) -> SequenceTagger:
    made, names = SequenceTagger(loss=recipe.loss, ends=problem.ends, **common), problem.dataset.meta
    made.classes_, made.n_features_in_ = np.array(names["states"]), problem.n_features
    known = names.get("feature_names") if names.get("reading", {}).get("format") == "columns" else None
    table = None if known is None else {name: k for k, name in enumerate(known)}
    made.columns_ = None if table is None else Columns({NO_NAME: table}, {}, len(table))
    return made


def _classifier(problem: Multiclass, recipe: Recipe, common: dict[str, Any]) -> StructuredClassifier:
    costs = None if recipe.loss == "zero-one" else problem.costs.tolist()
    made = StructuredClassifier(cost_matrix=costs, **common)
    named = problem.dataset.meta.get("reading", {}).get("format") == "table"
    states = problem.dataset.meta["states"]
    made.classes_ = np.array(states) if named else _names(states)
    made.n_features_in_ = int(problem.dataset.inputs.shape[1])
    return made


def _label_sets(problem: FieldLabelling, recipe: Recipe, common: dict[str, Any]) -> LabelSetClassifier:
    assert isinstance(problem.map, LabelMap)
    made = LabelSetClassifier(loss=recipe.loss, edges=recipe.model["edges"], **_with_oracles(recipe, common))
    made.labels_, made.classes_ = _names(problem.dataset.meta["label_names"]), np.array([0, 1])
    made.form_, made.pairs_ = SETS, problem.map.pairs
    made.n_features_in_ = int(problem.dataset.inputs.shape[1])
    return made


def _graphs(problem: FieldLabelling, recipe: Recipe, common: dict[str, Any]) -> GraphLabeller:
    made = GraphLabeller(loss=recipe.loss, pairwise=recipe.model["pairwise"], **_with_oracles(recipe, common))
    first = problem.dataset.inputs[0]
    made.classes_ = np.array(problem.dataset.meta["states"])
    made.n_features_in_, made.n_edge_features_ = first.nodes.shape[1], first.edge_features.shape[1]
    return made


def _clusterer(problem: Clustering | SingleLink, recipe: Recipe, common: dict[str, Any]) -> ItemClusterer:
    chosen: dict[str, Any] = {"model": SINGLE_LINK}
    if isinstance(problem, Clustering):
        if recipe.model["similarity"] not in (LINEAR, DIAGONAL) or recipe.model.get("diagonal"):
            raise Refused(
                "a similarity of other functions of the features has no estimator; choose "
                f"--model similarity={LINEAR}, of k-means {DIAGONAL!r} without diagonal"
            )
        chosen = {
            "model": K_MEANS if "diagonal" in recipe.model else CORRELATION,
            "normalise": bool(recipe.model.get("normalise", False)),
            "nonnegative": recipe.model["weights"] == NONNEGATIVE,
        }
    made = ItemClusterer(loss=recipe.loss, **chosen, **_with_oracles(recipe, common))
    made.widths_ = problem.dataset.inputs[0].widths
    return made


def _parser(
    problem: DependencyTrees | KernelTrees, recipe: Recipe, common: dict[str, Any]
) -> DependencyParser:
    model = dict(recipe.model)
    form = model.pop("form")
    if (form == DUAL) == (model["kernel"] == NONE):
        raise Refused(
            "weights that are written out have an estimator without a kernel only, and others in the dual; "
            "choose --model form=dual, or --model kernel=none form='written out'"
        )
    made = DependencyParser(loss=recipe.loss, **model, **_with_oracles(recipe, common))
    made._keep(problem)
    return made


__all__ = ["estimator_of"]
