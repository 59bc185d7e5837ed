"""Small data for every estimator, and one of each fitted to them."""

from typing import Any, NamedTuple

import numpy as np

from explorer.engine.data.readers.treebank import micro_treebank
from explorer.estimators.chains import SequenceTagger
from explorer.estimators.classes import StructuredClassifier
from explorer.estimators.clusterings import ItemClusterer
from explorer.estimators.graphs import GraphLabeller
from explorer.estimators.label_sets import LabelSetClassifier
from explorer.estimators.text_features import TextFeatures
from explorer.estimators.trees import DependencyParser

SENTENCES = ("Ana ve Lima", "yo veo a Ana", "Lima es grande", "Eva no ve a Ana")
TAGS = ("P O L", "O O O P", "L O O", "P O O O P")


class Sample(NamedTuple):
    """An estimator that is not fitted yet, and what it is to learn."""

    estimator: Any
    X: Any
    y: Any


def points() -> tuple[Any, Any]:
    """Thirty points of three classes, called by names."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4))
    return X, np.array(["red", "green", "blue"])[np.argmax(X[:, :3] + 0.5 * rng.normal(size=(30, 3)), axis=1)]


def tagged() -> tuple[Any, Any]:
    """Four sentences as feature dicts, with their tags."""
    return TextFeatures().corpus([text.split() for text in SENTENCES]), [tags.split() for tags in TAGS]


def label_rows() -> tuple[Any, Any]:
    """Thirty rows with any of three labels."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 4))
    return X, (X[:, :3] + 0.3 * rng.normal(size=(30, 3)) > 0).astype(int)


def pictures() -> tuple[Any, Any]:
    """Three pictures of 4 x 5 cells, inside and outside."""
    rng = np.random.default_rng(2)
    X = [rng.normal(size=(4, 5)) for _ in range(3)]
    return X, [np.where(x + 0.3 * rng.normal(size=x.shape) > 0, "in", "out") for x in X]


def item_groups() -> tuple[Any, Any]:
    """Four sets of six points, of which three each lie together."""
    rng = np.random.default_rng(3)
    X = [np.concatenate([rng.normal(size=(3, 2)) + 2.0, rng.normal(size=(3, 2)) - 2.0]) for _ in range(4)]
    return X, [list("aaabbb")] * 4


def trees() -> tuple[Any, Any]:
    """Four German sentences with their heads."""
    data = micro_treebank()
    return [list(zip(x.words, x.tags, strict=True)) for x in data.inputs], [y.tolist() for y in data.labels]


def samples() -> dict[str, Sample]:
    """Every estimator, by the name of its file."""
    return {
        "classes": Sample(StructuredClassifier(C=10.0), *points()),
        "chains": Sample(SequenceTagger(C=10.0), *tagged()),
        "chains-words": Sample(
            SequenceTagger(C=10.0, features=TextFeatures(prefixes=2, suffixes=3)),
            [text.split() for text in SENTENCES],
            [tags.split() for tags in TAGS],
        ),
        "label_sets": Sample(LabelSetClassifier(C=10.0), *label_rows()),
        "graphs": Sample(GraphLabeller(C=10.0), *pictures()),
        "clusterings": Sample(ItemClusterer(C=10.0), *item_groups()),
        "trees": Sample(DependencyParser(C=10.0), *trees()),
        "trees-plain": Sample(DependencyParser(C=10.0, kernel="none"), *trees()),
    }


def same(a: Any, b: Any) -> bool:
    """Whether two predictions are equal."""
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b) and a.dtype == b.dtype
    return len(a) == len(b) and all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
