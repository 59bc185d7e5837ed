"""What a slice of the risk says, in words and as a table."""

from typing import Any

import numpy as np

from explorer.views.risk_slice.frame import EVERYONE, RiskSliceFrame
from explorer.wording import number, quantity


def sentence(shown: RiskSliceFrame | None) -> str:
    """What the cuts say along the way, what the new ones change, and how far the risk lies above."""
    if shown is None:
        return "Nothing trained yet: press play."
    what = shown.what
    whose = "" if shown.scope == EVERYONE else f" of {shown.scope}"
    words, there = shown.way.words, number(shown.low.risk)
    here = number(float(np.interp(shown.way.here, shown.risk_t, shown.risk)))
    if not shown.keeps:
        text = f"{words}: this learner keeps no cuts, so there is no lower model; the {what} here is {here}."
    elif not shown.cuts:
        text = f"{words} the model{whose} has no cut yet; the true {what} here is {here}."
    else:
        cuts, middle = quantity(shown.cuts, "cut"), change(shown)
        text = f"{words} the model{whose} has {cuts}; {middle}; the true {what} there is {there}."
    return " ".join([text, *shown.notes])


def change(shown: RiskSliceFrame) -> str:
    """What the new cuts do to the model where it is compared."""
    low, walked = shown.low, shown.way
    place = "its minimum" if low.inside or np.isnan(walked.there) else f"its value at {walked.goal}"
    if not shown.new:
        return f"{place} is {number(low.after)}"
    new, s = ("the new cut", "s") if shown.new == 1 else (f"the {shown.new:,} new cuts", "")
    if number(low.before) == number(low.after):
        return f"{new} leave{s} {place} at {number(low.after)}"
    verb = "would raise" if shown.waits else f"raise{s}"
    return f"{new} {verb} {place} from {number(low.before)} to {number(low.after)}"


def table(shown: RiskSliceFrame | None) -> dict[str, Any]:
    """The curves at the points where the risk was asked."""
    if shown is None:
        return {"t": [], "true risk": []}
    columns = {"w" if len(shown.way.w) == 1 else "t": shown.risk_t, f"true {shown.what}": shown.risk}
    if shown.keeps:
        curves = {"model": shown.model, "model without the new cuts": shown.before}
        columns |= {name: np.interp(shown.risk_t, shown.t, curve) for name, curve in curves.items()}
    return columns
