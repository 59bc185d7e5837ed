"""Weights and runs as pandas frames. Pandas is no dependency: it is imported here, when a frame is asked
for.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace
from explorer.extras import how_to_get


def _pandas() -> Any:
    try:
        import pandas
    except ImportError as error:
        raise Refused(str(how_to_get(error.name or "pandas"))) from None
    return pandas


def frame(columns: Mapping[str, Any]) -> Any:
    """A pandas frame of these columns."""
    return _pandas().DataFrame(dict(columns))


def series(values: Any, index: Any) -> Any:
    """A pandas column of values for the rows of this index."""
    return _pandas().Series(values, index=index)


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
    return frame({name: trace.column(name) for name in trace.names})


__all__ = ["frame", "join_tables", "series", "table", "trace_frame"]
