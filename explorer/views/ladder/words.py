"""What the ladder says, in words and as a table."""

import math
from typing import Any

from explorer.engine.objective import HARD
from explorer.views.ladder.frame import STATES, LadderFrame
from explorer.wording import number


def slack_words(shown: LadderFrame) -> str:
    """The slack as a sum; under slack scaling the missing margin is multiplied by the loss."""
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
    text += f", '{truth}' is taken for '{guess}'" if shown.state == 2 else f", '{truth}' is predicted"
    text += f"{side(shown)}."
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


def side(shown: LadderFrame) -> str:
    """How far the example is from the line between two classes, and on whose side."""
    if math.isnan(shown.distance):
        return ""
    return f", {number(abs(shown.distance))} {'before' if shown.distance >= 0.0 else 'beyond'} the line"


def roles(shown: LadderFrame, y: int) -> str:
    """How an output is marked, in words."""
    marks = (("truth", shown.truth), ("guess", shown.guess), ("most tempting", shown.rival))
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
