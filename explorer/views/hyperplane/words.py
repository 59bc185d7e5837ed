"""What the hyperplane says, in words and as a table."""

import math
from typing import Any

import numpy as np

from explorer.views.hyperplane.frame import STATES, PlaneFrame
from explorer.wording import number, quantity

MOST_TERMS = 4
"""Planes of more features are not written out."""


def equation(shown: PlaneFrame) -> str:
    """The plane as an equation, or its number of features where they are many."""
    if len(shown.normal) > MOST_TERMS:
        return f"a plane in {quantity(len(shown.normal), 'dimension')}"
    terms = [(float(value), f" x{place + 1}") for place, value in enumerate(shown.normal)]
    return (
        " ".join(
            signed_term(value, name, not at) for at, (value, name) in enumerate([*terms, (shown.offset, "")])
        )
        + " = 0"
    )


def signed_term(value: float, name: str, first: bool) -> str:
    """A term of a sum with its sign."""
    sign = ("−" if value < 0.0 else "") if first else ("− " if value < 0.0 else "+ ")
    return f"{sign}{number(abs(value))}{name}"


def place(shown: PlaneFrame, i: int) -> str:
    """Where an example lies."""
    own, far = float(shown.own[i]), number(float(shown.distance[i]))
    side = (
        "on its own side of the plane" if own > 0.0 else "beyond the plane" if own < 0.0 else "on the plane"
    )
    return f"signed distance {far}, {side}"


def sentence(shown: PlaneFrame) -> str:
    """The plane, its margin, how many lie where, and where one example lies."""
    if math.isnan(shown.margin):
        return "There is no plane while the weights are 0: press play."
    kept = "" if shown.w_at in (-1, shown.step) else f" (weights of step {shown.w_at}, the nearest kept)"
    counts = np.bincount(shown.states, minlength=3)
    where = ", ".join(f"{count:,} {state}" for count, state in zip(counts, STATES, strict=True))
    i = shown.example
    return (
        f"Step {shown.step}{kept}: {equation(shown)}, margin 1/|w| = {number(shown.margin)}. {where}. "
        f"{shown.name} {i} ({shown.classes[shown.kind[i]]}): {place(shown, i)}, "
        f"slack {number(float(shown.slack[i]))}."
    )


def table(shown: PlaneFrame) -> dict[str, Any]:
    """Every example with its distance."""
    return {
        "example": list(range(shown.examples)),
        "class": [shown.classes[k] for k in shown.kind],
        "signed distance": shown.distance.tolist(),
        "on its own side": shown.own.tolist(),
        "slack": shown.slack.tolist(),
        "state": [STATES[s] if not math.isnan(shown.margin) else "" for s in shown.states],
    }
