"""The regularisation path as numbers: what is proved, and what is lost, at every C between its points.

At each C the figures are those of the point that `at` would choose, the one that proves the smallest gap
there, so curves of losses and norms are steps and the gap is a row of arches below eps. Cost: linear in
points times places on the axis.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.refusals import Refused
from explorer.engine.runs.path import PathPoint, Trying, at, summary
from explorer.engine.vectors import Array, squared_norm
from explorer.wording import as_sentence, number, quantity

PLACES = 500
"""How many values of C the curves are drawn at, besides the points' own."""

LABEL = 0.22, 0.15
"""Room that the number beside a point takes, as shares of the width and height of a narrow figure."""

COLUMNS = ("C", "gap", "train_loss", "test_loss", "norm")


@dataclass(frozen=True, slots=True)
class PathReading:
    """What the path says about one C, without training there."""

    C: float
    lower: float
    upper: float
    gap: float
    exact: bool
    train_loss: float
    test_loss: float
    norm: float
    trained: float


@dataclass(frozen=True, slots=True, eq=False)
class PathFrame:
    """The path so far."""

    points: list[PathPoint]
    span: tuple[float, float, float]
    status: str
    message: str
    trying: Trying | None
    refusal: str
    asked: float
    look: PathReading | None
    doubt: str = ""


def frame(
    points: list[PathPoint],
    span: tuple[float, float, float],
    asked: float = math.nan,
    status: str = "stopped",
    message: str = "",
    trying: Trying | None = None,
    refusal: str = "",
    doubt: str = "",
) -> PathFrame:
    """The path from span[0] to span[1] within span[2], read at `asked`; `doubt`: why it is no proof."""
    return PathFrame(points, span, status, message, trying, refusal, asked, reading_at(points, asked), doubt)


def reading_at(points: list[PathPoint], C: float) -> PathReading | None:
    """The figures at one C; None where no point reaches."""
    try:
        point = at(points, C) if points else None
    except Refused:
        point = None
    if point is None:
        return None
    found, norm = point.bounds_at(C), math.sqrt(squared_norm(point.w))
    return PathReading(
        C,
        found.dual,
        found.primal,
        found.relative_gap,
        found.certificate,
        point.train_loss,
        point.test_loss,
        norm,
        point.C,
    )


def curves(points: list[PathPoint], low: float, high: float) -> dict[str, Array]:
    """The chosen point's figures at many C from low to high; NaN where no point reaches."""
    places = np.geomspace(low, high, PLACES)
    ends = [C for point in points for C in (point.low, point.C, point.high) if low < C < high]
    C = np.unique(np.concatenate([places, ends]))
    columns = {name: np.full(len(C), math.nan) for name in COLUMNS} | {"C": C}
    best = np.full(len(C), math.inf)
    for point in points:
        # The closed form holds for a whole axis as for one C.
        found = point.bounds_at(C)  # type: ignore[arg-type]
        gap = np.maximum(found.primal - found.dual, 0.0) / np.maximum(np.abs(found.primal), 1e-300)
        better = (point.low <= C) & (point.high >= C) & (gap < best)
        best = np.where(better, gap, best)
        norm = math.sqrt(squared_norm(point.w))
        for name, value in zip(COLUMNS[1:], (gap, point.train_loss, point.test_loss, norm), strict=True):
            columns[name] = np.where(better, value, columns[name])
    return columns


def trail(points: list[PathPoint]) -> dict[str, Array]:
    """The trained points by rising C, with |w|^2: where runs are not precise, it may fall on the way."""
    rows = summary(points)
    kept = rows["norm"] > 0.0
    return {name: rows[name][kept] for name in ("C", "train_loss", "test_loss")} | {
        "norm2": rows["norm"][kept] ** 2
    }


