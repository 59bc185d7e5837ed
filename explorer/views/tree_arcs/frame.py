"""The dependency trees of one sentence as plain arrays: truth, prediction, and what the oracle finds.

    S[h, d] is the score of the edge from h to d at the weights looked at, score(tree) the sum over its edges;
    the most tempting tree has the largest  loss - (score(truth) - score(tree))

Predicted heads may run in a circle where the predictor is greedy: then its tokens are named. Cost: the scores
of one sentence and two decodings.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.runs.trace import Trace
from explorer.engine.structures.trees.dual_problem import KernelTrees
from explorer.engine.structures.trees.heads import crossing_edges, cycle, edges, symbol_loss
from explorer.engine.structures.trees.layout import answers
from explorer.engine.structures.trees.problem import DependencyTrees
from explorer.engine.vectors import Array, Ints
from explorer.views.kit.drawing.roles import ROLES
from explorer.wording import number, quantity


@dataclass(frozen=True, slots=True, eq=False)
class TreeFrame:
    """One sentence with the heads of its three trees; `scores[h, d - 1]` is that of the edge from h to d."""

    step: int | None
    name: str
    example: int
    examples: int
    words: tuple[str, ...]
    tags: tuple[str, ...]
    scores: Array
    heads: dict[str, Ints]
    loss: dict[str, float]
    violation: float

    def __len__(self) -> int:
        return len(self.words)

    @property
    def nodes(self) -> tuple[str, ...]:
        """The root and the words."""
        return ("root", *self.words)

    @property
    def circle(self) -> tuple[str, ...]:
        """The words whose predicted heads run in a circle."""
        return tuple(self.words[t - 1] for t in cycle(self.heads["guess"]))

    def score(self, role: str) -> float:
        """The sum over the edges of a tree."""
        return float(self.scores[self.heads[role], np.arange(len(self))].sum())


def frame(
    problem: DependencyTrees | KernelTrees, trace: Trace, at: int, example: int = 0, name: str = "Example"
) -> TreeFrame:
    """The trees of an example at the weights of step `at`, or at w = 0."""
    i = min(max(0, example), problem.n - 1)
    moment = trace.at(min(at, len(trace) - 1)) if len(trace) else None
    w = np.zeros(problem.dim) if moment is None else moment.w
    tables, found = problem.tables(w, i, i + 1), answers(problem, w, i, i + 1)
    heads = dict(
        zip(ROLES, (problem.dataset.labels[i], problem.predictor.best(tables), found.heads), strict=True)
    )
    losses = {role: problem.loss(i, label) for role, label in heads.items()}
    x = problem.dataset.inputs[i]
    violation = float(problem.pricing.violations(found.margins, found.losses)[0])
    step = None if moment is None else moment.at
    return TreeFrame(
        step, name, i, problem.n, x.words, x.tags, tables.one(0).copy(), heads, losses, violation
    )


def arcs(shown: TreeFrame, role: str, points: int = 25) -> tuple[list[Array], list[Array]]:
    """The arcs of a tree as lines from head to dependent; words lie at x = 1, 2, ..., the root at 0.

    An arc is half an ellipse, as high as the root of the words that it spans; the most tempting tree hangs
    below.
    """
    turn = np.linspace(0.0, np.pi, points)
    below = role == ROLES[2]
    xs, ys = [], []
    for d, h in enumerate(shown.heads[role].tolist(), start=1):
        middle, half = 0.5 * (h + d), 0.5 * (d - h)
        high = np.sqrt(abs(d - h)) * np.sin(turn)
        xs.append(middle - half * np.cos(turn))
        ys.append(-GAP - high if below else GAP + high)
    return xs, ys


GAP = 0.28
"""Between the line of the words and where arcs begin."""


def sentence(shown: TreeFrame) -> str:
    """How many heads are wrong in the prediction, and what the oracle found."""
    begun = "untrained" if shown.step is None else f"step {shown.step}"
    wrong = int(np.count_nonzero(shown.heads["guess"] != shown.heads["truth"]))
    text = f"{shown.name} {shown.example}, {begun}: "
    text += f"{quantity(wrong, 'wrong head')} of {len(shown)}" if wrong else "every head is right"
    text += f", {wrong_edges(shown):.0%} of the edges" if wrong else ""
    if shown.circle:
        text += f"; no tree, the heads of {', '.join(shown.circle)} run in a circle"
    elif crossing_edges(shown.heads["guess"]):
        text += "; arcs cross"
    other = int(np.count_nonzero(shown.heads["most tempting"] != shown.heads["truth"]))
    if not other:
        return f"{text}. The oracle finds nothing that is violated more than the truth."
    return (
        f"{text}. The most tempting tree has {quantity(other, 'wrong head')} and is violated by "
        f"{number(shown.violation)}."
    )


def wrong_edges(shown: TreeFrame) -> float:
    """The loss of the predicted edges as a set of symbols: the share of wrong heads."""
    return symbol_loss(edges(shown.heads["truth"]), edges(shown.heads["guess"]))


def table(shown: TreeFrame) -> dict[str, Any]:
    """Every word with its three heads and the scores of their edges."""
    at = np.arange(len(shown))
    columns: dict[str, Any] = {"word": list(shown.words), "tag": list(shown.tags)}
    for role in ROLES:
        heads = shown.heads[role]
        columns[f"head, {role}"] = [shown.nodes[h] for h in heads.tolist()]
        columns[f"score, {role}"] = [float(v) for v in shown.scores[heads, at]]
    return columns
