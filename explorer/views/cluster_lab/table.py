"""The answers of all clusterers on one similarity, one part for each question; a name shows its film."""

from typing import Any, ClassVar

from explorer.engine.structures.clusterings.question import Question
from explorer.labs.clusterings.state import ClusterLab
from explorer.labs.compare import OracleComparison
from explorer.views.cluster_lab import words
from explorer.views.kit.controls.answer_table import AnswerTable


class ClusterAnswers(AnswerTable[ClusterLab]):
    """Table of answers."""

    title: ClassVar[str] = "Clusterers side by side"
    name_key: ClassVar[str] = "clusterers"
    help: ClassVar[str] = (
        "One similarity, clustered by everybody. Under: clusterings that may not be the best. Over: relaxed "
        "answers whose value is never below the best. Exact (framed): the best. Press a name to see the "
        "clusterer at work."
    )
    look = """
th, td { padding: 0 4px; }
td:nth-child(6), th:nth-child(6) { text-align: left; }
td:nth-child(6) { white-space: normal; line-height: 1.2; }
tr.group th { white-space: normal; padding: 5px 4px 2px; line-height: 1.25; color: var(--text); }
tr.exact th, tr.exact td { border-top: 2px solid var(--link); border-bottom: 2px solid var(--link); }
tr.exact th, tr.exact td { font-weight: 600; } tr.exact th { border-left: 2px solid var(--link); }
tr.exact td:last-child { border-right: 2px solid var(--link); }
"""

    def press(self, act: str, checked: bool | None) -> None:
        family, _, title = act.partition("/")
        if family in self.session.compared:
            self.session.look_at(family, title)

    def frame(self) -> dict[str, OracleComparison[Question]]:
        return self.session.compared

    def show(self, frame: dict[str, OracleComparison[Question]]) -> None:
        lab = self.session
        self.list.html = words.html(frame, lab.case.names, lab.choice.groups, f"{lab.family}/{lab.shown}")

    def sentence(self, frame: dict[str, OracleComparison[Question]]) -> str:
        return words.sentence(self.session.case, frame)

    def table(self, frame: dict[str, OracleComparison[Question]]) -> dict[str, Any]:
        return words.table(frame, self.session.case.names)
