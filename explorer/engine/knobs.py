"""Settings: dataclass fields that say what they mean, from which widgets, the command line and help are made.

A record under `@settings` is checked when it is made; `parse` and its companions read settings from text, for
links, oracle names and command lines alike.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform

from explorer.engine.refusals import Refused

Record = TypeVar("Record")

WORDS = {
    "yes": True,
    "true": True,
    "on": True,
    "1": True,
    "no": False,
    "false": False,
    "off": False,
    "0": False,
}


DIGITS = 40
"""A number is written with no more characters than this."""


@dataclass(frozen=True, slots=True)
class Knob:
    """What a setting means to a person: one sentence, its range or choices, and whether to slide in
    decades.
    """

    help: str
    low: float | None = None
    high: float | None = None
    log: bool = False
    choices: tuple[Any, ...] = ()


def knob(
    default: Any,
    help: str,
    *,
    low: float | None = None,
    high: float | None = None,
    log: bool = False,
    choices: tuple[Any, ...] = (),
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
    """A frozen dataclass with slots whose knobs are checked when it is made, before its own
    `__post_init__`.
    """
    own = record.__dict__.get("__post_init__")

    def __post_init__(self: Record) -> None:  # noqa: N807
        check_knobs(self)
        if own is not None:
            own(self)

    record.__post_init__ = __post_init__  # type: ignore[attr-defined]
    return dataclass(frozen=True, slots=True)(record)


def check_knobs(record: Any) -> None:
    """Refuse settings outside their declared range or choices."""
    for name, _, declared in knobs(record):
        check_value(name, getattr(record, name), declared)


def check_value(name: str, value: Any, declared: Knob) -> None:
    """Refuse a value outside the knob's range or choices; no number is within a range if it is none."""
    low, high = declared.low, declared.high
    if declared.choices and value not in declared.choices:
        raise Refused(f"{name} is {value!r}; choose one of {', '.join(map(str, declared.choices))}")
    if not isinstance(value, int | float):
        return
    if value != value or (low is not None and value < low) or (high is not None and value > high):
        least, most = ("any" if end is None else f"{end:g}" for end in (low, high))
        span = (
            f"at least {least}"
            if high is None
            else f"at most {most}"
            if low is None
            else f"{least} to {most}"
        )
        raise Refused(f"{name} is {short(value)}; it must be {span}")


def short(value: object) -> str:
    """A value as a refusal names it."""
    text = str(value)
    return text if len(text) <= DIGITS else f"{text[:DIGITS]}..."


def parse(text: str, kind: Any, name: str) -> Any:
    """A text as a bool, int or float, or as it is for any other kind; the refusal calls it by this name."""
    kind = getattr(kind, "__name__", kind)  # a record may hold its annotations as text
    if kind in ("int", "float") and len(text) > DIGITS:
        raise Refused(f"{name} is {text[:40]!r} and goes on; give a number of at most {DIGITS} digits")
    if kind == "bool":
        if text.lower() not in WORDS:
            raise Refused(f"{name} is {text[:40]!r}; write yes or no")
        return WORDS[text.lower()]
    number = {"int": int, "float": float}.get(kind)
    try:
        return number(text) if number else text
    except ValueError:
        wanted = "a whole number" if kind == "int" else "a number"
        raise Refused(f"{name} is {text[:40]!r}; give {wanted}") from None


def parse_setting(record: type[Any], name: str, text: str, place: str = "") -> Any:
    """A text as the setting of this name, of the record's own type; `place` goes before the name in a
    refusal.
    """
    kinds = {f.name: f.type for f in fields(record)}
    if name not in kinds:
        known = ", ".join(kinds) or "none"
        raise Refused(f"{record.__name__} has no setting {name[:40]!r}; it has {known}")
    return parse(text, kinds[name], f"{place}{name}")


def parse_settings(record: type[Any], texts: Iterable[str], place: str) -> dict[str, Any]:
    """Texts such as `damping=0.5` as settings of a record, by name."""
    found = {}
    for text in texts:
        name, equals, value = (piece.strip() for piece in text.partition("="))
        if not equals:
            raise Refused(f"{place}{text[:40]} has no value; write {place}name=value")
        found[name] = parse_setting(record, name, value, place)
    return found
