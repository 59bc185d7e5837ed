"""The margin ladder of one example as plain arrays: what every possible output scores, and the margin asked
below the truth.

    reach(y) = w . features(y) + asked(y),    violation H(y) = u(y) * (reach(y) - w . features(truth)),
    slack = max(0, max_y H(y))

with asked = r and u = 1 under margin scaling, asked = 1 and u = r under slack scaling; r is the loss, or its
root under a squared penalty. An example has no loss (slack 0), a margin too small (predicted rightly, slack
above 0) or is misclassified. Cost: one feature map per output; for the counts one oracle pass and one
prediction over at most `MOST_EXAMPLES` examples.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.engine.contracts import Batch, Enumerates, Problem
from explorer.engine.objective import HARD, lifted, slacks, sweep
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array, Ints, dot
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.label_words import are_states
from explorer.views.kit.memory import Memory
from explorer.views.kit.thinning import evenly, part_of
from explorer.wording import number

MOST_OUTPUTS = 40
TOO_MANY = f"The outputs of this example cannot be listed: choose one with at most {MOST_OUTPUTS}."
MOST_EXAMPLES, MOST_SINGLE = 4000, 100
"""Examples whose state is counted: in batches, or one at a time."""

MOST_FEATURES = 4
"""Inputs with more features are not looked through for the two that differ."""

GRID = 96
"""Cells of the regions in each direction."""

STATES = ("no loss", "margin too small", "misclassified")
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class InputPlane:
    """Inputs as points, on one line where only one feature differs; `regions[v, u]` is the class predicted in
    a cell.
    """

    points: Array
    kind: Ints
    kinds: int
    box: Box
    regions: NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class LadderFrame:
    """The rungs of one example; `truth`, `guess` and `rival` (the most violated) are places among the
    outputs.
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

    def __len__(self) -> int:
        return len(self.outputs)

    @property
    def own(self) -> float:
        """The score of the truth."""
        return float(self.score[self.truth])

    @property
    def reach(self) -> Array:
        """How high each output comes with the margin that is asked for; violated where that is above the
        truth's score.
        """
        return self.score + self.asked

    @property
    def slack(self) -> float:
        """What the most violated output costs."""
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
    """The ladder of an example at the weights of step `at`, or at w = 0; `known` remembers counts and
    regions.
    """
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
    )


def _place(outputs: list[Any], label: Any) -> int:
    """Where an output stands in the list; one that is missing there is added."""
    for place, output in enumerate(outputs):
        if np.array_equal(output, label):
            return place
    outputs.append(label)
    return len(outputs) - 1


def rungs(problem: Problem, w: Array, i: int, outputs: list[Any]) -> tuple[Array, Array, Array, Array]:
    """Score, loss, margin asked for and factor u of each output."""
    g, pricing = lifted(problem, w), problem.pricing
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


# the input beside the ladder --------------------------------------------------------------------------------


def image_of(problem: Problem, i: int) -> Array | None:
    """The pixels of an input that is an image, top row first."""
    shape, inputs = problem.dataset.meta.get("image_shape"), problem.dataset.inputs
    if (
        shape is None
        or not isinstance(inputs, np.ndarray)
        or inputs.ndim != 2
        or np.prod(shape) > inputs.shape[1]
    ):
        return None
    return np.asarray(inputs[i, : int(np.prod(shape))].reshape(shape), dtype=float)


def _varying(problem: Problem) -> list[int]:
    """The features that differ among inputs that are points with known classes; none where there are many
    features.
    """
    inputs, labels = problem.dataset.inputs, problem.dataset.labels
    if not isinstance(inputs, np.ndarray) or inputs.ndim != 2 or inputs.shape[1] > MOST_FEATURES:
        return []
    known = (
        isinstance(labels, np.ndarray)
        and labels.ndim == 1
        and are_states(labels, len(depiction_of(problem).states(problem)))
    )
    return np.flatnonzero(np.ptp(inputs, axis=0) > 0.0).tolist() if known else []


def plane_of(problem: Problem, w: Array, aspect: float) -> InputPlane | None:
    """The inputs as points in a box `aspect` times as wide as high, and the class predicted in each of its
    cells.
    """
    axes = _varying(problem)
    if len(axes) not in (1, 2) or not isinstance(problem, Batch):
        return None
    data, flat = problem.dataset, len(axes) == 1
    points = np.column_stack([data.inputs[:, axes], np.zeros((problem.n, 2 - len(axes)))])
    box = _box(points, aspect, flat)
    across, up = (_middles(*box[:2], GRID), _middles(*box[2:], 1 if flat else GRID))
    grid = np.tile(data.inputs[0], (len(across) * len(up), 1))
    grid[:, axes] = np.column_stack([each.ravel() for each in np.meshgrid(across, up)])[:, : len(axes)]
    asked = problem.on(replace(data, inputs=grid, labels=np.zeros(len(grid), dtype=np.int64)))
    regions = np.array(asked.predictions(w), dtype=np.uint8).reshape(len(up), len(across))
    return InputPlane(points, data.labels, len(depiction_of(problem).states(problem)), box, regions)


