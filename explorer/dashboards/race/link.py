"""A race as a query string, and back; as command lines, one for each learner; and as a notebook cell.

    ?v=1&task=digit-words&data.n=100&...&learners=one-slack,frank-wolfe&C=10&...&clock=seconds&horizontal=log&theme=dark

Every choice is written, defaults included, so that a link still shows the same race when defaults change. Reading never
fails as a whole: what cannot be used is left at its default and reported, each with one sentence.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

from explorer.dashboards.link_parts import with_part
from explorer.engine.refusals import Refused
from explorer.session import link
from explorer.session.race import CLOCKS, FIRST, MOST_LANES, Race, Setup, refusals
from explorer.views.kit.theme import THEMES

VERSION = 1
LONGEST = 4000
"""A longer query is not read."""

SCALES = ("linear", "log")
RANGES = {name: Race.param[name].bounds for name in ("C", "relative_gap", "passes")}
MENUS = {
    "clock": tuple(CLOCKS), "objective": SCALES, "horizontal": SCALES, "standings": ("shown", "hidden"), "theme": tuple(THEMES),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Look:
    """How a race is drawn: the scales of its axes, whether its standings are shown, the theme."""

    objective: str = "log"
    horizontal: str = "linear"
    standings: str = "shown"
    theme: str = "light"


@dataclass(frozen=True, slots=True)
class Link:
    """What a query string says: the race, its look, and what could not be read."""

    setup: Setup = FIRST
    look: Look = Look()
    problems: tuple[str, ...] = ()


def query(setup: Setup, look: Look) -> str:
    """The query string of a race, without the question mark."""
    pairs: dict[str, Any] = {"v": VERSION, "task": setup.task}
    pairs |= {f"data.{name}": value for name, value in setup.data.items()}
    pairs |= {"learners": ",".join(setup.learners), "seed": setup.seed}
    return urlencode(pairs | {name: getattr(setup, name) for name in (*RANGES, "clock")} | asdict(look), safe=",")


def read(text: str) -> Link:
    """The race of a query string, and a sentence for each part that was left out."""
    text = text.removeprefix("?")
    if len(text) > LONGEST:
        return Link(problems=(f"The link is longer than {LONGEST} characters; the first race is shown.",))
    pairs, faults = dict(parse_qsl(text, keep_blank_values=True)), list[str]()
    version = pairs.pop("v", str(VERSION))
    if version != str(VERSION):
        faults.append(
            f"The link is of version {version[:20]}, this program reads version {VERSION}; what fits is used."
        )
    setup, look = _problem(pairs, faults), Look()
    setup = replace(setup, learners=_learners(pairs.pop("learners", ""), setup, faults))
    for name in (*RANGES, "clock"):
        if name in pairs:
            setup = with_part(setup, name, pairs.pop(name), RANGES, MENUS, faults)
    for part in fields(Look):
        if part.name in pairs:
            look = with_part(look, part.name, pairs.pop(part.name), {}, MENUS, faults)
    faults += [f"The link's part {name[:40]!r} is not known and was left out." for name in pairs]
    return Link(setup, look, tuple(faults))


def _problem(pairs: dict[str, str], faults: list[str]) -> Setup:
    """The task, its data and the seed, read as the studio reads them; data that cannot be made are left out."""
    names = [name for name in pairs if name in ("task", "seed") or name.startswith("data.")]
    found = link.read(urlencode({name: pairs.pop(name) for name in names}))
    faults += found.problems
    setup = replace(FIRST, task=found.recipe.task.name, data=found.recipe.data, seed=found.recipe.seed)
    try:
        refusals(setup.task, setup.data)
    except Refused as refusal:
        faults.append(f"The link's data were left out: {refusal}.")
        return replace(setup, data={})
    return setup


def _learners(text: str, setup: Setup, faults: list[str]) -> tuple[str, ...]:
    """The learners that a link names and that can take part, each once; the usual ones if it names too few or too many."""
    refused, known = refusals(setup.task, setup.data), Race.param.learners.objects
    kept = []
    for name in dict.fromkeys(filter(None, text.split(","))):
        if name in known and name not in refused:
            kept.append(name)
        else:
            why = refused.get(name, "there is no such learner")
            faults.append(f"The link's learner {name[:40]!r} was left out: {why.rstrip('.')}.")
    if 2 <= len(kept) <= MOST_LANES:
        return tuple(kept)
    usual = tuple(dict.fromkeys(name for name in (*FIRST.learners, *known) if name not in refused))[:3]
    if text:
        faults.append(f"The link has {len(kept)} learners that can race, not two to four; {', '.join(usual)} race.")
    return usual


def command_lines(setup: Setup) -> str:
    """The same runs as shell commands, one for each learner."""
    return "\n".join(link.command_line(recipe) for recipe in setup.lanes().values())


CELL = """import numpy as np

from explorer import Recipe, Trace, train
from explorer.engine.runs.streams import lockstep

same = {same}
settings = {settings}

recipes = {{name: Recipe(**same, learner=name, settings=chosen) for name, chosen in settings.items()}}
problem, test = next(iter(recipes.values())).problem()
runs = {{
    name: train(problem, recipe.make_learner(), seed=recipe.seed, rule=recipe.make_rule(), test=test, look_every=2.0)
    for name, recipe in recipes.items()
}}
traces = {{name: Trace() for name in runs}}
for name, event in lockstep(runs, by={clock!r}):
    traces[name].append(event)
for name, trace in traces.items():
    best = np.fmin.reduce(trace.column("primal"))
    print(f"{{name}}: objective {{best:.6g}}; {{trace.stops[-1][1].sentence}}")"""


def notebook_cell(setup: Setup) -> str:
    """A cell that runs the same race and keeps every learner's trace."""
    recipes = [recipe.plain() for recipe in setup.lanes().values()]
    own = {full.pop("learner"): full.pop("settings") for full in recipes}
    return CELL.format(same=_written(recipes[0]), settings=_written(own), clock=CLOCKS[setup.clock])


def _written(record: Mapping[str, Any]) -> str:
    """A dictionary as Python, a line for each entry."""
    return "{\n" + "".join(f"    {name!r}: {value!r},\n" for name, value in record.items()) + "}"


__all__ = ["Link", "Look", "command_lines", "notebook_cell", "query", "read"]
