"""The scikit-learn face of the explorer: fit, predict, score and save over the same engine, one estimator
for each structure. A name is loaded when it is first used.
"""

from importlib import import_module
from typing import Any

_HOME = {
    "StructuredClassifier": "classes",
    "SequenceTagger": "chains",
    "LabelSetClassifier": "label_sets",
    "GraphLabeller": "graphs",
    "ItemClusterer": "clusterings",
    "DependencyParser": "trees",
    "Certificate": "fitting",
    "load": "models",
    "read": "forms.data_files",
    "TextFeatures": "text_features",
}

__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
