"""Matrices side by side as columns for one picture: K, K with the loss folded in, and a step's shares.

Each matrix is a panel of m x m cells, `m + GAP` apart, drawn from the top; items stand in the order of the
last step's clusters, so that clusters are blocks. Around the cells of pairs that are together runs an
outline, made of the borders between cells that are inside and cells that are not. Cost: m^2 cells for each
panel.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.structures.clusterings.partitions import pair_vector, together
from explorer.engine.structures.clusterings.question import Question
from explorer.engine.vectors import Array, Ints
from explorer.labs.clusterings.film import ClusterStep
from explorer.labs.film import SURE

Entry = tuple[int, int]
GAP = 1.5
MOST_WRITTEN = 12
"""Values are written in matrices of this many items; in larger ones only a minus."""


@dataclass(frozen=True, slots=True, eq=False)
class MatrixPanel:
    """One matrix with its title; `shares` run from 0 to 1, similarities are signed."""

    title: str
    values: Array
    shares: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class MatrixCells:
    """Panels, the clustering that is outlined, the order of the items, and the entry that is edited."""

    panels: tuple[MatrixPanel, ...]
    labels: Ints
    order: Ints
    names: tuple[str, ...]
    picked: Entry | None = None

    @property
    def m(self) -> int:
        """How many items."""
        return len(self.order)

    @property
    def span(self) -> tuple[float, float]:
        """Width and height of everything, in cells."""
        return len(self.panels) * (self.m + GAP) - GAP, float(self.m)

    @property
    def signs(self) -> bool:
        """Whether only signs are written."""
        return self.m > MOST_WRITTEN


def frame(
    put: Question,
    step: ClusterStep,
    last: Ints,
    names: tuple[str, ...],
    picked: Entry | None,
    part: float = 1.0,
) -> MatrixCells:
    """What the matrices show at a step; the second one has `part` of the loss in it."""
    K, panels = put.K, [MatrixPanel("similarity K", put.K)]
    folded = put.fold() if put.asks_loss else None
    if folded is not None:
        added = part * (folded[1] - K)
        panels.append(MatrixPanel(adjusted_title(put, folded[1] - K, part), K + added))
    if step.shares is not None:
        panels.append(MatrixPanel(step.called, step.shares, shares=True))
    order = np.argsort(last, kind="stable") if len(last) else np.arange(len(K))
    return MatrixCells(tuple(panels), step.labels, order, names, picked)


def adjusted_title(put: Question, change: Array, part: float = 1.0) -> str:
    """The matrix with the loss, or a part of it: what was added to the pairs, by its size."""
    some = "the loss" if part == 1.0 else f"{100 * part:.0f}% of the loss"
    if put.groups is None:
        return f"with {some}: ±{part * float(np.abs(change).max(initial=0.0)):.4g}"
    return f"with {some}: K − {'' if part == 1.0 else f'{part:.2g} '}(100/k) Y Y'"


def adjustment(put: Question) -> str:
    """In words what the loss does to the similarity; empty where it is not asked for."""
    if not put.asks_loss:
        return ""
    folded = put.fold()
    if folded is None:
        return "This loss cannot be folded into K: it is no sum over pairs."
    if put.groups is None:
        each = f"{float(np.abs(folded[1] - put.K).max(initial=0.0)):.4g}"
        taken = f"The loss takes 100/T = {each} from pairs that are together in the truth"
        return f"{taken}, and adds {each} to the others."
    return "The loss takes 100 / (k |c|) from all pairs inside a true cluster c."


def cells(shown: MatrixCells) -> dict[str, Any]:
    """One row per cell: its place, value from -1 to 1 for the colour, text and who meets there."""
    columns: dict[str, list[Any]] = {
        name: [] for name in ("x", "y", "level", "text", "first", "second", "value", "share")
    }
    m, order = shown.m, shown.order
    row, column = (index.ravel() for index in np.indices((m, m)))
    for p, panel in enumerate(shown.panels):
        values = panel.values[np.ix_(order, order)].ravel()
        columns["x"] += (p * (m + GAP) + column).tolist()
        columns["y"] += (-row).tolist()
        columns["level"] += levels(values, panel.shares).tolist()
        columns["text"] += [
            cell_text(v, r == c, panel.shares, shown.signs)
            for v, r, c in zip(values, row, column, strict=True)
        ]
        columns["first"] += [shown.names[order[r]] for r in row]
        columns["second"] += [shown.names[order[c]] for c in column]
        columns["value"] += values.tolist()
        columns["share"] += [panel.shares] * len(values)
    return columns


def levels(values: Array, shares: bool) -> Array:
    """Colours: signed values by their root, so that small ones are seen; shares as they are."""
    if shares:
        return np.clip(values, -1.0, 1.0)
    return np.sign(values) * np.sqrt(np.abs(values) / (np.abs(values).max(initial=0.0) or 1.0))


def cell_text(value: float, diagonal: bool, share: bool, signs: bool) -> str:
    """What stands in a cell: the number, in large matrices the minus or a mark for a fractional share."""
    if signs:
        half = share and SURE < value < 1.0 - SURE
        return "·" if half else "−" if value < -SURE else ""
    if diagonal and (value == 0.0 or (share and abs(value - 1.0) <= SURE)):
        return ""
    text = f"{value:.2f}".rstrip("0").rstrip(".") if share or abs(value) < 10.0 else f"{value:.0f}"
    text = f"{value:.1f}".rstrip("0").rstrip(".") if not share and len(text) > 4 else text
    return text.replace("-0", "0", 1).replace("-", "−") if text in ("-0", "-0.0") else text.replace("-", "−")


def outlines(shown: MatrixCells) -> dict[str, Any]:
    """The borders between pairs that are together and the others, in every panel; none if all are single."""
    m, labels = shown.m, shown.labels[shown.order]
    if len(np.unique(labels)) == m:
        return {name: [] for name in ("x0", "y0", "x1", "y1")}
    inside = np.zeros((m + 2, m + 2), dtype=bool)
    inside[1:-1, 1:-1] = labels[:, None] == labels[None, :]
    named = np.full((m + 2, m + 2), -1)
    named[1:-1, 1:-1] = np.where(inside[1:-1, 1:-1], labels[:, None], -1)
    down = np.argwhere(named[:, 1:] != named[:, :-1])  # a border right of column c - 1, along row r
    along = np.argwhere(named[1:, :] != named[:-1, :])
    x0 = np.concatenate([down[:, 1] - 0.5, along[:, 1] - 1.5])
    x1 = np.concatenate([down[:, 1] - 0.5, along[:, 1] - 0.5])
    y0 = -np.concatenate([down[:, 0] - 1.5, along[:, 0] - 0.5])
    y1 = -np.concatenate([down[:, 0] - 0.5, along[:, 0] - 0.5])
    by = (m + GAP) * np.arange(len(shown.panels))[:, None]
    rows = len(shown.panels)
    return {
        "x0": (x0 + by).ravel(),
        "y0": np.tile(y0, rows),
        "x1": (x1 + by).ravel(),
        "y1": np.tile(y1, rows),
    }


def headings(shown: MatrixCells) -> dict[str, Any]:
    """Names of the items over and beside every panel."""
    m, panels = shown.m, len(shown.panels)
    left = np.repeat((m + GAP) * np.arange(panels), m)
    at, names = np.tile(np.arange(m), panels), [shown.names[item] for item in shown.order] * panels
    ends = np.full(panels * m, 0.5)
    return {
        "x": np.concatenate([left + at, left - ends]),
        "y": np.concatenate([ends, -at.astype(float)]),
        "text": names * 2,
        "above": np.repeat([True, False], len(at)),
    }


def titles(shown: MatrixCells) -> dict[str, Any]:
    """What each panel is, over its left end."""
    panels = len(shown.panels)
    left = (shown.m + GAP) * np.arange(panels) - 0.5
    return {"x": left, "y": np.full(panels, 0.5), "text": [panel.title for panel in shown.panels]}


def picked_cells(shown: MatrixCells) -> dict[str, Any]:
    """The two cells of the entry that is edited, in the first panel."""
    if shown.picked is None:
        return {"x": [], "y": []}
    where = np.argsort(shown.order)
    i, j = (int(where[item]) for item in shown.picked)
    return {"x": [i, j], "y": [-j, -i]}


def entry_at(shown: MatrixCells, x: float, y: float) -> tuple[int, int] | None:
    """The entry of K under a click on the first panel, smaller item first."""
    row, column = round(-y), round(x)
    if not (0 <= row < shown.m and 0 <= column < shown.m):
        return None
    i, j = sorted((int(shown.order[row]), int(shown.order[column])))
    return i, j


def tally(shown: MatrixCells) -> tuple[float, int, int]:
    """What K sums to inside the clusters, the pairs treated against their sign, and all pairs."""
    K, labels = pair_vector(shown.panels[0].values), together(shown.labels)
    against = np.sum((labels > 0) & (K < 0)) + np.sum((labels == 0) & (K > 0))
    return float(K @ labels), int(against), len(K)
