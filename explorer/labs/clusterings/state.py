"""What the clustering lab shows: the similarity, all answers, the clusterer looked at, and its step."""

from dataclasses import dataclass, field, replace
from typing import Any

import param

from explorer.engine.catalogue.oracle_names import oracle_type, spell
from explorer.engine.structures.clusterings.oracles import CLUSTER_ORACLES
from explorer.engine.structures.clusterings.partitions import canonical
from explorer.engine.structures.clusterings.question import Question
from explorer.engine.vectors import Ints
from explorer.labs.clusterings.comparison import (
    CORRELATION,
    FAMILIES,
    clusterers,
    compare_clusterings,
    question_of,
    reply_of,
)
from explorer.labs.clusterings.film import ClusterStep
from explorer.labs.clusterings.films.catalogue import film
from explorer.labs.clusterings.instance import POINTS, ClusterChoice, cluster_case, move_on
from explorer.labs.clusterings.shift import LARGEST_SHIFT, ShiftRow, shift_rows
from explorer.labs.compare import Bench, OracleComparison, Reply
from explorer.labs.state import Lab


@dataclass(frozen=True, slots=True)
class ClusterSetup:
    """Everything that a link says; `oracles` have other than their usual settings, `step` -1 is the end."""

    choice: ClusterChoice = field(default_factory=ClusterChoice)
    family: str = CORRELATION
    shown: str = "greedy merges"
    step: int = -1
    shift: float = 2.0
    oracles: tuple[Any, ...] = ()
    own: tuple[int, ...] = ()


FIRST = ClusterSetup()
"""Figure 3.1, nine items, merged greedily; every clusterer of pairs finds its best clustering."""


class ClusterLab(Lab[ClusterStep]):
    """One similarity, all replies, and the film of one clusterer."""

    shift = param.Number(
        2.0, bounds=(-LARGEST_SHIFT, LARGEST_SHIFT), doc="What is added to the diagonal of K."
    )
    own = param.Parameter(
        (), doc="A clustering made by hand, measured instead of the step's; empty for none."
    )

    def __init__(self, setup: ClusterSetup = FIRST, **params: Any) -> None:
        super().__init__(shift=setup.shift, **params)
        self.settings: dict[str, Any] = {oracle.title: oracle for oracle in setup.oracles}
        self.family, self.shown = setup.family, setup.shown
        self._take(setup.choice.in_range())
        self._compare()
        self._make_film()
        self.open_at(setup.step)
        self.own = setup.own if len(setup.own) == self.case.m else ()

    # what is shown ------------------------------------------------------------------------------------------

    @property
    def reply(self) -> Reply:
        """The reply of the clusterer that is looked at."""
        return next(one for one in self.compared[self.family].replies if one.title == self.shown)

    @property
    def question(self) -> Question:
        """What it was asked."""
        return self.compared[self.family].question

    @property
    def measured(self) -> Ints:
        """The clustering that is held against the truth: one made by hand, or the step's."""
        return canonical(self.own) if len(self.own) else canonical(self.now.labels)

    @property
    def drawing(self) -> bool:
        """Whether items are points that can be moved."""
        return self.choice.source == POINTS

    def setup(self) -> ClusterSetup:
        """What a link has to say to show this again."""
        changed = tuple(one for one in self.settings.values() if spell(one) != one.title)
        shown = (self.choice, self.family, self.shown, self.link_step)
        return ClusterSetup(*shown, float(self.shift), changed, tuple(self.own))

    def oracle(self) -> Any:
        """The clusterer that is looked at, with its settings."""
        return self.settings.get(self.shown) or oracle_type(self.shown, CLUSTER_ORACLES)()

    def shifts(self) -> list[ShiftRow]:
        """Every k-means clusterer without and with the shift."""
        return shift_rows(self.case, float(self.shift), self.settings)

    # changes ------------------------------------------------------------------------------------------------

    def choose(self, **changes: Any) -> None:
        """Another similarity or another question; what does not fit is brought into range."""
        if changes.get("source", self.choice.source) != self.choice.source:
            changes = {"edits": (), "truth": ()} | changes
        choice = replace(self.choice, **changes).in_range()
        if choice != self.choice:
            self._take(choice)
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
        self.choose(truth=move_on(self.case.truth, item))

    def move_own(self, item: int) -> None:
        """Put an item into another cluster of the clustering that is measured."""
        self.own = move_on(self.measured, item)

    def look_at(self, family: str, title: str) -> None:
        """Show the film of this clusterer, from its end."""
        if any(one.title == title for one in self.compared[family].replies):
            self.family, self.shown = family, title
            self._show()

    def configure(self, oracle: Any) -> None:
        """Give a clusterer other settings."""
        self.settings[oracle.title] = oracle
        self._changed()

    def _take(self, choice: ClusterChoice) -> None:
        self.choice, self.case = choice, cluster_case(choice)
        self.benches = {family: Bench(question_of(self.case, family), reply_of) for family in FAMILIES}

    def _compare(self) -> None:
        """Ask every clusterer that has not answered yet."""
        self.compared: dict[str, OracleComparison[Question]] = {}
        for family, bench in self.benches.items():
            oracles = [self.settings.get(kind.title) or kind() for kind in clusterers(family)]
            self.compared[family] = compare_clusterings(bench.question, bench.replies(oracles))
        self.forget_films()

    def _make_film(self) -> None:
        """The film of the clusterer that is looked at; of the first one if it is not known."""
        self.family = self.family if self.family in FAMILIES else CORRELATION
        compared = self.compared[self.family]
        known = [one.title for one in compared.replies]
        self.shown = self.shown if self.shown in known else known[0]
        make = lambda: film(self.case, compared, self.reply, self.oracle())  # noqa: E731
        self.film = self.recall(f"{self.family}/{self.shown}", make)

    def _changed(self) -> None:
        self._compare()
        self._show()

    def _show(self) -> None:
        self._make_film()
        picked = self.picked if self.picked is not None and max(self.picked) < self.case.m else None
        self.tell(picked=picked, own=self.own if len(self.own) == self.case.m else ())
