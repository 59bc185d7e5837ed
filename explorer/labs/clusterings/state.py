"""What the clustering lab shows: the instance, the answers to both questions, the clusterer looked at, and
its step.

Every change makes new frozen records: a `Choice` gives an instance, the clusterers' settings the answers, and
the clusterer that is looked at its film. `tick` counts the changes that views have to draw, `step` is where
the film stands.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import param

from explorer.engine.catalogue.oracle_names import spelled
from explorer.engine.structures.clusterings.oracles import CLUSTER_ORACLES
from explorer.engine.structures.clusterings.partitions import canonical
from explorer.engine.structures.clusterings.question import Question
from explorer.engine.vectors import Ints
from explorer.labs.clusterings.comparison import CORRELATION, FAMILIES, Answer, Comparison, compare
from explorer.labs.clusterings.film import Film, Step
from explorer.labs.clusterings.films.catalogue import film
from explorer.labs.clusterings.instance import POINTS, Choice, Instance, instance, moved
from explorer.labs.clusterings.losses import Shifted, shifted

LARGEST_SHIFT = 20.0


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that a link says; `oracles` are clusterers with other than their usual settings, `step` -1
    is the end.
    """

    choice: Choice = field(default_factory=Choice)
    family: str = CORRELATION
    shown: str = "greedy merges"
    step: int = -1
    shift: float = 2.0
    oracles: tuple[Any, ...] = ()
    own: tuple[int, ...] = ()


FIRST = Setup()
"""Figure 3.1, nine items, merged greedily; every clusterer of pairs finds its best clustering."""


class ClusterLab(param.Parameterized):
    """One instance, all answers, and the film of one clusterer."""

    tick = param.Integer(0, doc="Counts what was changed.")
    step = param.Integer(0, bounds=(0, None), doc="The step of the film that is shown.")
    picked = param.Tuple(None, length=2, allow_None=True, doc="The entry of K that is edited.")
    shift = param.Number(
        2.0, bounds=(-LARGEST_SHIFT, LARGEST_SHIFT), doc="What is added to the diagonal of K."
    )
    own = param.Parameter(
        (), doc="A clustering made by hand, measured instead of the step's; empty for none."
    )

    def __init__(self, setup: Setup = FIRST, **params: Any) -> None:
        super().__init__(shift=setup.shift, **params)
        self.choice = setup.choice.fitted()
        self.settings: dict[str, Any] = {oracle.title: oracle for oracle in setup.oracles}
        self.family, self.shown = setup.family, setup.shown
        self._answer()
        self._make_film()
        self.step = len(self.film) - 1 if setup.step < 0 else min(setup.step, len(self.film) - 1)
        self.own = setup.own if len(setup.own) == self.case.m else ()

    # what is shown ------------------------------------------------------------------------------------------

    @property
    def answer(self) -> Answer:
        """The answer of the clusterer that is looked at."""
        return next(one for one in self.compared[self.family].answers if one.title == self.shown)

    @property
    def question(self) -> Question:
        """What it was asked."""
        return self.compared[self.family].question

    @property
    def now(self) -> Step:
        """The step that is shown."""
        return self.film.steps[min(self.step, len(self.film) - 1)]

    @property
    def measured(self) -> Ints:
        """The clustering that is held against the truth: one made by hand, or the step's."""
        return canonical(self.own) if len(self.own) else canonical(self.now.labels)

    @property
    def drawing(self) -> bool:
        """Whether items are points that can be moved."""
        return self.choice.source == POINTS

    def setup(self) -> Setup:
        """What a link has to say to show this again."""
        last = self.step >= len(self.film) - 1
        changed = tuple(one for one in self.settings.values() if spelled(one) != one.title)
        return Setup(
            self.choice,
            self.family,
            self.shown,
            -1 if last else self.step,
            float(self.shift),
            changed,
            tuple(self.own),
        )

    def oracle(self) -> Any:
        """The clusterer that is looked at, with its settings."""
        kind = next(one for one in CLUSTER_ORACLES if one.title == self.shown)
        return self.settings.get(self.shown) or kind()

    def shifts(self) -> list[Shifted]:
        """Every k-means clusterer without and with the shift."""
        return shifted(self.case, float(self.shift), self.settings)

    # changes ------------------------------------------------------------------------------------------------

    def choose(self, **changes: Any) -> None:
        """Another instance or another question; what does not fit is brought into range."""
        if changes.get("source", self.choice.source) != self.choice.source:
            changes = {"edits": (), "truth": ()} | changes
        choice = replace(self.choice, **changes).fitted()
        if choice != self.choice:
            self.choice = choice
            self._changed()

    def draw(self, points: tuple[tuple[float, float], ...]) -> None:
        """Other points; edited entries and truth are kept while their number stays."""
        same = len(points) == len(self.choice.points)
        kept = {} if same else {"truth": (), "edits": ()}
        self.choose(points=tuple((round(float(x), 3), round(float(y), 3)) for x, y in points), **kept)

    def edit(self, i: int, j: int, value: float) -> None:
        """Overwrite an entry of K."""
        kept = tuple(one for one in self.choice.edits if one[:2] != (min(i, j), max(i, j)))
        self.choose(edits=(*kept, (min(i, j), max(i, j), round(float(value), 4))))

    def move_truth(self, item: int) -> None:
        """Put an item into another true cluster."""
        self.choose(truth=moved(self.case.truth, item))

    def move_own(self, item: int) -> None:
        """Put an item into another cluster of the clustering that is measured."""
        self.own = moved(self.measured, item)

    def look_at(self, family: str, title: str) -> None:
        """Show the film of this clusterer, from its end."""
        if any(one.title == title for one in self.compared[family].answers):
            self.family, self.shown = family, title
            self._tell()

    def configure(self, oracle: Any) -> None:
        """Give a clusterer other settings."""
        self.settings[type(oracle).title] = oracle
        self._changed()

    def look_at_step(self, step: int) -> None:
        """Go to a step; beyond either end is that end."""
        self.step = min(max(0, step), len(self.film) - 1)

    def _answer(self) -> None:
        """Ask every clusterer."""
        self.case: Instance = instance(self.choice)
        self.compared: dict[str, Comparison] = {
            family: compare(self.case, family, self.settings) for family in FAMILIES
        }

    def _make_film(self) -> None:
        """The film of the clusterer that is looked at; of the first one if it is not known."""
        self.family = self.family if self.family in FAMILIES else CORRELATION
        found = [one.title for one in self.compared[self.family].answers]
        self.shown = self.shown if self.shown in found else found[0]
        self.film: Film = film(self.case, self.compared[self.family], self.answer, self.oracle())

    def _changed(self) -> None:
        """Ask again, and show it."""
        self._answer()
        self._tell()

    def _tell(self) -> None:
        """Go to the end of the film, and tell the views once."""
        self._make_film()
        picked = self.picked if self.picked is not None and max(self.picked) < self.case.m else None
        own = self.own if len(self.own) == self.case.m else ()
        self.param.update(step=len(self.film) - 1, picked=picked, own=own, tick=self.tick + 1)


def entry(lab: ClusterLab, pair: tuple[int, int]) -> float:
    """The entry of K that is edited."""
    return float(np.asarray(lab.case.K)[pair])
