"""A clustering lab as a query string, and back: similarity, truth, question, clusterers' settings, the one looked at, its step.

    ?v=1&source=points&shape=threshold&reach=0.3&points=150,750;240,860&truth=001&edits=0-3:2.5&asks=violated&...

Points are thousandths; numbers of clusters beyond 9 are letters. Only what the source needs is written. Reading never fails as
a whole: what cannot be used is left at its default and reported, each with one sentence.
"""

from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

from explorer.dashboards.link_parts import with_part
from explorer.engine.catalogue.oracle_names import WRITTEN, spelled
from explorer.engine.data.cluster_figures import FIGURES
from explorer.engine.knobs import knobs
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.oracles import CLUSTER_ORACLES
from explorer.labs.clusterings.comparison import FAMILIES
from explorer.labs.clusterings.instance import (
    ASKS,
    LARGEST,
    LARGEST_SEED,
    LOSSES,
    POINTS,
    RANDOM,
    SCALINGS,
    SHAPES,
    SIZES,
    Choice,
)
from explorer.labs.clusterings.state import FIRST, LARGEST_SHIFT, Setup

VERSION = 1
LONGEST = 4000
"""A longer query is not read."""

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
MENUS = {
    "source": (*FIGURES, RANDOM, POINTS), "shape": tuple(SHAPES), "asks": tuple(ASKS), "loss": LOSSES, "scaling": SCALINGS,
}  # fmt: skip
RANGES: dict[str, tuple[float, float]] = {
    "size": SIZES, "seed": (0, LARGEST_SEED), "reach": (0.05, 1.5), "groups": (1, SIZES[1]),
}  # fmt: skip
OF_SOURCE = {RANDOM: ("size", "seed"), POINTS: ("shape", "reach")}
OTHERS = ("v", "points", "edits", "truth", "own", "family", "show", "step", "shift", "oracles", "theme")


def query(setup: Setup, theme: str = "light") -> str:
    """The query string of a lab, without the question mark."""
    choice = setup.choice
    names = ("source", *OF_SOURCE.get(choice.source, ()), "asks", "loss", "scaling", "groups")
    pairs: dict[str, Any] = {"v": VERSION} | {name: getattr(choice, name) for name in names}
    if choice.source == POINTS:
        pairs["points"] = ";".join(f"{round(1000 * x)},{round(1000 * y)}" for x, y in choice.points)
    texts = {
        "edits": ";".join(f"{i}-{j}:{value:g}" for i, j, value in choice.edits),
        "truth": "".join(DIGITS[c] for c in choice.truth), "own": "".join(DIGITS[c] for c in setup.own),
        "oracles": ";".join(spelled(one) for one in setup.oracles),
    }  # fmt: skip
    pairs |= {name: text for name, text in texts.items() if text}
    return urlencode(
        pairs | {"family": setup.family, "show": setup.shown, "step": setup.step, "shift": setup.shift, "theme": theme}
    )


def read(text: str) -> tuple[Setup, tuple[str, ...]]:
    """The lab of a query string, and a sentence for each part that was left out."""
    text = text.removeprefix("?")
    if len(text) > LONGEST:
        return FIRST, (f"The link is longer than {LONGEST} characters; the first figure is shown.",)
    pairs, faults = dict(parse_qsl(text, keep_blank_values=True)), list[str]()
    choice = FIRST.choice
    for name in (*MENUS, *RANGES):
        if name in pairs:
            choice = with_part(choice, name, pairs[name], RANGES, MENUS, faults)
    choice = replace(
        choice,
        points=_part(pairs, "points", _points, choice.points, faults),
        edits=_part(pairs, "edits", _edits, (), faults),
        truth=_part(pairs, "truth", _labels, (), faults),
    )
    step = pairs.get("step", "-1")
    known = {*OTHERS, *MENUS, *RANGES}
    faults += [f"The link's part {name[:40]!r} is not known and was left out." for name in pairs if name not in known]
    family = pairs.get("family", FIRST.family)
    fitted = choice.fitted()
    faults += _misfits(pairs, choice, fitted)
    return Setup(
        fitted, family if family in FAMILIES else FIRST.family, pairs.get("show", FIRST.shown),
        int(step) if step.lstrip("-").isdecimal() else -1, _part(pairs, "shift", _shift, FIRST.shift, faults),
        _oracles(pairs.get("oracles", ""), faults), _part(pairs, "own", _labels, (), faults),
    ), tuple(faults)  # fmt: skip


