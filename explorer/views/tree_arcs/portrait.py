"""A sentence and one dependency tree of it, large: an arc from each head to its dependents over the words."""

from typing import Any

import numpy as np

from explorer.engine.structures.trees.dual_problem import KernelTrees
from explorer.engine.structures.trees.problem import DependencyTrees
from explorer.views.kit.drawing.portrait import SIZE, frame_of, plain_words, svg
from explorer.views.kit.drawing.svg import text

RISE, MOST_RISE = 30.0, 150.0


def tree_portrait(problem: DependencyTrees | KernelTrees, example: int, label: Any = None) -> str:
    """The words, or with heads their tree; arcs of wrong heads are dashed."""
    x = problem.dataset.inputs[example]
    widths = [0.62 * SIZE * len(word) + 22 for word in x.words]
    ends = np.cumsum([0.0, *widths])
    middles = (ends[:-1] + ends[1:]) / 2
    said = " ".join(x.words)
    if label is None:
        row = "".join(text(a, 16, word) for a, word in zip(middles.tolist(), x.words, strict=True))
        return svg(row, ends[-1], 32, said)
    heads, truth = np.asarray(label), np.asarray(problem.dataset.labels[example])
    if heads.shape != truth.shape or heads.dtype.kind not in "iu":
        return plain_words("some words have two heads by halves", said)
    high = min(MOST_RISE, RISE * float(np.abs(heads - np.arange(1, len(heads) + 1)).max(initial=1))) + 14
    out = ""
    for d, h in enumerate(heads.tolist(), start=1):
        out += arc(middles, d, h, high, bool(h != truth[d - 1]))
        out += text(float(middles[d - 1]), high + 20, x.words[d - 1])
    return svg(out, ends[-1], high + 38, said)


def arc(middles: Any, d: int, h: int, ground: float, wrong: bool) -> str:
    """From head h to word d, or from above where d is the root of its sentence."""
    here = float(middles[d - 1])
    if h == 0:
        way = f"M{here:.1f} 2V{ground:.1f}"
    else:
        there, rise = float(middles[h - 1]), min(RISE * abs(d - h), MOST_RISE)
        bend = f"A{abs(here - there) / 2:.1f} {rise:.1f} 0 0 {int(h < d)}"
        way = f"M{there:.1f} {ground:.1f}{bend} {here:.1f} {ground:.1f}"
    look = f"fill='none' stroke-width='2.5' {frame_of(wrong)}"
    tip = f"fill='var(--{'rival' if wrong else 'truth'})'"
    return f"<path d='{way}' {look}/><path d='M{here:.1f} {ground + 5:.1f}l-4-8h8z' {tip}/>"


__all__ = ["tree_portrait"]
