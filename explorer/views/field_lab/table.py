"""The answers of all oracles on one field, side by side; a name shows how that oracle works."""

from typing import Any, ClassVar

from explorer.engine.structures.fields.fields import Fields
from explorer.labs.compare import OracleComparison
from explorer.labs.fields.comparison import titles
from explorer.labs.fields.state import FieldLab
from explorer.views.field_lab import words
from explorer.views.kit.controls.answer_table import AnswerTable


class FieldAnswers(AnswerTable[FieldLab]):
    """Table of answers."""

    title: ClassVar[str] = "Oracles side by side"
    name_key: ClassVar[str] = "answers"
    help: ClassVar[str] = (
        "One field, decoded by every oracle that was chosen. Under: labellings that may not be the best. "
        "Over: relaxed answers whose bound is never below the best. Exact: both at once. Press a name to see "
        "the oracle at work."
    )
    look = "tr.best th, tr.best td { font-weight: 700; }"
    table = staticmethod(words.table)

    def press(self, act: str, checked: bool | None) -> None:
        if act in titles():
            self.session.look_at(act)

    def frame(self) -> OracleComparison[Fields]:
        return self.session.compared

    def show(self, frame: OracleComparison[Fields]) -> None:
        self.list.html = words.html(frame, self.session.shown)

    def sentence(self, frame: Any) -> str:
        return words.sentence(self.session.case, frame)
