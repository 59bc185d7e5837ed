"""What margin scaling and slack scaling each say about the same wrong answers."""

from typing import Any

from explorer.views.scalings.frame import ScalingsFrame
from explorer.wording import number, quantity


def sentence(shown: ScalingsFrame | None) -> str:
    """Which answer each scaling takes, and whether it is the same."""
    if shown is None:
        return "Nothing trained yet: press play, and the wrong answers that training meets appear here."
    if not len(shown.loss):
        return f"Example {shown.example}: training has met no wrong answer yet."
    few = f"Example {shown.example}, {quantity(len(shown.loss), 'wrong answer')} met up to step {shown.at}: "
    if shown.by_margin < 0 and shown.by_slack < 0:
        return few + "all are far enough behind the truth under either scaling."
    if shown.by_margin == shown.by_slack:
        return few + f"both scalings find {describe(shown, shown.by_margin)} most tempting."
    return (
        f"{few}margin scaling finds {describe(shown, shown.by_margin)} most tempting, "
        f"slack scaling {describe(shown, shown.by_slack)}."
    )


def describe(shown: ScalingsFrame, place: int) -> str:
    """An answer with its loss and margin."""
    if place < 0:
        return "none"
    loss, margin = float(shown.loss[place]), float(shown.margin[place])
    return f"{shown.texts[place]}, loss {number(loss)} and margin {number(margin)},"


def table(shown: ScalingsFrame | None) -> dict[str, Any]:
    """The answers as columns."""
    if shown is None:
        return {"answer": []}
    return {
        "answer": shown.texts,
        "found at": shown.found,
        "loss": shown.loss,
        "margin": shown.margin,
        "violation, margin scaling": shown.margin_violation,
        "violation, slack scaling": shown.slack_violation,
    }
