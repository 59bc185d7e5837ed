"""The weight vector by kind of feature, what the last step changed in it, and the way it has come.

    change_j = w_j(step) - w_j(kept step before),    path: |w| / |w_last|  and  cos(w, w_last)

Weights that belong to a state and a feature are a matrix, drawn as one small image per state where the
features are pixels; transitions are a matrix of states, with the first and the last state as one more row and
column, and so are the pairwise weights of graphs and of pairs of labels. Blue is negative, red positive, and
every clearly negative cell also carries a minus stroke. Cost: linear in the weights that the trace kept; at
most `MOST_CELLS` cells are drawn.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.contracts import Problem
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array, Ints
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.drawing.thinning import evenly
from explorer.views.kit.words.weight_names import WeightGroup, word_of
from explorer.views.weights.rival import Rival, Rivalry, compare, rival_sentence
from explorer.wording import number

MOST_CELLS = 5000
MOST_POINTS = 400
TOP = 12
FEW = 40
"""When not all features can be drawn, this many are: those with the largest weights."""

APART = 0.4
"""The row "start" and the column "stop" stand this far from the transitions."""

TILE_HEAD = 2.0
"""Cells of room above each small image for its name."""

STATES_DOWN = "features across, states down"
AXES = {"labels": "features across, labels down"}
SQUARE = ("transitions", "pairwise", "pairs")
"""Groups that are drawn beside the others."""

Named = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Cells at (x, y), y downwards, with what each stands for, and labels for the axes or the tiles."""

    title: str
    x: Array
    y: Array
    value: Array
    word: tuple[str, ...]
    across: Mapping[float, str]
    down: Mapping[float, str]
    tiles: tuple[tuple[float, float, str], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class WeightsFrame:
    """The weights of one step and how they came about."""

    at: int
    w_at: int
    before: int
    w: Array
    sheet: Sheet | None
    side: Sheet | None
    note: str
    top: Named
    changes: Named
    steps: Array
    norms: Array
    cosines: Array
    rivalry: Rivalry | None = None

    @property
    def since(self) -> str:
        """What the changes are counted from."""
        return f"since step {self.before}" if self.before >= 0 else "from 0"


def frame(
    problem: Problem,
    trace: Trace,
    at: int,
    aspect: float = 2.0,
    with_path: bool = True,
    rival: Rival | None = None,
) -> WeightsFrame | None:
    """The weights of the nearest kept step up to `at`, what it changed, and the path; None if untrained."""
    if not len(trace):
        return None
    moment = trace.at(min(at, len(trace) - 1))
    kept = sorted(trace.weights.kept)
    before = max((s for s in kept if s < moment.w_at), default=-1)
    old = trace.weights.kept[before] if before >= 0 else np.zeros_like(moment.w)
    parts = depiction_of(problem).weights(problem)
    sheet, side, note = sheets(problem, parts, moment.w, aspect)
    steps = np.array(kept)[evenly(len(kept) if with_path else 0, MOST_POINTS)]
    norms, cosines = path([trace.weights.kept[int(s)] for s in steps])
    return WeightsFrame(
        moment.at,
        moment.w_at,
        before,
        moment.w,
        sheet,
        side,
        note,
        biggest(parts, moment.w),
        biggest(parts, moment.w - old),
        steps,
        norms,
        cosines,
        compare(parts, moment.w, rival),
    )


def biggest(parts: tuple[WeightGroup, ...], values: Array, count: int = TOP) -> Named:
    """The entries of largest size, named in words, the largest first; zeros are left out."""
    size = np.abs(values)
    chosen = np.argpartition(-size, count)[:count] if len(size) > count else np.arange(len(size))
    chosen = chosen[np.argsort(-size[chosen], kind="stable")]
    return tuple((word_of(parts, int(j)), float(values[j])) for j in chosen if values[j] != 0.0)


def path(weights: list[Array]) -> tuple[Array, Array]:
    """Lengths, and cosines to the last vector; NaN where a vector is 0."""
    # Not w @ w: for products of this size the threads of the linear algebra library cost more than they save.
    norms = np.array([math.sqrt(np.einsum("i,i->", w, w)) for w in weights])
    along = np.array([float(np.einsum("i,i->", w, weights[-1])) for w in weights])
    with np.errstate(invalid="ignore", divide="ignore"):
        return norms, along / (norms * norms[-1:])


def sheets(
    problem: Problem, parts: tuple[WeightGroup, ...], w: Array, aspect: float
) -> tuple[Sheet | None, Sheet | None, str]:
    """The largest matrix of weights, the smaller one beside it, and what had to be left out.

    Without any matrix there is no sheet, and bars are drawn. `aspect` is width over height of the first.
    """
    found = {part.name: part for part in parts}
    matrices = [part for part in parts if part.cols > 1 and part.rows > 1 and part.name not in SQUARE]
    if not matrices:
        return None, None, ""
    main = max(matrices, key=lambda part: part.rows * part.cols)
    side = transition_sheet(found, w) if "transitions" in found else pair_sheet(problem, parts, w)
    room = MOST_CELLS - (len(side.value) if side else 0)
    shape = problem.dataset.meta.get("image_shape", (0, 0))
    pixels = math.prod(shape)
    if 0 < pixels <= main.rows and main.rows * main.cols <= room:
        rest = np.arange(pixels, main.rows)
        if len(rest) and side is None:
            side = table_sheet(main, w, rest, "others")
        return tile_sheet(main, w, shape, aspect), side, ""
    if main.rows * main.cols <= room:
        return table_sheet(main, w, np.arange(main.rows), AXES.get(main.name, STATES_DOWN)), side, ""
    keep = np.sort(np.argsort(-np.abs(main.cells(w)).max(axis=1), kind="stable")[:FEW])
    note = f"Shown are the {len(keep)} of {main.rows:,} features with the largest weights."
    return table_sheet(main, w, keep, AXES.get(main.name, STATES_DOWN)), side, note


def tile_sheet(part: WeightGroup, w: Array, shape: tuple[int, int], aspect: float) -> Sheet:
    """One small image per state, in as many columns as make them largest."""
    (high, wide), K = shape, part.cols
    down = high + TILE_HEAD + 0.5
    sizes = {n: min(aspect / (n * (wide + 1)), 1 / (math.ceil(K / n) * down)) for n in range(1, K + 1)}
    columns = max(sizes, key=lambda n: sizes[n])
    r, c, k = (a.ravel() for a in np.indices((high, wide, K)))
    x, y = k % columns * (wide + 1.0) + c, k // columns * down + r
    words = tuple(part.word(part.start + j) for j in range(len(r)))
    left, top = np.arange(K) % columns * (wide + 1.0), np.arange(K) // columns * down
    heads = zip(left + (wide - 1) / 2, top - 0.5 - TILE_HEAD / 2, map(part.col, range(K)), strict=True)
    what = "state" if part.name == "emissions" else "class"
    cells = w[part.start : part.start + len(r)]
    return Sheet(f"pixels for each {what}", x, y, cells, words, {}, {}, tuple(heads))


def table_sheet(part: WeightGroup, w: Array, keep: Ints, title: str = STATES_DOWN) -> Sheet:
    """The features `keep` from left to right, states downwards."""
    f, k = (a.ravel() for a in np.indices((len(keep), part.cols)))
    index = part.start + keep[f] * part.cols + k
    short = [part.row(int(r)).removeprefix("feature ") for r in keep]
    every = 1 if len(keep) <= 20 else math.ceil(len(keep) / 10)
    across = {float(j): short[j] for j in range(0, len(keep), every)}
    down = {float(j): part.col(j) for j in range(part.cols)}
    words = tuple(part.word(int(j)) for j in index)
    return Sheet(title, f.astype(float), k.astype(float), w[index], words, across, down)


def transition_sheet(found: Mapping[str, WeightGroup], w: Array) -> Sheet | None:
    """From the row's state to the column's, with a row "start" and a column "stop" where there are any."""
    part = found["transitions"]
    K = part.rows
    if (K + 1) ** 2 > MOST_CELLS // 2:
        return None
    y, x = np.divmod(np.arange(K * K, dtype=float), K)
    index = part.start + np.arange(K * K)
    across = down = {float(j): part.col(j) for j in range(K)}
    if "start" in found and "stop" in found:
        x, y = np.r_[x, np.arange(K), np.full(K, K + APART)], np.r_[y, np.full(K, -1 - APART), np.arange(K)]
        index = np.r_[index, found["start"].start + np.arange(K), found["stop"].start + np.arange(K)]
        across, down = across | {K + APART: "stop"}, down | {-1 - APART: "start"}
    words = tuple(word_of(tuple(found.values()), int(j)) for j in index)
    return Sheet("transitions", x, y, w[index], words, across, down)


def pair_sheet(problem: Problem, parts: tuple[WeightGroup, ...], w: Array) -> Sheet | None:
    """What each pair of neighbouring states, or of labels, adds: a square for each table, side by side."""
    found = depiction_of(problem).pair_cells(problem)
    if found is None or len(found.index) > MOST_CELLS // 2:
        return None
    K, tables = len(found.names), int(found.table.max(initial=0)) + 1
    left = found.table.astype(float) * (K + 1.0)
    across = {g * (K + 1.0) + j: name for g in range(tables) for j, name in enumerate(found.names)}
    down = {float(j): name for j, name in enumerate(found.names)}
    words = tuple(word_of(parts, int(j)) for j in found.index)
    return Sheet(
        found.title, left + found.column, found.row.astype(float), w[found.index], words, across, down
    )


def sentence(shown: WeightsFrame | None) -> str:
    """How long w is, and what this step changed most."""
    if shown is None:
        return "Nothing trained yet: press play, and the weights appear here."
    length = math.sqrt(np.einsum("i,i->", shown.w, shown.w))
    kept = "" if shown.w_at == shown.at else f" (of step {shown.w_at}, the nearest one kept)"
    text = f"Step {shown.at}: {len(shown.w):,} weights{kept}, |w| = {number(length)}."
    if shown.changes:
        name, change = shown.changes[0]
        verb = "rose" if change > 0 else "fell"
        text += f" Biggest change {shown.since}: {name} {verb} by {number(abs(change))}."
    else:
        text += f" Nothing changed {shown.since}."
    against = rival_sentence(shown.rivalry) if shown.rivalry else ""
    return " ".join(part for part in (text, shown.note, against) if part)


def table(shown: WeightsFrame | None) -> dict[str, Any]:
    """The largest weights and the largest changes, side by side."""
    if shown is None:
        return {"largest weights": [], "weight": [], "biggest changes": [], "change": []}
    count = max(len(shown.top), len(shown.changes), len(shown.rivalry.names) if shown.rivalry else 0)
    columns: dict[str, Any] = {}
    both = (("largest weights", "weight", shown.top), ("biggest changes", "change", shown.changes))
    for name, value, rows in both:
        padded = [*rows, *[("", "")] * (count - len(rows))]
        columns |= {name: [row[0] for row in padded], value: [row[1] for row in padded]}
    return columns if shown.rivalry is None else columns | _beside(shown.rivalry, count)


def _beside(shown: Rivalry, count: int) -> dict[str, Any]:
    """The rows of the comparison with a classifier of pairs, as long as the other columns."""
    fill = [""] * (count - len(shown.names))
    return {
        "at unit length": [*shown.names, *fill],
        "learned": [*map(float, shown.mine), *fill],
        "classifier of pairs": [*map(float, shown.theirs), *fill],
    }
