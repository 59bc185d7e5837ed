"""Where in the labellings the mistakes are, in words."""

from typing import Any

import numpy as np

from explorer.views.positions.frame import PositionsFrame
from explorer.wording import percent, quantity


def sentence(shown: PositionsFrame | None) -> str:
    """Where the guesses are wrong most often, and whether long labellings are worse."""
    if shown is None:
        return "Nothing trained yet: press play, and the mistakes are counted by position."
    some = "" if shown.looked == shown.n else f" of {shown.n:,}"
    text = f"Step {shown.at}, {shown.split} data, {quantity(shown.looked, 'example')}{some}: "
    at, wrong = shown.by_position.place, shown.by_position.wrong
    if not len(wrong) or not wrong.max():
        return f"{text}every {shown.part} is right."
    worst = int(np.argmax(wrong))
    text += f"{shown.part} {at[worst]} is wrong most often, in {percent(float(wrong[worst]))}"
    text += f" of {quantity(shown.by_position.count[worst], 'example')}"
    length, mean = shown.by_length.place, shown.by_length.wrong
    if len(length) < 2:
        return f"{text}."
    ends = f"{percent(float(mean[0]))} of the {shown.part}s at length {length[0]}"
    return f"{text}; by length, {ends}, {percent(float(mean[-1]))} at length {length[-1]}."


def table(shown: PositionsFrame | None) -> dict[str, Any]:
    """The shares, positions first, then lengths."""
    if shown is None:
        return {"place": []}
    both = [
        (f"{kind} {place}", share, count)
        for kind, part in ((shown.part, shown.by_position), ("length", shown.by_length))
        for place, share, count in zip(part.place, part.wrong, part.count, strict=True)
    ]
    names, wrong, count = zip(*both, strict=True)
    return {"place": names, "wrong": [float(share) for share in wrong], "examples": count}
