"""One picture with three boxes as plain arrays: truth, guess, and the most tempting box.

    cells[y, x] = w of the cell's word / columns;  score(box) = the sum of its cells;
    the most tempting box has the largest  loss - (score(truth) - score(box))

How many windows, or sets of windows, the oracle looked at stands beside how many there are. Cost: two
searches.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.runs.trace import Trace
from explorer.engine.structures.boxes.oracles import prediction, separation
from explorer.engine.structures.boxes.problem import BoxDetection
from explorer.engine.vectors import Array, Ints
from explorer.views.kit.drawing.roles import ROLES
from explorer.wording import number


@dataclass(frozen=True, slots=True, eq=False)
class BoxFrame:
    """One picture: its words, the score of every cell, and three boxes."""

    step: int | None
    name: str
    example: int
    examples: int
    picture: Ints
    words: tuple[str, ...]
    cells: Array
    boxes: dict[str, Ints]
    losses: dict[str, float]
    violation: float
    visited: int
    windows: int

    def score(self, role: str) -> float:
        """The sum over the cells of a box."""
        x0, y0, x1, y1 = self.boxes[role].tolist()
        return float(self.cells[y0:y1, x0:x1].sum())


def frame(problem: BoxDetection, trace: Trace, at: int, example: int = 0, name: str = "Example") -> BoxFrame:
    """The boxes of an example at the weights of step `at`, or at w = 0."""
    i = min(max(0, example), problem.n - 1)
    moment = trace.at(min(at, len(trace) - 1)) if len(trace) else None
    w = np.zeros(problem.dim) if moment is None else moment.w
    x, truth = problem.dataset.inputs[i], problem.dataset.labels[i]
    cells = problem.cells(w, x)
    guess = problem.predictor.find(prediction(cells))
    found = problem.separator.find(separation(cells, truth, problem.code, problem.pricing))
    boxes = dict(zip(ROLES, (truth, guess.box, found.box), strict=True))
    losses = {role: problem.loss(i, box) for role, box in boxes.items()}
    names = problem.dataset.meta.get("feature_names", [f"word {v + 1}" for v in range(problem.words)])
    return BoxFrame(
        None if moment is None else moment.at,
        name,
        i,
        problem.n,
        x,
        tuple(str(word) for word in names),
        cells,
        boxes,
        losses,
        found.value,
        found.visited,
        problem.labellings_count(i),
    )


def box_text(box: Any) -> str:
    """A box by its sides."""
    x0, y0, x1, y1 = (int(side) for side in box)
    return f"columns {x0}-{x1 - 1}, rows {y0}-{y1 - 1}"


def sentence(shown: BoxFrame) -> str:
    """How well the guess covers the truth, and what the oracle found how soon."""
    begun = "untrained" if shown.step is None else f"step {shown.step}"
    same = np.array_equal(shown.boxes["guess"], shown.boxes["truth"])
    text = f"{shown.name} {shown.example}, {begun}: "
    text += "the guess is right" if same else f"guess and truth share {share(shown):.0%} of their area"
    looked = f"The oracle looked {shown.visited:,} times to find the best of {shown.windows:,} windows"
    return f"{text}. {looked}; it is violated by {number(shown.violation)}."


def share(shown: BoxFrame) -> float:
    """The part of the area of guess and truth that they have in common."""
    (a, b, c, d), (e, f, g, h) = (shown.boxes[role].tolist() for role in ROLES[:2])
    common = max(0, min(c, g) - max(a, e)) * max(0, min(d, h) - max(b, f))
    return common / ((c - a) * (d - b) + (g - e) * (h - f) - common)


def table(shown: BoxFrame) -> dict[str, Any]:
    """The three boxes with score and loss."""
    return {
        "box": list(ROLES),
        "where": [box_text(shown.boxes[role]) for role in ROLES],
        "score": [shown.score(role) for role in ROLES],
        "loss": [shown.losses[role] for role in ROLES],
    }