def _misfits(pairs: dict[str, str], asked: Choice, fitted: Choice) -> list[str]:
    """What the items of the link have no room for."""
    faults = []
    if "groups" in pairs and fitted.groups != asked.groups:
        faults.append(f"The link asks for {asked.groups} clusters of {fitted.groups} items; k is {fitted.groups} now.")
    if asked.truth and not fitted.truth:
        faults.append(f"The link's truth is of {len(asked.truth)} items, which is not their number; it was left out.")
    if len(fitted.edits) < len({(min(i, j), max(i, j)) for i, j, _ in asked.edits}):
        faults.append("Some edits of the link name items that are not there, and were left out.")
    return faults


def _part(pairs: dict[str, str], name: str, reader: Any, default: Any, faults: list[str]) -> Any:
    """What a reader makes of a part of the link, or the default and a sentence."""
    if not pairs.get(name):
        return default
    try:
        return reader(pairs[name])
    except (ValueError, IndexError):
        faults.append(f"The link's {name} cannot be read as {pairs[name][:40]!r} and was left out.")
        return default


def _points(text: str) -> tuple[tuple[float, float], ...]:
    """Points of the unit square, in thousandths."""
    rows = [tuple(int(v) for v in row.split(",")) for row in text.split(";")]
    if not SIZES[0] <= len(rows) <= SIZES[1] or any(len(row) != 2 or min(row) < 0 or max(row) > 1000 for row in rows):
        raise ValueError(text)
    return tuple((x / 1000, y / 1000) for x, y in rows)


def _edits(text: str) -> tuple[tuple[int, int, float], ...]:
    """Entries "i-j:value"."""
    out = []
    for part in text.split(";"):
        pair, _, value = part.partition(":")
        i, j = (int(v) for v in pair.split("-"))
        if not (0 <= i < SIZES[1] and 0 <= j < SIZES[1] and abs(float(value)) <= LARGEST):
            raise ValueError(text)
        out.append((i, j, float(value)))
    return tuple(out)


def _labels(text: str) -> tuple[int, ...]:
    """One digit or letter for each item."""
    return tuple(DIGITS.index(letter) for letter in text)


def _shift(text: str) -> float:
    """A number in the slider's range."""
    if not abs(float(text)) <= LARGEST_SHIFT:
        raise ValueError(text)
    return float(text)


def clusterer_named(text: str) -> Any:
    """The clusterer that a text names, with its settings: "iterative k-means(restarts=5)"."""
    found = WRITTEN.fullmatch(text.strip())
    kind = next((one for one in CLUSTER_ORACLES if found and one.title == found["title"]), None)
    if found is None or kind is None:
        raise Refused(f"there is no clusterer {text[:40]!r}")
    types = {name: type(default) for name, default, _ in knobs(kind)}
    given = {}
    for part in filter(None, map(str.strip, (found["settings"] or "").split(","))):
        name, _, value = (piece.strip() for piece in part.partition("="))
        if name not in types:
            raise Refused(f"{kind.title} has no setting {name[:40]!r}")
        try:
            given[name] = types[name](value)
        except ValueError:
            raise Refused(f"{kind.title}: {name} cannot be {value[:40]!r}") from None
    return kind(**given)


def _oracles(text: str, faults: list[str]) -> tuple[Any, ...]:
    """The clusterers whose settings a link gives."""
    found = []
    for name in filter(None, text.split(";")):
        try:
            found.append(clusterer_named(name))
        except Refused as refusal:
            faults.append(f"A clusterer of the link was left out: {refusal}.")
    return tuple(found)
