"""The margin ladder of one example: what every possible output scores, and the margin asked for.

    reach(y) = w . features(y) + asked(y),    violation H(y) = u(y) * (reach(y) - w . features(truth)),
    slack = max(0, max_y H(y))

with asked = r and u = 1 under margin scaling, asked = 1 and u = r under slack scaling; r is the loss, or its
root under a squared penalty. An example has no loss (slack 0), a margin too small (predicted rightly, slack
above 0) or is misclassified. Cost: one feature map per output; for the counts one oracle pass and one
prediction over at most `MOST_EXAMPLES` examples.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.contracts import Batch, Enumerates, Problem, TwoSided
from explorer.engine.objective import HARD, lift, slacks, sweep
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.classes.binary import signed_distance
from explorer.engine.vectors import Array, Ints, dot
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.drawing.thinning import evenly, part_of
from explorer.views.kit.memory import Memory
from explorer.views.ladder.inputs import InputPlane, image_of, plane_of

MOST_OUTPUTS = 40
TOO_MANY = f"The outputs of this example cannot be listed: choose one with at most {MOST_OUTPUTS}."
MOST_EXAMPLES, MOST_SINGLE = 4000, 100
"""Examples whose state is counted: in batches, or one at a time."""
STATES = ("no loss", "margin too small", "misclassified")


@dataclass(frozen=True, slots=True, eq=False)
class LadderFrame:
    """The rungs of one example; `truth`, `guess` and `rival` (the most tempting) index the outputs.

    `distance` is from the line between two classes, positive on the example's own side.
    """

    step: int | None
    w_at: int
    name: str
    example: int
    examples: int
    outputs: tuple[str, ...]
    score: Array
    loss: Array
    asked: Array
    factor: Array
    violation: Array
    truth: int
    guess: int
    rival: int
    pricing: Pricing
    phase: int
    counts: Ints
    image: Array | None
    plane: InputPlane | None
    distance: float = math.nan

    def __len__(self) -> int:
        return len(self.outputs)

    @property
    def own(self) -> float:
        """The score of the truth."""
        return float(self.score[self.truth])

    @property
    def reach(self) -> Array:
        """Each output's score plus the margin asked for; violated where that is above the truth's score."""
        return self.score + self.asked

    @property
    def slack(self) -> float:
        """What the most tempting output costs."""
        return max(0.0, float(self.violation.max()))

    @property
    def state(self) -> int:
        """Which of the three states the example is in."""
        return int(states_of(self.loss[[self.guess]], np.array([self.slack]))[0])


def states_of(losses: Array, slack: Array) -> Ints:
    """The state of each example, from the loss of its prediction and its slack."""
    return np.where(losses > 0.0, 2, np.where(slack > HARD, 1, 0))


def fits(problem: Problem) -> bool:
    """Whether the first example has few enough outputs to list them."""
    return bool(possible_outputs(problem, 0))


def possible_outputs(problem: Problem, i: int) -> list[Any]:
    """The possible outputs of an example; none where there are too many."""
    if not isinstance(problem, Enumerates) or not problem.n or problem.labellings_count(i) > MOST_OUTPUTS:
        return []
    return list(problem.labellings(i))


def frame(
    problem: Problem,
    trace: Trace,
    at: int,
    example: int = 0,
    name: str = "Example",
    phase: int = 0,
    aspect: float = 1.0,
    known: Memory | None = None,
) -> LadderFrame:
    """The ladder of an example at step `at`, or at w = 0; `known` remembers counts and regions."""
    i = min(max(0, example), problem.n - 1)
    outputs = possible_outputs(problem, i)
    if not outputs:
        raise Refused(TOO_MANY)
    moment = trace.at(min(at, len(trace) - 1)) if len(trace) else None
    w = np.zeros(problem.dim) if moment is None else moment.w
    step, w_at = (None, -1) if moment is None else (moment.at, moment.w_at)
    truth = _place(outputs, problem.dataset.labels[i])
    guess = _place(outputs, problem.predict(w, problem.dataset.inputs[i]))
    names = tuple(depiction_of(problem).label_text(problem, y, i) for y in outputs)
    score, loss, asked, factor = rungs(problem, w, i, outputs)
    H = factor * (score + asked - score[truth])
    rival = int(np.argmax(H)) if H.max() > 0.0 else truth
    memory = Memory(1) if known is None else known.of(problem, trace)
    counts = memory.get(("counts", w_at), lambda: count_states(problem, w))
    plane = memory.get(("plane", w_at, aspect), lambda: plane_of(problem, w, aspect))
    return LadderFrame(
        step,
        w_at,
        name,
        i,
        problem.n,
        names,
        score,
        loss,
        asked,
        factor,
        H,
        truth,
        guess,
        rival,
        problem.pricing,
        phase,
        counts,
        image_of(problem, i),
        plane,
        own_distance(problem, w, i),
    )


def own_distance(problem: Problem, w: Array, i: int) -> float:
    """How far an example of two classes lies on its own side of the line, negative beyond it; NaN without a
    line.
    """
    if not isinstance(problem, TwoSided):
        return math.nan
    normal, offset = problem.plane(w)
    if not np.any(normal):
        return math.nan
    return float(problem.signs[i]) * signed_distance(normal, offset, problem.dataset.inputs[i])


def _place(outputs: list[Any], label: Any) -> int:
    """Where an output stands in the list; one that is missing there is added."""
    for place, output in enumerate(outputs):
        if np.array_equal(output, label):
            return place
    outputs.append(label)
    return len(outputs) - 1


def rungs(problem: Problem, w: Array, i: int, outputs: list[Any]) -> tuple[Array, Array, Array, Array]:
    """Score, loss, margin asked for and factor u of each output."""
    g, pricing = lift(problem, w), problem.pricing
    score = np.array([dot(g, problem.features(i, y)) for y in outputs])
    loss = np.array([problem.loss(i, y) for y in outputs], dtype=float)
    size, factor = pricing.violations(np.zeros(len(loss)), loss), pricing.weights(loss)
    return score, loss, (size if pricing.scaling == "margin" else (loss > 0.0).astype(float)), factor


def count_states(problem: Problem, w: Array) -> Ints:
    """How many of the looked-at examples are in each of the three states."""
    batch = isinstance(problem, Batch)
    looked = evenly(problem.n, MOST_EXAMPLES if batch else MOST_SINGLE)
    part = problem if len(looked) == problem.n else problem.on(part_of(problem.dataset, looked))
    guesses = (
        part.predictions(w) if isinstance(part, Batch) else [part.predict(w, x) for x in part.dataset.inputs]
    )
    losses = np.array([part.loss(i, guess) for i, guess in enumerate(guesses)], dtype=float)
    return np.bincount(states_of(losses, slacks(part, sweep(part, w))), minlength=len(STATES))


def outputs_to_draw(shown: LadderFrame, most: int) -> Ints:
    """The outputs to draw where `most` have room: the three marked ones and those that reach highest."""
    marked = dict.fromkeys(
        [shown.truth, shown.guess, shown.rival, *np.argsort(-shown.reach, kind="stable").tolist()]
    )
    return np.sort(list(marked)[: max(3, most)])
