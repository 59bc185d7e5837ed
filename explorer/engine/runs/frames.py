"""Columns of numbers as pandas frames. Pandas is no dependency: it is imported here, when a frame is asked
for."""

from collections.abc import Mapping
from typing import Any

from explorer.engine.refusals import Refused
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


__all__ = ["frame", "series"]
