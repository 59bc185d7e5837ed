"""A sequence and one labelling of it, large: what is seen in one row, the states below in another.

Both rows share their columns, so that they stand under each other. Long sequences are strips of cells.
"""

from typing import Any

import numpy as np

from explorer.engine.structures.chains.problem import Chain
from explorer.views.kit.drawing.portrait import PAGE, SIZE, plain_words, row_of_names, svg
from explorer.views.kit.drawing.state_colours import fills
from explorer.views.kit.drawing.svg import cells, grey, heat, text
from explorer.views.kit.drawing.thinning import dense
from explorer.views.kit.words.label_words import state_names, state_text
from explorer.wording import quantity

SHORT = 24
"""Positions that are drawn one by one."""

CELL, WIDE = 56.0, 640.0


def chain_portrait(problem: Chain, example: int, label: Any = None) -> str:
    """The sequence as it is seen, or with a label its states."""
    widths = columns(problem, example)
    if label is None:
        return draw_input(problem, example, widths)
    names = state_names(problem.dataset, problem.states)
    path, truth = np.asarray(label), np.asarray(problem.dataset.labels[example])
    said = state_text(path, names)
    if path.shape != truth.shape or path.dtype.kind not in "iu":
        return plain_words(said, said)
    if len(path) > SHORT:
        return strip(path, truth, names, said)
    return svg(row_of_names([names[k] for k in path], path != truth, widths), sum(widths), 40, said)


def columns(problem: Chain, example: int) -> list[float]:
    """The width of every position."""
    meta, length = problem.dataset.meta, len(problem.dataset.labels[example])
    if example >= len(meta.get("words", ())):
        return [min(CELL, 1.6 * WIDE / length)] * length
    names = state_names(problem.dataset, problem.states)
    longest = max(map(len, names))
    return [0.62 * SIZE * max(len(str(word)), min(longest, 5)) + 16 for word in meta["words"][example]]


def draw_input(problem: Chain, example: int, widths: list[float]) -> str:
    """Images, words, or features over time."""
    meta, x = problem.dataset.meta, problem.dataset.inputs[example]
    if example < len(meta.get("words", ())):
        ends = np.cumsum([0.0, *widths])
        words = [str(word) for word in meta["words"][example]]
        middles = (ends[:-1] + ends[1:]) / 2
        parts = "".join(text(x, 16, word) for x, word in zip(middles.tolist(), words, strict=True))
        return svg(parts, ends[-1], 32, " ".join(words))
    if "image_shape" in meta and len(widths) <= SHORT:
        size, shape = widths[0] - 8, meta["image_shape"]
        rows = dense(x)[:, : int(np.prod(shape))]
        parts = "".join(
            grey(row.reshape(shape), PAGE, t * widths[0] + 4, 4, size, size) for t, row in enumerate(rows)
        )
        return svg(parts, sum(widths), size + 8, quantity(len(widths), "image"))
    values = dense(x).T
    shown = heat(values / max(2.0 * float(np.std(values)), 1e-9), PAGE, 0, 0, WIDE, 120)
    return svg(shown, WIDE, 120, f"{quantity(len(values), 'feature')} over time")


def strip(path: Any, truth: Any, names: tuple[str, ...], said: str) -> str:
    """A long labelling: a cell for each position, and a mark below those that are wrong."""
    paint = [(colour, 1.0) for colour in fills(names, PAGE)]
    wrong = cells((path != truth).astype(int), [("var(--rival)", 0.0), ("var(--rival)", 1.0)], 0, 30, WIDE, 8)
    return svg(cells(path, paint, 0, 2, WIDE, 26) + wrong, WIDE, 40, said)


__all__ = ["chain_portrait"]
