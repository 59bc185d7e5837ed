"""Weights and runs as pandas frames."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from explorer.engine.runs.frames import frame, series
from explorer.engine.runs.trace import Trace


def table(kind: str, features: Any, labels: Any, weights: Any) -> dict[str, Any]:
    """Columns kind, feature, label and weight of a matrix of weights, one row for each feature and label."""
    matrix = np.asarray(weights).reshape(len(features), len(labels))
    return {
        "kind": np.full(matrix.size, kind, dtype=object),
        "feature": np.repeat(np.array(list(features), dtype=object), len(labels)),
        "label": np.tile(np.array(list(labels), dtype=object), len(features)),
        "weight": matrix.ravel(),
    }


def join_tables(parts: Sequence[Mapping[str, Any]]) -> Any:
    """Several tables below each other as one frame."""
    return frame({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})


def trace_frame(trace: Trace) -> Any:
    """The learning curve: one row for every step of a run, with all figures that are known of it."""
    return trace.frame()


__all__ = ["frame", "join_tables", "series", "table", "trace_frame"]