def _middles(low: float, high: float, cells: int) -> Array:
    return low + (np.arange(cells) + 0.5) * (high - low) / cells


def _box(points: Array, aspect: float, flat: bool) -> Box:
    """All points with some room around them, on the same scale across and up; a line has any height."""
    (x, y), (wide, high) = 0.5 * (points.min(axis=0) + points.max(axis=0)), 0.58 * np.ptp(points, axis=0)
    if flat:
        return float(x - wide), float(x + wide), -1.0, 1.0
    high = max(high, wide / aspect)
    return float(x - aspect * high), float(x + aspect * high), float(y - high), float(y + high)


# words ------------------------------------------------------------------------------------------------------


def outputs_to_draw(shown: LadderFrame, most: int) -> Ints:
    """The outputs to draw when there is room for `most`: the three marked ones and those that reach
    highest.
    """
    marked = dict.fromkeys(
        [shown.truth, shown.guess, shown.rival, *np.argsort(-shown.reach, kind="stable").tolist()]
    )
    return np.sort(list(marked)[: max(3, most)])


def slack_words(shown: LadderFrame) -> str:
    """The slack as the picture's sum: under slack scaling what lacks to the margin counts as often as the
    loss says.
    """
    factor, text = float(shown.factor[shown.rival]), number(shown.slack)
    if shown.pricing.scaling == "margin" or factor == 1.0 or shown.rival == shown.truth:
        return text
    return f"{number(factor)} × {number(shown.slack / factor)} = {text}"


def _asks(shown: LadderFrame, y: int) -> str:
    """Where an output's score lies and what margin is asked between it and the truth's."""
    above = float(shown.score[y]) - shown.own
    place = "as high as" if above == 0.0 else f"{number(abs(above))} {'above' if above > 0 else 'below'}"
    who = "the loss" if shown.pricing.penalty == "linear" else "the root of the loss"
    asked = f"{who} asks for {number(float(shown.asked[y]))} between them"
    if shown.pricing.scaling == "slack":
        asked = (
            f"a margin of 1 is asked for, and {who} of {number(float(shown.factor[y]))} multiplies what lacks"
        )
    return f"'{shown.outputs[y]}' scores {place} '{shown.outputs[shown.truth]}', {asked}"


def sentence(shown: LadderFrame) -> str:
    """The example's state, and the sum that makes its slack."""
    truth, guess = shown.outputs[shown.truth], shown.outputs[shown.guess]
    kept = "" if shown.w_at in (-1, shown.step) else f" (weights of step {shown.w_at}, the nearest kept)"
    begun = "untrained" if shown.step is None else f"step {shown.step}{kept}"
    text = f"{shown.name} {shown.example}, {begun}: {STATES[shown.state]}"
    text += f", '{truth}' is taken for '{guess}'." if shown.state == 2 else f", '{truth}' is predicted."
    if shown.step is None:
        return f"Nothing trained yet, all scores are 0: press play. {text}"
    wrong = [y for y in range(len(shown)) if y != shown.truth]
    if not wrong:
        return f"{text} There is no other output."
    if shown.slack > HARD:
        return f"{text} {_asks(shown, shown.rival)}, so the slack is {slack_words(shown)}."
    near = max(wrong, key=lambda y: shown.reach[y])
    spare = max(0.0, shown.own - float(shown.reach[near]))
    return f"{text} {_asks(shown, near)}: {number(spare)} to spare, so the slack is 0."


def roles(shown: LadderFrame, y: int) -> str:
    """How an output is marked, in words."""
    marks = (("truth", shown.truth), ("predicted", shown.guess), ("most violated", shown.rival))
    return ", ".join(word for word, place in marks if place == y)


def rung_texts(shown: LadderFrame) -> list[str]:
    """One line of numbers for each output."""
    out = []
    for y, name in enumerate(shown.outputs):
        marks = f" ({roles(shown, y)})" if roles(shown, y) else ""
        values = [number(float(v[y])) for v in (shown.score, shown.loss, shown.asked, shown.violation)]
        out.append("{}{}: score {}, loss {}, margin asked {}, violation {}".format(name, marks, *values))
    return out


def table(shown: LadderFrame) -> dict[str, Any]:
    """Every output with its numbers and marks."""
    return {
        "output": list(shown.outputs),
        "score": shown.score.tolist(),
        "loss": shown.loss.tolist(),
        "margin": (shown.own - shown.score).tolist(),
        "margin asked": shown.asked.tolist(),
        "violation": shown.violation.tolist(),
        "marked": [roles(shown, y) for y in range(len(shown))],
    }
