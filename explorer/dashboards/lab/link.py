"""An oracle lab as a query string, and back: the instance, the oracles with their settings, the one looked at, its step.

    ?v=1&kind=complete&size=10&states=2&...&seed=12&oracles=greedy;belief propagation(damping=0.5)&show=greedy&step=3

Reading never fails as a whole: what cannot be used is left at its default and reported, each with one sentence.
"""

from dataclasses import asdict, fields
from typing import Any
from urllib.parse import parse_qsl, urlencode

from explorer.dashboards.link_parts import with_part
from explorer.engine.catalogue.oracle_names import oracle_named, spelled
from explorer.engine.refusals import Refused
from explorer.labs.fields.comparison import titles
from explorer.labs.fields.handover import taken
from explorer.labs.fields.instance import COUPLINGS, KINDS, LARGEST_SEED, SCORES, TAKEN, Choice, kind_named
from explorer.labs.fields.state import FIRST, Setup

VERSION = 1
LONGEST = 4000
"""A longer query is not read."""

MENUS = {"kind": (*KINDS, TAKEN), "scores": tuple(SCORES), "couplings": COUPLINGS}
RANGES = {"coupling": (0.0, 5.0), "attraction": (0.0, 1.0), "seed": (0, LARGEST_SEED)}
OTHERS = ("v", "oracles", "show", "step", "theme")


def query(setup: Setup, theme: str = "light") -> str:
    """The query string of a lab, without the question mark; all oracles with their usual settings are left out."""
    pairs: dict[str, Any] = {"v": VERSION, **asdict(setup.choice)}
    if list(setup.oracles) != titles():
        pairs["oracles"] = ";".join(setup.oracles)
    return urlencode(pairs | {"show": setup.shown, "step": setup.step, "theme": theme})


def read(text: str) -> tuple[Setup, tuple[str, ...]]:
    """The lab of a query string, and a sentence for each part that was left out."""
    text = text.removeprefix("?")
    if len(text) > LONGEST:
        return FIRST, (f"The link is longer than {LONGEST} characters; the first instance is shown.",)
    pairs, faults = dict(parse_qsl(text, keep_blank_values=True)), []
    choice = FIRST.choice
    for part in fields(Choice):
        if part.name in pairs:
            choice = with_part(choice, part.name, pairs[part.name], RANGES, MENUS, faults)
    if choice.kind == TAKEN and taken(choice.taken) is None:
        faults.append("The example that the link names is no longer kept here: open it again from the studio.")
        choice = FIRST.choice
    fitted = choice.fitted()
    if (fitted.size, fitted.states) != (choice.size, choice.states) and {"size", "states"} & set(pairs):
        faults.append(f"{kind_named(choice.kind).title}: size and states of the link were brought into range.")
    oracles = _oracles(pairs.get("oracles", ";".join(titles())), faults)
    step = pairs.get("step", "-1")
    shown = pairs.get("show", FIRST.shown)
    faults += [f"The link's part {name[:40]!r} is not known and was left out." for name in _unknown(pairs)]
    return Setup(fitted, oracles, shown, int(step) if step.lstrip("-").isdecimal() else -1), tuple(faults)


def _unknown(pairs: dict[str, str]) -> list[str]:
    known = {*OTHERS, *(part.name for part in fields(Choice))}
    return [name for name in pairs if name not in known]


def _oracles(text: str, faults: list[str]) -> tuple[str, ...]:
    """The oracles that a link names, each once, in menu order; all of them if it names none that exists."""
    found = {}
    for name in filter(None, text.split(";")):
        try:
            oracle = oracle_named(name)
            found[oracle.title] = spelled(oracle)
        except Refused as refusal:
            faults.append(f"An oracle of the link was left out: {refusal}.")
    kept = tuple(found[title] for title in titles() if title in found)
    return kept or tuple(titles())
