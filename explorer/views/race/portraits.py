"""The learners' answers as HTML: the example above, then a row for each learner, what is wrong marked in it.

Parts that are wrong are orange, dashed and struck out; parts that are right have a green line. Long answers
are a strip with a dark place for each part that is wrong.
"""

from html import escape
from typing import Any

import numpy as np

from explorer.engine.contracts import Problem
from explorer.engine.learners import by_name
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.drawing.svg import cells, grey
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.drawing.thinning import dense
from explorer.views.race.faces import Face

SHORT = 24
"""Answers of at most this many parts are written out."""

LONGEST = 60
"""Letters of a label that is written out."""

LOOK = """
:host { overflow: auto; }
p, h4 { margin: 0; font-size: var(--type-small, 14px); line-height: 1.4; font-weight: 400; }
.face { padding: 8px 0; border-top: 1px solid var(--grid); }
.face h4 { display: flex; gap: 8px; align-items: center; }
.face h4 b { font-weight: 600; } .face h4 svg { width: 36px; flex: 0 0 36px; margin: 0; }
.face h4 span { color: var(--muted); }
.face h4 .verdict { margin-left: auto; white-space: nowrap; }
.parts { display: flex; flex-wrap: wrap; gap: 4px; margin: 4px 0 0; }
.parts span { min-width: 1.4em; padding: 1px 6px; text-align: center; border-radius: 4px;
  font-size: var(--type-text, 16px); line-height: 1.5; border: 2px solid var(--truth); }
.parts .wrong { border: 2px dashed var(--rival); color: var(--rival); font-weight: 600;
  text-decoration: line-through; }
svg { display: block; width: 100%; margin: 4px 0 0; }
"""


def parts_of(label: Any) -> Any:
    """A label as the row of its parts; None where it has none that can be compared one by one."""
    found = np.atleast_1d(np.asarray(label)) if not isinstance(label, str) else None
    return found.ravel() if found is not None and found.dtype.kind in "iub" else None


def answer_html(problem: Problem, example: int, label: Any, theme: Theme) -> str:
    """An answer, part by part where that can be read, else as a strip or in words; escaped."""
    depiction, truth = depiction_of(problem), problem.dataset.labels[example]
    names, mine, right = depiction.states(problem), parts_of(label), parts_of(truth)
    if not names or mine is None or right is None or mine.shape != right.shape or mine.max() >= len(names):
        text = depiction.label_text(problem, label, example)
        return f"<p>{escape(text[:LONGEST])}{'…' if len(text) > LONGEST else ''}</p>"
    wrong = mine != right
    if len(mine) > SHORT:
        paint = [(theme.grid, 1.0), (theme.rival, 1.0)]
        strip = cells(wrong.astype(int), paint, 0, 0, 300, 14)
        box = "viewBox='0 0 300 14' preserveAspectRatio='none' height='14' aria-hidden='true'"
        return f"<svg {box}>{strip}</svg>"
    chips = "".join(
        f"<span{' class=wrong' if bad else ''}>{escape(str(names[k]))}</span>"
        for k, bad in zip(mine, wrong, strict=True)
    )
    return f"<div class='parts'>{chips}</div>"


def input_html(problem: Problem, example: int, theme: Theme) -> str:
    """What is seen of the example: its images, else its input in words; escaped."""
    shape, x = problem.dataset.meta.get("image_shape"), problem.dataset.inputs[example]
    if shape is None:
        text = depiction_of(problem).input_text(problem, example)
        return f"<p>{escape(text[: 2 * LONGEST])}</p>"
    rows = np.atleast_2d(dense(x))[:, : int(np.prod(shape))]
    wide = 300 / max(len(rows), 6)
    drawn = "".join(
        grey(row.reshape(shape), theme, t * wide + 2, 2, wide - 4, wide - 4) for t, row in enumerate(rows)
    )
    return (
        f"<svg viewBox='0 0 300 {wide:.0f}' role='img' aria-label='The example as it is seen'>{drawn}</svg>"
    )


def verdict(problem: Problem, example: int, met: Face) -> str:
    """Whether an answer is right, in words and with a sign."""
    if met.step < 0:
        return "not begun"
    if met.right:
        return "✓ right"
    mine, right = parts_of(met.label), parts_of(problem.dataset.labels[example])
    if mine is None or right is None or mine.shape != right.shape or len(mine) == 1:
        return "✗ wrong"
    return f"✗ {np.count_nonzero(mine != right)} of {len(right)} wrong"


def portraits(problem: Problem, example: int, met: list[Face], signs: list[str], theme: Theme) -> str:
    """All answers below the example and its truth; `signs` are the learners' lines as small pictures."""
    truth = answer_html(problem, example, problem.dataset.labels[example], theme)
    rows = "".join(
        f"<div class='face'><h4>{sign}<b>{escape(by_name(one.name).title)}</b>"
        f"<span class='verdict'>{escape(verdict(problem, example, one))}</span></h4>"
        f"{answer_html(problem, example, one.label, theme) if one.step >= 0 else ''}</div>"
        for sign, one in zip(signs, met, strict=True)
    )
    return (
        f"<p><b>The same example for all</b></p>{input_html(problem, example, theme)}"
        f"<div class='face'><h4><b>Truth</b></h4>{truth}</div>{rows}"
    )


__all__ = ["LOOK", "answer_html", "portraits"]
