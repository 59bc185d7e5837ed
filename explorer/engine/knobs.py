"""Settings: dataclass fields that say what they mean, from which widgets, the command line and help are made."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform

from explorer.engine.refusals import Refused

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class Knob:
    """What a setting means to a person: one sentence, its range or choices, and whether to slide in decades."""

    help: str
    low: float | None = None
    high: float | None = None
    log: bool = False
    choices: tuple[str, ...] = ()


def knob(
    default: Any,
    help: str,
    *,
    low: float | None = None,
    high: float | None = None,
    log: bool = False,
    choices: tuple[str, ...] = (),
) -> Any:
    """A dataclass field that carries its Knob; widgets, the command line and help are made from it."""
    return field(default=default, metadata={"knob": Knob(help, low, high, log, choices)})


def knobs(record: Any) -> Iterator[tuple[str, Any, Knob]]:
    """Name, default and Knob of every declared setting of a dataclass (type or instance), in order."""
    for f in fields(record):
        if "knob" in f.metadata:
            yield f.name, f.default, f.metadata["knob"]


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def settings(record: type[Record]) -> type[Record]:
    """A frozen dataclass with slots whose knobs are checked when it is made, before its own `__post_init__`."""
    own = record.__dict__.get("__post_init__")

    def __post_init__(self: Record) -> None:  # noqa: N807
        check_knobs(self)
        if own is not None:
            own(self)

    record.__post_init__ = __post_init__  # type: ignore[attr-defined]
    return dataclass(frozen=True, slots=True)(record)


def check_knobs(record: Any) -> None:
    """Refuse settings outside their declared range or choices."""
    for name, _, k in knobs(record):
        value = getattr(record, name)
        if k.choices and value not in k.choices:
            raise Refused(f"{name} is {value!r}; choose one of {', '.join(k.choices)}")
        number = isinstance(value, int | float)
        if number and (
            math.isnan(value) or (k.low is not None and value < k.low) or (k.high is not None and value > k.high)
        ):
            least, most = ("any" if end is None else f"{end:g}" for end in (k.low, k.high))
            span = (
                f"at least {least}" if k.high is None else f"at most {most}" if k.low is None else f"{least} to {most}"
            )
            raise Refused(f"{name} is {value}; it must be {span}")
