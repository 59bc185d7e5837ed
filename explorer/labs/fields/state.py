"""What the oracle lab shows: the instance, the oracles that are asked, the one that is looked at, and its
step.

Every change makes new frozen records: a `Choice` gives an instance, a list of names (`engine/naming.py`) the
answers, and the oracle that is looked at its film. `tick` counts the changes that views have to draw, `step`
is where the film stands.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import param

from explorer.engine.catalogue.oracle_names import oracle_named, spelled, title_in
from explorer.labs.fields.comparison import Answer, Bench, Comparison, titles
from explorer.labs.fields.film import NONE, Film, Step
from explorer.labs.fields.films.catalogue import film
from explorer.labs.fields.instance import Choice, instance


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that a link says about a lab; `oracles` are names with settings, `step` -1 is the end of the
    film.
    """

    choice: Choice = field(default_factory=Choice)
    oracles: tuple[str, ...] = field(default_factory=lambda: tuple(titles()))
    shown: str = "belief propagation"
    step: int = -1


FIRST = Setup(Choice("complete", 10, 2, "uniform", seed=12))
"""Ten nodes on which belief propagation swings and ends at the 19th best labelling, roof duality leaves four
nodes open, and greedy search, conditional modes and expansions are stuck at three others."""


NOBODY = Film("", (Step("No oracle is asked: choose some on the left.", NONE, float("nan")),), None, "")


class Lab(param.Parameterized):
    """One instance, its answers, and the film of one oracle."""

    tick = param.Integer(0, doc="Counts what was changed.")
    step = param.Integer(0, bounds=(0, None), doc="The step of the film that is shown.")
    picked = param.Integer(None, allow_None=True, doc="The node that is looked at.")

    def __init__(self, setup: Setup = FIRST, **params: Any) -> None:
        super().__init__(**params)
        self.choice = setup.choice.fitted()
        self.names = {title_in(name): name for name in setup.oracles}
        self.settings = dict(self.names)
        self.shown = setup.shown
        self.bench = Bench(instance(self.choice))
        self._decode()
        self.step = len(self.film) - 1 if setup.step < 0 else min(setup.step, len(self.film) - 1)

    # what is shown ------------------------------------------------------------------------------------------

    @property
    def answer(self) -> Answer | None:
        """The answer of the oracle that is looked at; None if no oracle is asked."""
        return self.compared.answer(self.shown)

    @property
    def now(self) -> Step:
        """The step that is shown."""
        return self.film.steps[min(self.step, len(self.film) - 1)]

    def setup(self) -> Setup:
        """What a link has to say to show this again."""
        last = self.step >= len(self.film) - 1
        return Setup(self.choice, tuple(self.names.values()), self.shown, -1 if last else self.step)

    # changes ------------------------------------------------------------------------------------------------

    def choose(self, **changes: Any) -> None:
        """Another instance; what does not fit its kind is brought into range."""
        choice = replace(self.choice, **changes).fitted()
        if choice == self.choice:
            return
        self.choice, self.bench = choice, Bench(instance(choice))
        self._changed()

    def ask(self, asked: Iterable[str]) -> None:
        """Ask the oracles with these titles, each with the settings it had."""
        wanted = set(asked)
        self.names = {title: self.settings.get(title, title) for title in titles() if title in wanted}
        self._changed()

    def configure(self, oracle: Any) -> None:
        """Give an oracle other settings."""
        title = type(oracle).title
        self.settings[title] = spelled(oracle)
        if title in self.names:
            self.names[title] = self.settings[title]
            self._changed()

    def look_at(self, title: str) -> None:
        """Show the film of this oracle, from its end."""
        self.shown = title
        self._changed()

    def look_at_step(self, step: int) -> None:
        """Go to a step; beyond either end is that end."""
        self.step = min(max(0, step), len(self.film) - 1)

    def patiently(self) -> None:
        """Also ask the oracles that wait; may take seconds, and tells nobody: `arrived` does."""
        self.bench.compare(list(self.names.values()), patient=True)

    def arrived(self) -> None:
        """Show what `patiently` has found."""
        self._changed()

    def oracle(self) -> Any:
        """The oracle that is looked at, with its settings."""
        return oracle_named(self.settings.get(self.shown, self.shown))

    def _decode(self) -> None:
        """Ask every oracle that has not answered yet, and make the film."""
        self.compared: Comparison = self.bench.compare(list(self.names.values()))
        if self.shown not in self.names:
            self.shown = next(iter(self.names), "")
        self.film: Film = film(self.compared, self.answer) if self.answer else NOBODY

    def _changed(self) -> None:
        """Decode, go to the end of the film, and tell the views once."""
        self._decode()
        node = self.picked if self.picked is not None and self.picked < self.bench.case.nodes else None
        self.param.update(step=len(self.film) - 1, picked=node, tick=self.tick + 1)
