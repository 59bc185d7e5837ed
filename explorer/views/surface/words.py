"""What the surface says, in words and as a table."""

from typing import Any

import numpy as np

from explorer.views.surface.cuts import LowerModel, SurfaceFrame
from explorer.views.surface.frame import ObjectiveFrame
from explorer.wording import number, quantity

SAME = 1e-6
"""Heights that differ by no more than this share touch."""


def objective_sentence(shown: ObjectiveFrame) -> str:
    """What is drawn, where the lowest point is, and where the cursor stands."""
    if shown.dim == 2:
        text = f"Objective over both weights, C = {number(shown.C)}."
    else:
        text = f"Slice of {shown.dim} dimensions through 0, {shown.where.words} and the last w; "
        text += f"C = {number(shown.C)}."
    if shown.looked < shown.n:
        text += f" Estimated from {shown.looked} of {shown.n} examples."
    text += f" Lowest grid point{spot(shown, *shown.lowest[:2])}: J = {number(shown.lowest[2])}."
    if not len(shown.steps):
        return text + " Nothing trained yet: press play to see the way down."
    value = float(shown.primal[shown.here])
    height = "objective not computed" if np.isnan(value) else f"J = {number(value)}"
    return text + f" Step {shown.at}{spot(shown, *shown.path[shown.here])}: {height}."


def spot(shown: ObjectiveFrame, s: float, t: float) -> str:
    """A point of the weight plane in words; coordinates of a slice mean nothing to a reader."""
    return f" at ({s:.3f}, {t:.3f})" if shown.dim == 2 else ""


def table(shown: ObjectiveFrame) -> dict[str, Any]:
    """The path in the picture's coordinates."""
    across, up = shown.path.T
    return {"step": shown.steps, "across": across, "up": up, "objective": shown.primal}


def sentence(shown: SurfaceFrame) -> str:
    """What the cuts say here, what the new ones change, and how far the objective lies above."""
    over, model = shown.objective, shown.model
    if model is None:
        return f"{shown.why} {objective_sentence(over)}".strip()
    parts = [] if over.dim == 2 else [f"Slice through 0, {over.where.words} and the last w."]
    parts += [f"C = {number(over.C)}, {quantity(model.size, 'cut')}: {change(over, model)}.", *model.notes]
    if len(model.cuts) and not model.cuts.joint:
        parts.append(f"Regions are those of example {model.cuts.example[-1]}.")
    if over.looked < over.n:
        parts.append(f"J is estimated from {over.looked} of {over.n} examples.")
    parts.append(f"Lowest J on the grid{spot(over, *over.lowest[:2])}: {number(over.lowest[2])}.")
    return " ".join([*parts, f"Step {over.at}{spot(over, *over.path[over.here])}: {gap(over, model)}."])


def change(over: ObjectiveFrame, model: LowerModel) -> str:
    """What the step's own cuts do to the model's minimum."""
    before, after, new = number(model.before[2]), number(model.after[2]), model.new
    what = "the model's minimum" + ("" if over.dim == 2 else " here")
    who, s = (f"cut {model.cuts.number[-1]}", "s") if new == 1 else (f"{new:,} new cuts", "")
    place = spot(over, *model.after[:2])
    if not new:
        return f"no new one, {what} stays {after}{place}"
    if before == after:
        return f"{who} leave{s} {what} at {after}{place}"
    verb = {1: "would raise", 2: "will, solved again, raise"}.get(model.phase, f"raise{s}")
    return f"{who} {verb} {what} from {before} to {after}{place}"


def gap(over: ObjectiveFrame, model: LowerModel) -> str:
    """The objective at the step's w, and how far the model lies below it there."""
    J = float(over.primal[over.here])
    if np.isnan(model.here):
        return "its w was not kept"
    if np.isnan(J):
        return f"the model is {number(model.here)}, J was not computed"
    away = J - model.here
    if abs(away) <= SAME * max(1.0, abs(J)):
        return f"J = {number(J)}, the model touches it"
    return (
        f"J = {number(J)}, the model {number(model.here)}, {number(abs(away))} "
        f"{'below' if away > 0 else 'above'}"
    )
