"""What is drawn over all steps of a film, as columns: curves, a tree of merges, or bars.

A tree stands on its items; two blocks are joined at the height of the value after their merge, so that it
grows with the objective, and each joint says what it gained, in writing where that has room and under the
pointer always. Items stand in an order in which no lines cross. Cost: linear in what is drawn, and the square
of the written gains.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.vectors import Array, Ints
from explorer.labs.film import Curves, Film, MergeTree, ValueBars
from explorer.wording import with_sign

FEW = 8
"""Values over more bars have two digits."""

ACROSS, UP = 48.0, 14.0
"""Characters and lines of writing that a small picture has room for."""


@dataclass(frozen=True, slots=True, eq=False)
class OverFrame:
    """The film, the step, and the node whose curve stands out."""

    film: Film[Any]
    step: int
    picked: int | None = None

    @property
    def picture(self) -> Curves | MergeTree | ValueBars:
        """What is drawn."""
        return self.film.over


def curve_looks(curves: Curves, picked: int | None) -> tuple[list[bool], list[bool]]:
    """Which curves are dashed, and which one stands out: those of nodes if they end below the level."""
    below = curves.values[-1] < curves.level
    count = range(len(curves.names))
    dashed = [bool(below[j]) if len(curves.nodes) else j > 0 for j in count]
    return dashed, [bool(len(curves.nodes)) and curves.nodes[j] == picked for j in count]


def late_turns(curves: Curves) -> Ints:
    """How often each curve crosses the level in the second half."""
    late = curves.values[len(curves.values) // 2 :]
    return np.asarray((np.diff(late > curves.level, axis=0) != 0).sum(axis=0))


def leaf_order(tree: MergeTree) -> Ints:
    """The items so that every merge joins neighbours."""
    m = len(tree.names)
    block = {i: [i] for i in range(m)}
    for join in tree.joins:
        a, b = (block[int(side[0])] for side in (join.first, join.second))
        joined = a + b if a[0] < b[0] else b + a
        for item in joined:
            block[item] = joined
    done: list[int] = []
    for item in range(m):
        if item not in done:
            done += block[item]
    return np.array(done, dtype=np.int64)


def heights(tree: MergeTree) -> list[float]:
    """The values that the tree reaches."""
    return [tree.start, *(join.value for join in tree.joins)]


def joints(tree: MergeTree, step: int) -> dict[str, Any]:
    """One path of three lines for every merge; later ones are faint; some have their gains written."""
    m, where = len(tree.names), np.argsort(leaf_order(tree)).astype(float)
    x, height = {i: where[i] for i in range(m)}, dict.fromkeys(range(m), tree.start)
    out: dict[str, list[Any]] = {name: [] for name in ("xs", "ys", "alpha", "tx", "ty", "text", "now")}
    for at, join in enumerate(tree.joins, start=1):
        left, right = sorted((int(join.first[0]), int(join.second[0])), key=lambda item: x[item])
        row = ([x[left], x[left], x[right], x[right]], [height[left], join.value, join.value, height[right]])
        seen, middle = 1.0 if at <= step else 0.22, 0.5 * (x[left] + x[right])
        gain = with_sign(float(f"{join.gain:.3g}"))
        for name, value in zip(out, (*row, seen, middle, join.value, gain, at == step), strict=True):
            out[name].append(value)
        for item in (*join.first, *join.second):
            x[int(item)], height[int(item)] = middle, join.value
    tall = max(heights(tree)) - min(heights(tree))
    kept = apart(out["tx"], out["ty"], out["text"], step - 1, m, tall)
    return out | {
        "hover": list(out["text"]),
        "text": [t if k else "" for t, k in zip(out["text"], kept, strict=True)],
    }


def apart(x: list[float], y: list[float], text: list[str], first: int, m: int, tall: float) -> list[bool]:
    """Which writings can stand without covering another; number `first` chooses first, then later ones."""
    kept: list[int] = []
    order = sorted(range(len(x)), key=lambda n: (n != first, -n))
    for n in order:
        clear = (
            abs(x[n] - x[k]) * ACROSS / m >= 0.5 * (len(text[n]) + len(text[k])) + 0.5
            or abs(y[n] - y[k]) * UP >= 1.0 * (tall or 1.0)
            for k in kept
        )
        if all(clear):
            kept.append(n)
    return [n in kept for n in range(len(x))]


def bars(drawn: ValueBars) -> dict[str, Any]:
    """Every bar with its value."""
    x = np.arange(len(drawn.values))
    digits = 3 if len(x) <= FEW else 2
    text = [f"{v:.{digits}g}".replace("-", "−") for v in drawn.values]
    base = ["bottom" if v >= 0 else "top" for v in drawn.values]
    names = list(drawn.names)
    return {
        "x": x,
        "top": drawn.values,
        "name": names,
        "text": text,
        "base": base,
        "chosen": x < drawn.chosen,
    }


def span(values: Array | list[float], room: float = 0.12, zero: bool = False) -> tuple[float, float]:
    """A range with some room around the finite values."""
    seen = np.asarray(values, dtype=float).ravel()
    seen = np.append(seen[np.isfinite(seen)], [0.0] if zero or not np.isfinite(seen).any() else [])
    low, high = float(seen.min()), float(seen.max())
    pad = room * ((high - low) or max(1.0, abs(high)))
    return low - pad, high + pad


def sentence(shown: OverFrame) -> str:
    """What the picture over the steps says at this one."""
    drawn = shown.picture
    if isinstance(drawn, MergeTree):
        made = drawn.joins[: shown.step]
        gains = " ".join(with_sign(one.gain) for one in made)
        total = (
            f"{drawn.start:.4g} {gains} = {made[-1].value:.4g}"
            if made
            else f"{drawn.start:.4g}, no merge yet"
        )
        return f"Merges so far, each at the height of the value that it reaches: {total}."
    if isinstance(drawn, Curves):
        return _curve_sentence(drawn, min(shown.step, len(drawn.values) - 1))
    return drawn.note


def _curve_sentence(curves: Curves, at: int) -> str:
    """Where the curves are; of nodes, how many are decoded wrongly, and whether they settle."""
    now = curves.values[at]
    if not len(curves.nodes):
        values = ", ".join(f"{name} {value:.4g}" for name, value in zip(curves.names, now, strict=True))
        level = f"; {curves.level_name} {curves.level:.4g}" if np.isfinite(curves.level) else ""
        return f"{values[:1].upper()}{values[1:]} at {curves.x} {at}{level}."
    wrong, swung = int((now < curves.level).sum()), int((late_turns(curves) > 1).sum())
    restless = f" {swung} cross 0 again and again." if swung else " In the end each node keeps its side."
    below = f"{wrong} of the {len(now)} nodes drawn are below 0, decoded wrongly"
    return f"After {curves.x} {at}, {below}.{restless}"


def table(shown: OverFrame) -> dict[str, list[Any]]:
    """The numbers behind the picture."""
    drawn = shown.picture
    if isinstance(drawn, MergeTree):
        names = drawn.names
        return {
            "merge": list(range(1, len(drawn.joins) + 1)),
            "first": ["".join(names[int(i)] for i in one.first) for one in drawn.joins],
            "second": ["".join(names[int(i)] for i in one.second) for one in drawn.joins],
            "gain": [one.gain for one in drawn.joins],
            "value": [one.value for one in drawn.joins],
        }
    if isinstance(drawn, Curves):
        rows: dict[str, list[Any]] = {drawn.x: list(range(len(drawn.values)))}
        return rows | {name: drawn.values[:, j].tolist() for j, name in enumerate(drawn.names)}
    return {drawn.x: list(drawn.names), drawn.y: drawn.values.tolist()}
