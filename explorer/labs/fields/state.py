"""What the oracle lab shows: the field, the oracles asked, the one that is looked at, and its step."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from explorer.engine.catalogue.oracle_names import oracle_named, spell, title_in
from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.oracles.exhaustive import rank_labellings
from explorer.labs.compare import Bench, OracleComparison, Reply
from explorer.labs.fields.comparison import compare_fields, reply_of, titles
from explorer.labs.fields.film import FieldFilm, FieldStep
from explorer.labs.fields.films.catalogue import film
from explorer.labs.fields.instance import FieldChoice, field_case
from explorer.labs.film import NONE, blank_film
from explorer.labs.state import Lab


@dataclass(frozen=True, slots=True)
class FieldSetup:
    """Everything that a link says; `oracles` are names with settings, `step` -1 is the end of the film."""

    choice: FieldChoice = field(default_factory=FieldChoice)
    oracles: tuple[str, ...] = field(default_factory=lambda: tuple(titles()))
    shown: str = "belief propagation"
    step: int = -1


FIRST = FieldSetup(FieldChoice("complete", 10, 2, "uniform", seed=12))
"""Ten nodes on which belief propagation swings and ends at the 19th best labelling, roof duality leaves four
nodes open, and greedy search, conditional modes and expansions are stuck at three others.
"""


class FieldLab(Lab[FieldStep]):
    """One field, its replies, and the film of one oracle."""

    def __init__(self, setup: FieldSetup = FIRST, **params: Any) -> None:
        super().__init__(**params)
        self.names = {title_in(name): name for name in setup.oracles}
        self.settings = dict(self.names)
        self.shown = setup.shown
        self._take(setup.choice.in_range())
        self._compare()
        self._make_film()
        self.open_at(setup.step)

    # what is shown ------------------------------------------------------------------------------------------

    @property
    def reply(self) -> Reply | None:
        """The reply of the oracle that is looked at; None if no oracle is asked."""
        return self.compared.reply(self.shown)

    def setup(self) -> FieldSetup:
        """What a link has to say to show this again."""
        return FieldSetup(self.choice, tuple(self.names.values()), self.shown, self.link_step)

    def oracle(self) -> Any:
        """The oracle that is looked at, with its settings."""
        return oracle_named(self.settings.get(self.shown, self.shown))

    # changes ------------------------------------------------------------------------------------------------

    def choose(self, **changes: Any) -> None:
        """Another field; what does not fit its kind is brought into range."""
        choice = replace(self.choice, **changes).in_range()
        if choice != self.choice:
            self._take(choice)
            self._changed()

    def ask(self, asked: Iterable[str]) -> None:
        """Ask the oracles with these titles, each with the settings it had."""
        wanted = set(asked)
        self.names = {title: self.settings.get(title, title) for title in titles() if title in wanted}
        self._changed()

    def configure(self, oracle: Any) -> None:
        """Give an oracle other settings."""
        self.settings[oracle.title] = spell(oracle)
        if oracle.title in self.names:
            self.names[oracle.title] = self.settings[oracle.title]
            self._changed()

    def look_at(self, title: str) -> None:
        """Show the film of this oracle, from its end."""
        self.shown = title
        self._show()

    def run_slow(self) -> None:
        """Also ask the oracles that wait; may take seconds, and tells nobody: `show_slow` does."""
        self.bench.replies(self._oracles(), patient=True)

    def show_slow(self) -> None:
        """Show what `run_slow` has found."""
        self._changed()

    def _take(self, choice: FieldChoice) -> None:
        """Take a field; all its labellings are listed where that can be done."""
        self.choice, self.case = choice, field_case(choice)
        self.bench = Bench(self.case.field, reply_of)
        self.ranks = rank_labellings(self.case.field)

    def _oracles(self) -> list[Any]:
        return [oracle_named(name) for name in self.names.values()]

    def _compare(self) -> None:
        """Ask every oracle that has not answered yet."""
        replies = self.bench.replies(self._oracles())
        self.compared: OracleComparison[Fields] = compare_fields(self.case.field, replies, self.ranks)
        self.forget_films()

    def _make_film(self) -> None:
        """The film of the oracle that is looked at; of the first one if it is not asked."""
        if self.shown not in self.names:
            self.shown = next(iter(self.names), "")
        reply = self.reply
        self.film = (
            NOBODY
            if reply is None
            else self.recall(reply.name, lambda: film(self.case, self.compared, reply))
        )

    def _changed(self) -> None:
        self._compare()
        self._show()

    def _show(self) -> None:
        self._make_film()
        self.tell(picked=self.picked if self.picked is not None and self.picked < self.case.nodes else None)


_NOBODY = FieldStep("No oracle is asked: choose some on the left.", NONE, float("nan"))
NOBODY: FieldFilm = blank_film("", _NOBODY, "Nothing to show: no oracle is asked.")
