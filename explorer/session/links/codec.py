"""A record of parts as a query string, and back; the link of every page is written and read here.

    v=1&C=10.0&clock=seconds&data.n=100

A page declares its parts: a name, the value where the link is silent, and which values there are. Reading
never fails as a whole: what cannot be used is left at its default and reported, each with one sentence.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

from explorer.engine.knobs import Knob, check_value, parse
from explorer.engine.refusals import Refused, brief

VERSION = 1
LONGEST = 4000
"""A longer query is not read, unless its page says otherwise."""

SHORT = 40
"""At most this many characters of a link are quoted."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a link; without a reader of its own it is of its default's kind, in a range or of a
    menu.
    """

    name: str
    default: Any
    low: float | None = None
    high: float | None = None
    menu: Iterable[Any] = ()
    reader: Callable[[str], Any] | None = None
    writer: Callable[[Any], str] = str

    def read(self, text: str) -> Any:
        """The value that a text stands for; ValueError where there is none."""
        if self.reader is not None:
            return self.reader(text)
        value = parse(text, type(self.default), self.name)
        check_value(self.name, value, Knob("", self.low, self.high, choices=tuple(self.menu)))
        return value

    def fault(self, text: str) -> str:
        """That a text stands for no value of this part, and what becomes of it."""
        usual = self.writer(self.default)
        instead = f"; {usual} is used" if 0 < len(usual) <= SHORT else " and was left out"
        return f"The link's {self.name} cannot be {text[:SHORT]!r}{instead}."


def query(values: Mapping[str, Any], parts: Iterable[Part] = (), safe: str = "") -> str:
    """A query string without the question mark: the version, then the values in their order, each as its part
    writes it.
    """
    writers = {part.name: part.writer for part in parts}
    return urlencode(
        {"v": VERSION} | {name: writers.get(name, str)(value) for name, value in values.items()}, safe=safe
    )


class Reading:
    """A query string that is taken apart; `faults` has a sentence for whatever could not be used."""

    def __init__(self, text: str, first: str, longest: int = LONGEST) -> None:
        text = text.removeprefix("?")
        self.faults: list[str] = []
        self.texts: dict[str, str] = {}
        if len(text) > longest:
            self.faults.append(f"The link is longer than {longest} characters; {first} is shown.")
            return
        self.texts = dict(parse_qsl(text, keep_blank_values=True))
        version = self.texts.pop("v", str(VERSION))
        if version != str(VERSION):
            said = f"The link is of version {version[:20]}, this program reads version {VERSION}"
            self.faults.append(f"{said}; what fits is used.")

    def take(self, part: Part) -> Any:
        """The value of one part, its default where the link is silent or wrong."""
        text = self.texts.pop(part.name, None)
        if text is None:
            return part.default
        try:
            return part.read(text)
        except ValueError:
            self.faults.append(part.fault(text))
            return part.default

    def take_all(self, parts: Iterable[Part]) -> dict[str, Any]:
        """The values of several parts, by name."""
        return {part.name: self.take(part) for part in parts}

    def take_each(self, name: str, reader: Callable[[str], Any]) -> tuple[Any, ...]:
        """The values of a part that lists several, without those that are refused."""
        found = []
        for text in filter(None, self.texts.pop(name, "").split(";")):
            try:
                found.append(reader(text))
            except Refused as refusal:
                self.faults.append(f"One of the link's {name} was left out: {refusal}.")
        return tuple(found)

    def take_group(self, prefix: str) -> dict[str, str]:
        """The texts whose names begin with a prefix, without it."""
        names = [name for name in self.texts if name.startswith(prefix)]
        return {name.removeprefix(prefix): self.texts.pop(name) for name in names}

    def leave_out(self, name: str, why: object) -> None:
        """Report a part that was refused, with the reason."""
        self.faults.append(f"The link's {name[:SHORT]} was left out: {why}.")

    def end(self) -> tuple[str, ...]:
        """All faults; what nobody has taken is one, too."""
        return tuple(map(brief, (*self.faults, *map(unknown, self.texts))))


def unknown(name: str) -> str:
    """That a link has a part of which nobody knows."""
    return f"The link's part {name[:SHORT]!r} is not known and was left out."


__all__ = ["LONGEST", "VERSION", "Part", "Reading", "query", "unknown"]
