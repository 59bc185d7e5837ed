"""A sequence in one small picture: images, words or features over time above, the states below."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from explorer.engine.structures.chains.problem import Chain
from explorer.engine.vectors import Ints
from explorer.views.kit.depiction import Thumbnail
from explorer.views.kit.drawing.runs import runs_of
from explorer.views.kit.drawing.state_colours import fills, marks
from explorer.views.kit.drawing.svg import (
    EDGE,
    HEIGHT,
    MOST,
    WIDTH,
    cells,
    chip,
    grey,
    heat,
    legible_example,
    mark,
    word_rows,
)
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.drawing.thinning import dense
from explorer.views.kit.words.label_words import state_names
from explorer.wording import quantity

LONGEST = 100
"""Positions of a sequence at most."""


def chain_thumbnail(problem: Chain, theme: Theme, turn: int) -> Thumbnail:
    """The states of a sequence below what is seen of it."""
    meta, labels, names = (
        problem.dataset.meta,
        problem.dataset.labels,
        state_names(problem.dataset, problem.states),
    )
    size = 5 if "image_shape" in meta else 11 if "words" in meta else 0
    i = legible_example(labels, size, turn) if size else turn
    x, y = problem.dataset.inputs[i], labels[i][:LONGEST]
    colours, letter = ([of[k] for k in y] for of in (fills(names, theme), marks(names)))
    if "image_shape" in meta:
        return f"A word of {quantity(len(y), 'image')}, each with its state", image_row(
            x, meta, colours, letter, theme
        )
    if "words" in meta:
        return f"A sentence of {quantity(len(y), 'word')}, each with its tag", word_rows(
            meta["words"][i], colours, letter
        )
    seen = dense(x)[:LONGEST, :MOST].T
    shown = heat(seen / max(2.0 * float(np.std(seen)), 1e-9), theme, EDGE, EDGE, WIDTH - 2 * EDGE, 74)
    said = (
        f"{quantity(x.shape[1], 'feature')} over {quantity(len(y), 'position')}, and the state of each below"
    )
    return said, shown + strip(y, fills(names, theme), marks(names))


def image_row(x: Any, meta: Any, colours: Sequence[str], letter: Sequence[str], theme: Theme) -> str:
    """At most nine images side by side, a chip with the state below each, joined into a chain."""
    count = min(len(colours), 9)
    step = min(54.0, (WIDTH - 2 * EDGE) / count)
    size, left, wide = step - 6, (WIDTH - count * step) / 2 + 3, min(step - 6, 30)
    top = (HEIGHT - size - 32) / 2
    out = (
        f"<path d='M{left + size / 2} {top + size + 21}h{(count - 1) * step}' stroke='{theme.muted}' "
        "stroke-width='2'/>"
    )
    for t in range(count):
        out += grey(dense(x)[t].reshape(meta["image_shape"]), theme, left + t * step, top, size, size)
        out += chip(left + t * step + (size - wide) / 2, top + size + 11, wide, 20, colours[t], letter[t])
    return out


def strip(y: Ints, colours: Sequence[str], letter: Sequence[str]) -> str:
    """The states of a long sequence as one row; runs that are wide enough carry their mark."""
    wide = (WIDTH - 2 * EDGE) / len(y)
    named = (
        mark(EDGE + (begin + count / 2) * wide, 101, letter[k], colours[k])
        for k, begin, count in runs_of(y)
        if count * wide > 9
    )
    return cells(y, [(c, 1.0) for c in colours], EDGE, 90, WIDTH - 2 * EDGE, 22) + "".join(named)
