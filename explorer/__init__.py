"""See structured prediction learn: structural SVMs, their oracles and their certificates, live.

The names below are loaded when first used, so that importing this package costs nothing.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "Recipe": "explorer.engine.tasks",
    "TASKS": "explorer.engine.tasks",
    "train": "explorer.engine.streams",
    "Until": "explorer.engine.streams",
    "Trace": "explorer.engine.trace",
    "Dataset": "explorer.engine.protocols",
    "Pricing": "explorer.engine.protocols",
    "Refused": "explorer.engine.protocols",
    "Binary": "explorer.engine.problems.binary",
    "Multiclass": "explorer.engine.problems.multiclass",
    "Chain": "explorer.engine.problems.chain",
    "Plain": "explorer.engine.problems.plain",
    "Listed": "explorer.engine.problems.plain",
    "LEARNERS": "explorer.engine.learners",
    "explore": "explorer.dashboards.notebook",
}

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'explorer' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
