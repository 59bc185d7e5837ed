"""How good the predictions of an estimator are, in the measures of its structure (see `metrics`).

    tagger        words with the right tag; for entities (B-, I-) precision, recall and F1, also of each type
    classifier    rows of the right class;  label sets: all labels right, Jaccard, labels right
    graphs        nodes with the right label;  clusterings: adjusted Rand index;  trees: words with the right
                  head, sentences with all of them

A label that was not trained on counts as a mistake. Cost: linear, but for the Rand index.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from explorer.engine.refusals import Refused
from explorer.estimators.chains import SequenceTagger
from explorer.estimators.classes import StructuredClassifier
from explorer.estimators.clusterings import ItemClusterer
from explorer.estimators.graphs import GraphLabeller
from explorer.estimators.label_sets import LabelSetClassifier
from explorer.estimators.metrics import (
    Agreement,
    adjusted_rand,
    agreement,
    attachment_score,
    entity_report,
    jaccard,
    label_report,
    token_accuracy,
)
from explorer.estimators.trees import DependencyParser


class Report(NamedTuple):
    """Figures by name, and the agreement on every label, or type of entity."""

    figures: dict[str, float]
    labels: Mapping[Any, Agreement]

    def plain(self) -> dict[str, Any]:
        """The same as JSON can hold it."""
        return {
            "figures": self.figures,
            "labels": {str(name): own._asdict() for name, own in self.labels.items()},
        }


def report(model: Any, truths: Sequence[Any], guesses: Sequence[Any]) -> Report:
    """The figures of these predictions; both are labels as the model's `predict` gives them."""
    if isinstance(model, SequenceTagger):
        return _of_tags(truths, guesses)
    if isinstance(model, LabelSetClassifier):
        return _of_sets(truths, guesses)
    if isinstance(model, StructuredClassifier):
        pairs = [[label] for label in truths], [[label] for label in _plain(guesses)]
        return Report({"examples": len(truths), "right": token_accuracy(*pairs)}, label_report(*pairs))
    if isinstance(model, GraphLabeller):
        found = [_plain(labels) for labels in guesses]
        return Report(
            {"graphs": len(truths), "nodes right": token_accuracy(truths, found)}, label_report(truths, found)
        )
    if isinstance(model, ItemClusterer):
        return Report({"sets": len(truths), "adjusted Rand index": adjusted_rand(truths, guesses)}, {})
    if isinstance(model, DependencyParser):
        return _of_trees(truths, guesses)
    raise Refused(f"there are no measures for a {type(model).__name__}; give an estimator of the explorer")


def _plain(labels: Any) -> list[Any]:
    found: list[Any] = np.asarray(labels).tolist()
    return found


def _of_tags(truths: Sequence[Sequence[Any]], guesses: Sequence[Sequence[Any]]) -> Report:
    whole = float(np.mean([list(a) == list(b) for a, b in zip(truths, guesses, strict=True)]))
    figures = {"sentences": float(len(truths)), "tags right": token_accuracy(truths, guesses)}
    figures["sentences right"] = whole
    if not any(str(tag).startswith(("B-", "I-")) for tags in truths for tag in tags):
        return Report(figures, label_report(truths, guesses))
    found = entity_report(truths, guesses)
    every = found.pop("all")
    named = {"precision": every.precision, "recall": every.recall, "F1": every.f1}
    return Report(figures | {f"entity {name}": value for name, value in named.items()}, found)


def _of_sets(truths: Sequence[Any], guesses: Sequence[Any]) -> Report:
    a, b = [set(labels) for labels in truths], [set(labels) for labels in guesses]
    names = sorted(set().union(*a, *b))
    rows = [[[name for name in names if name in labels] for labels in part] for part in (a, b)]
    on = [[[name if name in labels else None for name in names] for labels in part] for part in (a, b)]
    figures = {
        "examples": float(len(a)),
        "all labels right": float(np.mean([x == y for x, y in zip(a, b, strict=True)])),
        "Jaccard": jaccard(*rows),
        "labels right": token_accuracy(*on),
    }
    return Report(figures, _of_each(names, a, b))


def _of_each(names: Sequence[Any], a: Sequence[set[Any]], b: Sequence[set[Any]]) -> dict[Any, Agreement]:
    pairs = list(zip(a, b, strict=True))
    return {
        name: agreement(
            sum(name in x and name in y for x, y in pairs),
            sum(name in x for x in a),
            sum(name in y for y in b),
        )
        for name in names
    }


def _of_trees(truths: Sequence[Any], guesses: Sequence[Any]) -> Report:
    found = [[int(head) for head in heads] for heads in guesses]
    whole = float(np.mean([list(a) == b for a, b in zip(truths, found, strict=True)]))
    figures = {"sentences": float(len(truths)), "heads right (attachment)": attachment_score(truths, found)}
    return Report(figures | {"sentences right": whole}, {})


__all__ = ["Report", "report"]
