"""One example as the learner sees it at a step: its trellis, labelling or similarities; and the weights."""

from typing import Any

import holoviews as hv
import numpy as np

from explorer.engine.contracts import Problem
from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.structures.clusterings.single_link import SingleLink
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.vectors import Array, Ints
from explorer.plot.style import THEME, line, with_style
from explorer.views.kit.drawing.state_colours import fills
from explorer.views.labelling.frame import frame as labelling_frame
from explorer.views.similarity.frame import frame as similarity_frame
from explorer.views.trellis.frame import frame as trellis_frame
from explorer.views.weights.frame import frame as weights_frame
from explorer.wording import number

ROLES = (("truth", THEME.truth, 7.0), ("guess", THEME.guess, 3.5), ("most tempting", THEME.rival, 2.0))

WIDEST, MOST_TICKS = 900, 20
"""Pixels of a long sequence, and how many of its positions are named."""


def trellis(problem: Chain, trace: Trace, at: int = -1, example: int = 0) -> Any:
    """States over positions: the score of each, and the true, the guessed and the most tempting path."""
    check(problem, (Chain,), "trellis", "sequences")
    shown = trellis_frame(problem, trace, at % max(1, len(trace)), example)
    length, states = shown.base.shape
    axes = ["position", "state"]
    size = min(max(400, 56 * length + 160), WIDEST), max(260, 34 * states + 90)
    cells = _grid(
        shown.base.T,
        axes,
        "score of the state",
        size,
        alpha=0.6,
        xticks=_ticks(shown.tokens or tuple(map(str, range(length))))[:: 1 + length // MOST_TICKS],
        yticks=_ticks(shown.states),
    )
    paths = (shown.truth, shown.guess, shown.rival)
    lines = [
        line(hv.Curve((np.arange(length), taken), *axes, label=role), colour, width)
        for (role, colour, width), taken in zip(ROLES, paths, strict=True)
    ]
    name = f"{shown.name} {shown.example}, {_when(shown.step)}"
    look = {"xlabel": f"position in {name}", "title": " ", "legend_position": "top", "legend_cols": 3}
    return with_style(hv.Overlay([cells, *lines]).relabel(name), size=size, **look)


def labelling(problem: FieldLabelling, trace: Trace, at: int = -1, example: int = 0) -> Any:
    """Truth, guess and most tempting labelling of a graph, side by side."""
    check(problem, (FieldLabelling,), "labelling", "graphs")
    shown = labelling_frame(problem, trace, at % max(1, len(trace)), example)
    answers = (shown.truth, shown.guess.labels, shown.rival.labels)
    pictures = [
        _nodes(shown.place, shown.field.ends, labels, shown.states).relabel(
            f"{shown.name} {shown.example}, {_when(shown.step)}: {role}"
        )
        for (role, *_), labels in zip(ROLES, answers, strict=True)
    ]
    return hv.Layout(pictures)


def similarity(problem: Any, trace: Trace, at: int = -1, example: int = 0) -> Any:
    """The similarity matrix, items in the order of the predicted clusters."""
    check(problem, (Clustering, SingleLink), "similarity", "clusterings")
    shown = similarity_frame(problem, trace, at % max(1, len(trace)), example)
    order = shown.order.items
    values = shown.matrix[np.ix_(order, order)]
    title = f"{shown.name} {shown.example}, {_when(shown.step)}: loss {number(shown.loss)}"
    axes = ["item", "item again"]
    return _grid(values[::-1], axes, "similarity", (500, 420), xaxis=None, yaxis=None).relabel(title)


def weights(problem: Problem, trace: Trace, at: int = -1, count: int = 12) -> Any:
    """The weights of a step that are largest in size, by name."""
    shown = weights_frame(problem, trace, at % max(1, len(trace)), with_path=False)
    top = shown.top[:count][::-1]
    bars = hv.Bars([(name, value) for name, value in top], "weight of", "value")
    return with_style(
        bars, color=THEME.dual, invert_axes=True, xlabel="", size=(640, 80 + 24 * len(top))
    ).relabel(f"Largest weights, step {shown.at}")


def check(problem: Problem, shown: tuple[type, ...], name: str, what: str) -> None:
    """Refuse a problem that a picture is not made for."""
    if not isinstance(problem, shown):
        raise Refused(
            f"plot.{name} shows {what}, and this is a {type(problem).__name__}; "
            "plot.bounds, plot.weights and explorer.explore show every problem"
        )


def _nodes(place: Array, ends: Ints, labels: Ints, states: tuple[str, ...]) -> Any:
    """A graph whose nodes have the colours of their states."""
    colours = np.array(fills(states, THEME))
    x, y = place[:, 0], -place[:, 1]
    edges = hv.Segments((x[ends[:, 0]], y[ends[:, 0]], x[ends[:, 1]], y[ends[:, 1]]))
    names, fill = np.array(states)[labels], colours[labels]
    nodes = hv.Points({"x": x, "y": y, "state": names, "colour": fill}, ["x", "y"], ["state", "colour"])
    plain: dict[str, Any] = {"xaxis": None, "yaxis": None, "size": (300, 300)}
    dots = with_style(
        nodes,
        color="colour",
        bokeh={"size": 11, "tools": ["hover"], "line_color": THEME.text},
        matplotlib={"s": 60, "edgecolors": THEME.text},
        **plain,
    )
    return with_style(edges, color=THEME.grid, **plain) * dots


def _grid(values: Array, axes: list[str], what: str, size: tuple[int, int], **look: Any) -> Any:
    """A table as coloured cells, its first line below; white means 0."""
    high, wide = values.shape
    cells = hv.Image(values[::-1], bounds=(-0.5, -0.5, wide - 0.5, high - 0.5), kdims=axes, vdims=what)
    limits = _even(values)
    return with_style(
        cells, size=size, cmap="coolwarm", clim=limits, colorbar=True, bokeh={"tools": ["hover"]}, **look
    )


def _even(values: Array) -> tuple[float, float]:
    """Limits around 0, so that white means neither."""
    size = float(np.max(np.abs(values), initial=0.0)) or 1.0
    return -size, size


def _ticks(names: tuple[str, ...]) -> list[tuple[int, str]]:
    return list(enumerate(names))


def _when(step: int | None) -> str:
    return "before training" if step is None else f"step {step}"
