"""Any study as points to draw, from what its plot says: panels, each with series of ours and published ones
beside them.

    lines   a series for each value of the `series` column and each y, along x
    curves  the same, every y sorted and drawn against its rank
    bars    places along x by name, side by side by series
    heat    a cell for each name along x and each name of the series

Lines go from left to right, a path along the column that its plot names, wherever that leads.
Logarithmic axes leave out what is not positive. Nothing here knows a browser.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.engine.vectors import Array
from explorer.studies.support.rows import series
from explorer.studies.support.study import Cell, Column, Plot, Row, Study
from explorer.views.kit.drawing.thinning import evenly

MOST_POINTS = 800
"""Points of a series that are drawn."""

NEAR = 0.05
"""Points of a path whose coordinates differ by no more than this share share one name."""

DECADES = 14.0
"""A logarithmic axis reaches no further below its largest value."""


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """Points that belong together; `hue` tells its colour and marker, `dash` its line, `ours` whether we
    computed it. `labels` stand beside the points of a path.
    """

    name: str
    x: Array
    y: Array
    hue: int
    dash: int
    ours: bool
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Spot:
    """One cell of a heat map: its column and row, our value and the published one, NaN where there is
    none.
    """

    column: int
    row: int
    ours: float
    published: float


@dataclass(frozen=True, slots=True, eq=False)
class StudyPanel:
    """One picture; `places` are the names along x, `levels` those along y, where they are names."""

    title: str
    lines: tuple[Series, ...] = ()
    places: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    spots: tuple[Spot, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class StudyFrame:
    """All panels, the names of hues and dashes, what the axes are, and how y is written."""

    plot: Plot
    panels: tuple[StudyPanel, ...]
    hues: tuple[str, ...]
    dashes: tuple[str, ...]
    x_title: str
    y_title: str
    form: str
    published: str
    x_range: tuple[float, float]
    y_range: tuple[float, float]


def frame(study: Study, rows: Sequence[Row], table: Sequence[Row]) -> StudyFrame:
    """What to draw of a study now: the published rows from the first moment, ours as they come."""
    plot, titles = study.plot, {column.name: column.title for column in study.columns}
    ours = list(rows if plot.of == "rows" else table)
    both = [*ours, *study.published]
    names = [str(name) for name in series(both, plot.series)] if plot.series else []
    wide = [titles[name] for name in plot.y]
    hues, dashes = (names, wide) if plot.series else (wide, [])
    shown = [_panel(study, part, ours) for part in (series(both, plot.panel) if plot.panel else [""])]
    panels = tuple(shown or [StudyPanel("")])
    return StudyFrame(
        plot,
        panels,
        tuple(hues),
        tuple(dashes if len(dashes) > 1 else ()),
        f"{titles[plot.x]}s, sorted" if plot.kind == "curves" else titles[plot.x],
        titles[plot.series] if plot.kind == "heat" else _y_title(study, both),
        next(column.form for column in study.columns if column.name == plot.y[0]),
        study.beside if _has_published(panels) else "",
        (0.0, 1.02 * max(1, _ranks(plot, ours)))
        if plot.kind == "curves"
        else span([one.x for panel in panels for one in panel.lines], "x" in plot.log),
        span([one.y for panel in panels for one in panel.lines], "y" in plot.log, whole=plot.kind == "bars"),
    )


def _has_published(panels: Sequence[StudyPanel]) -> bool:
    """Whether anything that was published has a place in the picture."""
    return any(
        not all(one.ours for one in panel.lines)
        or not all(math.isnan(spot.published) for spot in panel.spots)
        for panel in panels
    )


def _ranks(plot: Plot, rows: Sequence[Row]) -> int:
    """How many rows the longest series has."""
    return max(Counter((found.get(plot.panel), found.get(plot.series)) for found in rows).values(), default=0)


def _y_title(study: Study, rows: Sequence[Row]) -> str:
    """What is drawn upwards; with several columns their common unit is in the legend."""
    plot, titles = study.plot, {column.name: column.title for column in study.columns}
    title = titles[plot.y[0]] if len(plot.y) == 1 else ""
    lost = "y" in plot.log and any(
        found.number(name) <= 0.0 for found in rows for name in plot.y if name in found
    )
    return f"{title} (above 0)" if lost and title else title


def _panel(study: Study, part: Cell, ours: Sequence[Row]) -> StudyPanel:
    """One value of the panel column."""
    plot = study.plot
    mine, theirs = (
        [found for found in rows if not plot.panel or found.get(plot.panel) == part]
        for rows in (ours, study.published)
    )
    if plot.kind == "heat":
        return _heat(plot, str(part), mine, theirs)
    if plot.kind == "bars":
        return _bars(study, str(part), mine, theirs)
    every = series([*ours, *study.published], plot.series) if plot.series else [""]
    lines = [
        *_lines(study, mine, every, True),
        *_lines(study, theirs if plot.kind == "lines" else (), every, False),
    ]
    return StudyPanel(str(part), tuple(line for line in lines if len(line.x)))


def _groups(
    plot: Plot, rows: Sequence[Row], every: Sequence[Cell]
) -> Iterator[tuple[Cell, str, int, int, list[Row]]]:
    """The rows of every series and y: value, column, hue, dash, rows."""
    parts: dict[Cell, list[Row]] = {value: [] for value in every}
    for found in rows:
        parts.get(found.get(plot.series, ""), []).append(found)
    for j, (value, part) in enumerate(parts.items()):
        for k, name in enumerate(plot.y):
            yield value, name, (j if plot.series else k), (k if plot.series else 0), part


def _lines(study: Study, rows: Sequence[Row], every: Sequence[Cell], ours: bool) -> Iterator[Series]:
    plot, titles = study.plot, {column.name: column.title for column in study.columns}
    for value, name, hue, dash, part in _groups(plot, rows, every):
        y = np.array([found.number(name) for found in part])
        x = np.array([found.number(plot.x) for found in part])
        if plot.kind == "curves":
            y = np.sort(y[np.isfinite(y)])
            x = np.arange(1.0, len(y) + 1.0)
        drawn = drawable(x, "x" in plot.log) & drawable(y, "y" in plot.log)
        way = np.array([found.number(plot.along) for found in part]) if plot.along else x
        order = np.flatnonzero(drawn)[np.argsort(way[drawn], kind="stable")]
        keep = order[evenly(len(order), MOST_POINTS)] if len(order) else order
        words = [str(value)] if plot.series else []
        words += [titles[name]] if len(plot.y) > 1 else []
        labels = place_names(way[keep], x[keep], y[keep]) if plot.along else ()
        yield Series(": ".join(words) or titles[name], x[keep], y[keep], hue, dash, ours, labels)


def place_names(way: Array, x: Array, y: Array) -> tuple[str, ...]:
    """The numbers of the points of a path; where it rests, the first has the numbers of all."""
    names: list[str] = []
    first = 0
    for k, number in enumerate(way.tolist()):
        rests = k > 0 and all(abs(v[k] - v[first]) <= NEAR * abs(v[first]) for v in (x, y))
        if rests:
            names[first] += f", {number:g}"
        else:
            first = k
        names.append("" if rests else f"{number:g}")
    return tuple(names)


def drawable(values: Array, log: bool) -> NDArray[np.bool_]:
    """Where a value has a place on its axis."""
    return np.isfinite(values) & (values > 0.0) if log else np.isfinite(values)


def _bars(study: Study, title: str, mine: Sequence[Row], theirs: Sequence[Row]) -> StudyPanel:
    """Bars side by side: x is the number of the place, moved by the series."""
    plot = study.plot
    both = [*mine, *theirs]
    places = series(both, plot.x)
    every = series(both, plot.series) if plot.series else [""]
    count = max(1, len(every) * len(plot.y))
    lines = []
    for rows, ours in ((mine, True), (theirs, False)):
        for place, (_, name, hue, dash, part) in enumerate(_groups(plot, rows, every)):
            known = [found for found in part if name in found and plot.x in found]
            x = np.array([places.index(found[plot.x]) + bar_shift(place, count) for found in known])
            y = np.array([found.number(name) for found in known])
            lines.append(Series(_title(study, name), x, y, hue, dash, ours))
    return StudyPanel(title, tuple(line for line in lines if len(line.x)), tuple(map(str, places)))


def bar_shift(place: int, count: int) -> float:
    """How far bar `place` of `count` stands from the middle of its group, which is 0.8 wide."""
    return 0.8 * ((place + 0.5) / count - 0.5)


def _title(study: Study, name: str) -> str:
    found: Column = next(column for column in study.columns if column.name == name)
    return found.title


def _heat(plot: Plot, title: str, mine: Sequence[Row], theirs: Sequence[Row]) -> StudyPanel:
    """Cells by name; a cell alone in its row and column is told in the title, where it wastes no room."""
    both = [*mine, *theirs]
    at = [*_values(plot, both)]
    alone = [
        key
        for key in at
        if sum(x == key[0] for x, _ in at) == 1 and sum(s == key[1] for _, s in at) == 1 < len(at)
    ]
    columns, levels = (
        [v for v in series(both, name) if all(v != key[k] for key in alone)]
        for k, name in ((0, plot.x), (1, plot.series))
    )
    ours, printed = (_values(plot, rows) for rows in (mine, theirs))
    spots = [
        Spot(columns.index(x), levels.index(s), ours.get((x, s), math.nan), printed.get((x, s), math.nan))
        for x, s in at
        if (x, s) not in alone
    ]
    words = [_beside(str(key[0]), ours.get(key, math.nan), printed.get(key, math.nan)) for key in alone]
    return StudyPanel(
        "; ".join([title, *words]),
        places=tuple(map(str, columns)),
        levels=tuple(map(str, levels)),
        spots=tuple(spots),
    )


def _values(plot: Plot, rows: Iterable[Row]) -> dict[tuple[Any, Any], float]:
    return {(found.get(plot.x), found.get(plot.series)): found.number(plot.y[0]) for found in rows}


def _beside(name: str, ours: float, published: float) -> str:
    """A cell in words: ours, the published one in brackets."""
    words = ["…" if math.isnan(ours) else f"{ours:.2f}"]
    words += [] if math.isnan(published) else [f"({published:.2f})"]
    return f"{name} {' '.join(words)}"


def span(values: Iterable[Array], log: bool, whole: bool = False) -> tuple[float, float]:
    """An axis on which all values lie, with a little room; `whole` begins it at 0."""
    parts = [part for part in values if len(part)]
    if not parts:
        return (1.0, 10.0) if log else (0.0, 1.0)
    found = np.concatenate(parts)
    low, high = float(found.min()), float(found.max())
    if log:
        a, b = math.log10(low), math.log10(high)
        a = max(a, b - DECADES)
        room = 0.06 * (b - a) or 0.3
        return 10.0 ** (a - room), 10.0 ** (b + room)
    low = min(low, 0.0) if whole else low
    room = 0.06 * (high - low) or 0.5
    return (low - (0.0 if whole and low == 0.0 else room)), high + room


__all__ = ["Series", "Spot", "StudyFrame", "StudyPanel", "frame", "span"]
