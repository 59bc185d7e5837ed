"""The linear relaxation of correlation clustering: pairs may be together in part, but never break a triangle.

    max  sum_{i < j} K_ij e_ij      0 <= e <= 1,   e_ij + e_ik - e_jk <= 1 for all i, j, k

Finley 2009, OP 10, and OP 11 with the pairwise loss folded in. All 3 C(m, 3) triangles (1,653,900 at m = 150)
are never written down: each round adds those that the present shares break, and solves again from where it
was. The optimum is a bound; where its shares are whole they are the best clustering, and the answer is that.
Cost: a few linear programs with some rows for each pair; a similarity without structure takes many times as
long as a learned one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

from explorer.engine.structures.clusterings.oracles._kernel_question import refused_groups, refused_loss
from explorer.engine.structures.clusterings.oracles._program import ClusterProgram, clustering
from explorer.engine.structures.clusterings.question import Answer, Question
from explorer.engine.vectors import Array, Ints

MOST = 300
"""Items; the program has 44,850 pairs then."""


class RelaxationRound(NamedTuple):
    """The shares of all pairs, their value, and the broken triangles (i, j, k) added next: i is too much with
    j and k.
    """

    shares: Array
    triangles: Ints
    value: float


@final
@dataclass(frozen=True, slots=True)
class TriangleRelaxation:
    """A linear program over pairs, with triangles added as they are broken."""

    title: ClassVar[str] = "triangle relaxation"
    help: ClassVar[str] = (
        "Lets pairs be together in part; the best such shares bound every clustering, and often are one."
    )
    kind: ClassVar[str] = "over"

    def refuses(self, question: Question) -> str | None:
        """A number of clusters to keep to, a loss that does not fold, or too many items."""
        return refused_relaxation(question, self.title)

    def solve(self, question: Question) -> Answer:
        """The best shares, or the clustering that they are."""
        constant, program = _begun(question)
        for _ in _improved(program, constant):
            pass
        bound = constant + program.bound()
        if program.whole:
            label = clustering(program.shares, question.m)
            return Answer(label, max(bound, question.value(label)))
        return Answer(program.shares, max(bound, question.value(program.shares)))

    def rounds(self, question: Question) -> Iterator[RelaxationRound]:
        """Every solution on the way; the last one breaks no triangle."""
        constant, program = _begun(question)
        return _improved(program, constant)


def refused_relaxation(question: Question, title: str) -> str | None:
    """Why the relaxation cannot be asked."""
    reason = refused_groups(question, title) or refused_loss(question, title, "greedy merges")
    if reason is None and question.m > MOST:
        return f"{title} takes at most {MOST} items, not {question.m}; choose greedy merges"
    return reason


def _begun(question: Question) -> tuple[float, ClusterProgram]:
    folded = question.fold()
    assert folded is not None, "refuses() says so"
    return folded[0], ClusterProgram(folded[1])


def _improved(program: ClusterProgram, constant: float) -> Iterator[RelaxationRound]:
    while True:
        rows = program.triangles()
        yield RelaxationRound(program.shares.copy(), rows.triangles, constant + program.value)
        if not len(rows.start):
            return
        program.add(rows)
        program.solve()
