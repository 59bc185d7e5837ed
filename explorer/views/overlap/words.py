"""What the overlap of the cuts says."""

from typing import Any

from explorer.views.overlap.frame import OverlapFrame
from explorer.wording import number, quantity

ALIKE = 0.999
"""Cosine above which two cuts are as good as one."""


def name(shown: OverlapFrame, j: int) -> str:
    """A cut by its number, and its example where it has one."""
    cut = f"cut {shown.number[j]}" if shown.number[j] >= 0 else f"rule {-shown.number[j]}"
    return f"{cut} (example {shown.example[j]})" if shown.example[j] >= 0 else cut


def sentence(shown: OverlapFrame | None) -> str:
    """How many cuts there are, and which two are most alike."""
    if shown is None:
        return "This learner keeps no cuts that could be compared."
    if not shown.total:
        return "No cuts yet: press play."
    some = f"the {len(shown.number)} heaviest of " if shown.total > len(shown.number) else ""
    text = f"Step {shown.at}: {some}{quantity(shown.total, 'cut')}"
    if shown.closest is None:
        return f"{text}; with another one it can be compared."
    j, k = shown.closest
    cosine = float(shown.cosine[j, k])
    much = "; either could carry the weight of both" if cosine > ALIKE else ""
    return f"{text}; {name(shown, j)} and {name(shown, k)} are most alike, cosine {number(cosine)}{much}."


def table(shown: OverlapFrame | None) -> dict[str, Any]:
    """The matrix, a row for each cut."""
    if shown is None:
        return {"cut": []}
    columns = {name(shown, k): shown.cosine[:, k] for k in range(len(shown.number))}
    return {"cut": [name(shown, j) for j in range(len(shown.number))], "weight": shown.alpha} | columns
