"""What is drawn over all steps of a film, as columns: lines, a tree of merges, or bars.

A tree stands on its items; two blocks are joined at the height of the value after their merge, so that it
grows with the objective, and each joint says what it gained, in writing where that has room and under the
pointer always. Items stand in an order in which no lines cross. Cost: linear in what is drawn, and the square
of the written gains.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.vectors import Ints
from explorer.labs.clusterings.film import Bars, Film, Lines, Tree, signed

FEW = 8
"""Values over more bars have two digits."""

ACROSS, UP = 48.0, 14.0
"""Characters and lines of writing that a small picture has room for."""


@dataclass(frozen=True, slots=True, eq=False)
class Over:
    """The film, the step, and the items' names."""

    film: Film
    step: int
    names: tuple[str, ...]

    @property
    def drawn(self) -> "Lines | Tree | Bars":
        """What is drawn."""
        return self.film.over


def leaf_order(m: int, tree: Tree) -> Ints:
    """The items so that every merge joins neighbours."""
    block = {i: [i] for i in range(m)}
    for merge in tree.merges:
        a, b = (block[int(side[0])] for side in (merge.first, merge.second))
        joined = a + b if a[0] < b[0] else b + a
        for item in joined:
            block[item] = joined
    done: list[int] = []
    for item in range(m):
        if item not in done:
            done += block[item]
    return np.array(done, dtype=np.int64)


def joints(m: int, tree: Tree, step: int) -> dict[str, Any]:
    """One path of three lines for every merge up to a step, and where its gain is written, if it is; others
    are faint.
    """
    where = np.argsort(leaf_order(m, tree)).astype(float)
    x, height = {i: where[i] for i in range(m)}, dict.fromkeys(range(m), tree.start)
    out: dict[str, list[Any]] = {name: [] for name in ("xs", "ys", "alpha", "tx", "ty", "text", "now")}
    for at, merge in enumerate(tree.merges, start=1):
        a, b = int(merge.first[0]), int(merge.second[0])
        left, right = sorted((a, b), key=lambda item: x[item])
        row = (
            [x[left], x[left], x[right], x[right]],
            [height[left], merge.value, merge.value, height[right]],
        )
        seen = 1.0 if at <= step else 0.22
        middle = 0.5 * (x[left] + x[right])
        gain = signed(float(f"{merge.gain:.3g}"))
        for name, value in zip(out, (*row, seen, middle, merge.value, gain, at == step), strict=True):
            out[name].append(value)
        for item in (*merge.first, *merge.second):
            x[int(item)], height[int(item)] = middle, merge.value
    tops = [tree.start, *(merge.value for merge in tree.merges)]
    kept = apart(out["tx"], out["ty"], out["text"], step - 1, m, max(tops) - min(tops))
    return out | {
        "hover": list(out["text"]),
        "text": [t if k else "" for t, k in zip(out["text"], kept, strict=True)],
    }


def apart(x: list[float], y: list[float], text: list[str], first: int, m: int, tall: float) -> list[bool]:
    """Which writings can stand without covering another; the one of number `first` has the first choice, then
    later ones.
    """
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


def bars(drawn: Bars) -> dict[str, Any]:
    """Every bar with its value."""
    x = np.arange(len(drawn.values))
    digits = 3 if len(x) <= FEW else 2
    text = [f"{v:.{digits}g}".replace("-", "−") for v in drawn.values]
    return {
        "base": ["bottom" if v >= 0 else "top" for v in drawn.values],
        "x": x,
        "top": drawn.values,
        "name": list(drawn.names),
        "text": text,
        "chosen": x < drawn.chosen,
    }


def span(values: Any, room: float = 0.12, zero: bool = False) -> tuple[float, float]:
    """A range with some room around the finite values."""
    seen = np.asarray(values, dtype=float).ravel()
    seen = np.append(seen[np.isfinite(seen)], [0.0] if zero or not np.isfinite(seen).any() else [])
    low, high = float(seen.min()), float(seen.max())
    pad = room * ((high - low) or max(1.0, abs(high)))
    return low - pad, high + pad


def sentence(shown: Over) -> str:
    """What the picture over the steps says at this one."""
    drawn = shown.drawn
    if isinstance(drawn, Tree):
        made = drawn.merges[: shown.step]
        gains = " ".join(signed(one.gain) for one in made)
        total = (
            f"{drawn.start:.4g} {gains} = {made[-1].value:.4g}"
            if made
            else f"{drawn.start:.4g}, no merge yet"
        )
        return f"Merges so far, each at the height of the value that it reaches: {total}."
    if isinstance(drawn, Lines):
        at = min(shown.step, len(drawn.values) - 1)
        now = ", ".join(
            f"{name} {value:.4g}" for name, value in zip(drawn.names, drawn.values[at], strict=True)
        )
        level = f"; {drawn.level_name} {drawn.level:.4g}" if np.isfinite(drawn.level) else ""
        return f"{now[:1].upper()}{now[1:]} at {drawn.x} {at}{level}."
    return drawn.note


def table(shown: Over) -> dict[str, list[Any]]:
    """The numbers behind the picture."""
    drawn = shown.drawn
    if isinstance(drawn, Tree):
        word = lambda items: "".join(shown.names[int(i)] for i in items)  # noqa: E731
        return {
            "merge": list(range(1, len(drawn.merges) + 1)),
            "first": [word(one.first) for one in drawn.merges],
            "second": [word(one.second) for one in drawn.merges],
            "gain": [one.gain for one in drawn.merges],
            "value": [one.value for one in drawn.merges],
        }
    if isinstance(drawn, Lines):
        rows: dict[str, list[Any]] = {drawn.x: list(range(len(drawn.values)))}
        return rows | {name: drawn.values[:, j].tolist() for j, name in enumerate(drawn.names)}
    return {drawn.x: list(drawn.names), drawn.y: drawn.values.tolist()}
