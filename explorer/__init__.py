"""See structured prediction learn: structural SVMs, their oracles and their certificates, live.

The names below are loaded when first used, so that importing this package costs nothing.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "Recipe": "explorer.engine.catalogue.recipe",
    "TASKS": "explorer.engine.catalogue.tasks",
    "check": "explorer.engine.runs.problem_check",
    "predict_many": "explorer.engine.refusals",
    "train": "explorer.engine.runs.streams",
    "watch": "explorer.progress",
    "parallel_config": "explorer.engine.executors.choice",
    "Until": "explorer.engine.runs.streams",
    "Trace": "explorer.engine.runs.trace",
    "Dataset": "explorer.engine.contracts",
    "Pricing": "explorer.engine.pricing",
    "Refused": "explorer.engine.refusals",
    "Binary": "explorer.engine.structures.classes.binary",
    "Multiclass": "explorer.engine.structures.classes.multiclass",
    "Chain": "explorer.engine.structures.chains.problem",
    "Plain": "explorer.engine.structures.classes.own",
    "Listed": "explorer.engine.structures.classes.own",
    "ConvexRisk": "explorer.engine.structures.classes.convex_risk",
    "LEARNERS": "explorer.engine.learners",
    "explore": "explorer.dashboards.notebook",
    "view": "explorer.dashboards.notebook",
    "plot": "explorer.plot",
    "film": "explorer.player.recording",
    "StructuredClassifier": "explorer.estimators.classes",
    "SequenceTagger": "explorer.estimators.chains",
    "LabelSetClassifier": "explorer.estimators.label_sets",
    "GraphLabeller": "explorer.estimators.graphs",
    "ItemClusterer": "explorer.estimators.clusterings",
    "DependencyParser": "explorer.estimators.trees",
    "TextFeatures": "explorer.estimators.text_features",
    "load": "explorer.estimators.models",
    "read": "explorer.estimators.forms.data_files",
}
_DRAWN = ("explore", "film", "plot", "view")
"""What needs the extra [app]."""

# `from explorer import *` takes no page along where the packages that draw are not installed.
__all__ = ["__version__", *(name for name in _HOME if name not in _DRAWN or find_spec("panel"))]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'explorer' has no attribute {name!r}")
    try:
        home = import_module(_HOME[name])
        return home if home.__name__ == f"explorer.{name}" else getattr(home, name)
    except ModuleNotFoundError as missing:
        from explorer.extras import how_to_get

        sentence = how_to_get(missing.name)
        if sentence is None:
            raise
        raise ImportError(f"explorer.{name} cannot be loaded: {sentence}") from None


def __dir__() -> list[str]:
    return __all__