def price_labels(found: dict[str, Array]) -> tuple[Array, Array, list[str]]:
    """Where C is written beside a trail: at its end, and at points that leave room for the number before."""
    x, upper = found["norm2"], np.fmax(found["train_loss"], found["test_loss"])
    wide, high = (float(np.ptp(v)) or 1.0 if len(v) else 1.0 for v in (np.log(x), upper))
    at: list[int] = []
    for k in reversed(range(len(x))):
        far = [(abs(math.log(x[k] / x[j])) / wide, abs(upper[k] - upper[j]) / high) for j in at]
        if all(across >= LABEL[0] or up >= LABEL[1] for across, up in far):
            at.insert(0, k)
    return x[at], upper[at], [f"{C:.2g}" for C in found["C"][at]]


def ends_of(values: Array) -> dict[str, float]:
    """A logarithmic axis on which the values lie, with room for a label at the right."""
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.1, 10.0)
    room = max((high / low) ** 0.06, 1.05)
    return {"start": low / room, "end": high * room**3}


def top(found: dict[str, Array]) -> float:
    """The largest loss of a trail."""
    return float(np.nanmax(np.concatenate([found["train_loss"], found["test_loss"]]), initial=0.0))


def sentence(shown: PathFrame) -> str:
    """How far the path is, and what it says about the C that is looked at."""
    if shown.refusal:
        return as_sentence(shown.refusal)
    return " ".join(filter(None, (progress(shown), here(shown))))


def progress(shown: PathFrame) -> str:
    """What has been traced, and what is being traced."""
    low, high, eps = shown.span
    if shown.status == "idle":
        promise = (
            f"and proves a gap of at most {eps:.1%} at every C between them"
            if not shown.doubt
            else f"to a gap of at most {eps:.1%}, which is no certificate: {shown.doubt}"
        )
        return (
            f"Not traced yet. Tracing trains a few points from C = {number(low)} to {number(high)}, "
            f"each from its neighbour, {promise}."
        )
    points = quantity(len(shown.points), "point")
    reached = min(high, max((point.high for point in shown.points), default=low))
    if shown.status == "running":
        share = math.log(reached / low) / math.log(high / low) if high > low else 0.0
        text = f"Tracing from C = {number(low)} to {number(high)}: {points}, {share:.0%} of the way"
        now = shown.trying
        if now is None:
            return f"{text}."
        gap = f", gap {now.relative_gap:.1%}" if math.isfinite(now.relative_gap) else ""
        return f"{text}; training at C = {number(now.C)}{gap}."
    calls = quantity(sum(point.oracle_calls for point in shown.points), "oracle call")
    exact = all(point.bounds.certificate for point in shown.points)
    doubt = shown.doubt or "the oracle is proved not to be exact"
    kept = (
        f"{points}, {calls}: a gap of at most {eps:.1%} at every C from {number(low)} to {number(reached)}"
        f"{'' if exact else f' (not a certificate: {doubt})'}."
        if shown.points
        else ""
    )
    whole = shown.status == "stopped" and reached >= high
    return kept if whole else f"{as_sentence(shown.message or 'cancelled')} {kept}".strip()


def here(shown: PathFrame) -> str:
    """The figures at the C that is looked at."""
    if not shown.points or math.isnan(shown.asked):
        return ""
    look = shown.look
    if look is None:
        return f"C = {shown.asked:.3g} is not on the path yet."
    test = f"test loss {number(look.test_loss)}" if math.isfinite(look.test_loss) else ""
    parts = [test, f"training loss {number(look.train_loss)}", f"|w| {number(look.norm)}"]
    return (
        f"At C = {look.C:.3g}: objective between {number(look.lower)} and {number(look.upper)} "
        f"(gap {look.gap:.2%}), {', '.join(filter(None, parts))}, from the point trained at C = "
        f"{look.trained:.3g}."
    )


def table(shown: PathFrame) -> dict[str, Any]:
    """One row per trained point."""
    return {
        name.replace("_", " ").replace("norm", "|w|"): values
        for name, values in summary(shown.points).items()
    }
