"""Settings records as Param classes: the only bridge from the engine's knobs to anything that can be edited.

A knob's range becomes bounds, its choices a selector, its sentence the tooltip. Editing never touches the
record: `values` gives the settings from which a new frozen record is made.
"""

from dataclasses import is_dataclass
from typing import Any

import param

from explorer.engine.knobs import Knob, knobs


def parameter(default: Any, knob: Knob) -> Any:
    """The Param parameter that edits one knob."""
    if knob.choices:
        return param.Selector(default=default, objects=list(knob.choices), doc=knob.help)
    if isinstance(default, bool):
        return param.Boolean(default=default, doc=knob.help)
    if isinstance(default, str):
        return param.String(default=default, doc=knob.help)
    bounds: Any = (knob.low, knob.high)
    kind: Any = param.Integer if isinstance(default, int) else param.Number
    return kind(default=default, bounds=bounds, softbounds=bounds, doc=knob.help)


def editable(record: type) -> type[param.Parameterized]:
    """A Param class with one parameter per knob of the record; `log_scaled` names those that slide in
    decades.
    """
    assert is_dataclass(record)
    found = {name: parameter(default, knob) for name, default, knob in knobs(record)}
    scaled = frozenset(name for name, _, knob in knobs(record) if knob.log)
    return type(f"{record.__name__}Settings", (param.Parameterized,), {**found, "log_scaled": scaled})


def values(settings: param.Parameterized) -> dict[str, Any]:
    """The chosen settings by name."""
    return {name: value for name, value in settings.param.values().items() if name != "name"}
