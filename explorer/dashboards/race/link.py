"""A race as a query string, and back.

    ?v=1&task=digit-words&data.n=100&...&learners=one-slack,frank-wolfe&C=10&...&clock=seconds&theme=dark

Every choice is written, defaults included, so that a link still shows the same race when defaults change.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace

from explorer.dashboards.address import THEME
from explorer.engine.catalogue.tasks import Task
from explorer.engine.refusals import Refused
from explorer.session.links import codec
from explorer.session.links.codec import Part, Reading
from explorer.session.links.files import file_parts
from explorer.session.links.recipes import take_recipe
from explorer.session.race import CLOCKS, FIRST, MOST_LANES, Race, Setup

SCALES = ("linear", "log")


@dataclass(frozen=True, slots=True)
class RaceLook:
    """How a race is drawn: the scales of its axes, whether its standings are shown, the theme, and which
    moment and example are looked at.
    """

    objective: str = "log"
    horizontal: str = "linear"
    standings: str = "shown"
    theme: str = "light"
    at: float = 1.0
    example: int = -1


RACE = (
    *(Part(name, getattr(FIRST, name), *Race.param[name].bounds) for name in ("C", "relative_gap", "passes")),
    Part("clock", FIRST.clock, menu=CLOCKS),
)
LOOK = (
    Part("objective", "log", menu=SCALES),
    Part("horizontal", "linear", menu=SCALES),
    Part("standings", "shown", menu=("shown", "hidden")),
    THEME,
    Part("at", 1.0, 0.0, 1.0),
    Part("example", -1, -1, 10**6),
)


@dataclass(frozen=True, slots=True)
class RaceLink:
    """What a query string says: the race, its look, and what could not be read."""

    setup: Setup = FIRST
    look: RaceLook = RaceLook()
    problems: tuple[str, ...] = ()


def query(setup: Setup, look: RaceLook) -> str:
    """The query string of a race, without the question mark."""
    problem = {"task": str(setup.task)} | {f"data.{name}": value for name, value in setup.data.items()}
    problem |= {f"model.{name}": value for name, value in setup.model.items()}
    problem |= file_parts(setup.task)
    who = {"learners": ",".join(setup.learners), "seed": setup.seed}
    return codec.query(
        problem | who | {part.name: getattr(setup, part.name) for part in RACE} | asdict(look), safe=","
    )


def read(text: str, opened: Iterable[Task] = ()) -> RaceLink:
    """The race of a query string, and a sentence for each part that was left out."""
    said = Reading(text, "the first race")
    setup = _problem(said, opened)
    setup = replace(setup, learners=_learners(setup, said), **said.take_all(RACE))
    return RaceLink(setup, RaceLook(**said.take_all(LOOK)), said.end())


def _problem(said: Reading, opened: Iterable[Task]) -> Setup:
    """The task, its data and model, and the seed; data that cannot be made are left out."""
    recipe = take_recipe(said, opened, ["task", "seed"], ["data.", "model."])
    if recipe is None:
        return FIRST
    setup = replace(FIRST, task=recipe.task, data=recipe.data, model=recipe.model, seed=recipe.seed)
    try:
        setup.refusals()
    except Refused as refusal:
        said.faults.append(f"The link's data were left out: {refusal}.")
        return replace(setup, data={}, model={})
    return setup


def _learners(setup: Setup, said: Reading) -> tuple[str, ...]:
    """The learners that a link names and that can take part, each once; the usual ones if it names too few or
    too many.
    """
    refused, known = setup.refusals(), Race.param.learners.objects
    names = said.take(
        Part("learners", (), reader=lambda text: tuple(dict.fromkeys(filter(None, text.split(",")))))
    )
    kept = [name for name in names if name in known and name not in refused]
    for name in names:
        if name not in kept:
            why = refused.get(name, "there is no such learner")
            said.leave_out(f"learner {name[:40]!r}", why.rstrip("."))
    if 2 <= len(kept) <= MOST_LANES:
        return tuple(kept)
    usual = tuple(dict.fromkeys(name for name in (*FIRST.learners, *known) if name not in refused))[:3]
    if names:
        found = f"The link has {len(kept)} learners that can race, not two to four"
        said.faults.append(f"{found}; {', '.join(usual)} race.")
    return usual


__all__ = ["RaceLink", "RaceLook", "query", "read"]
