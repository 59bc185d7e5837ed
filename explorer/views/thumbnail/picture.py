"""A problem in one small picture: what is given, and what is to be learned from it, of one example.

    sequences       what is seen above, the state of every position below: images, words, or features over time
    points          one marker for each class; images of the classes where the features are pixels
    graphs          grids as the noisy cells and the true ones, other graphs as nodes and edges
    label sets      features and labels, filled where on, of a few examples
    clusterings     items where they lie; else their similarity  s_ij = sum_f psi_ijf (same_f - apart_f) / sd_f,  with the
                    means of feature f over pairs of the same and of different clusters, and the items of each cluster
    trees           arcs from heads to dependents

All pictures are SVG of `WIDTH` by `HEIGHT`; no oracle is asked. Matrices are drawn as runs of equal cells, and thinned out
to at most `MOST` rows and columns, so that a picture stays below 15 kB. Cost: one look at the example.
"""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from explorer.engine.contracts import Problem
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.structures.clusterings.item_sets import ItemSet, pair_rows
from explorer.engine.structures.clusterings.link_forests import is_forest
from explorer.engine.structures.clusterings.partitions import pair_count, pair_matrix, upper
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.structures.clusterings.single_link import SingleLink
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.structures.trees.problem import DependencyTrees
from explorer.engine.vectors import Array, Ints
from explorer.views.kit.cluster_order import letters, ordered
from explorer.views.kit.label_words import partition, state_names
from explorer.views.kit.places import drawn_as
from explorer.views.kit.runs import runs_of
from explorer.views.kit.state_colours import fills, marks
from explorer.views.kit.theme import Theme
from explorer.views.kit.thinning import evenly
from explorer.views.thumbnail.parts import (
    EDGE,
    HEIGHT,
    MOST,
    SIDE,
    WIDTH,
    arrow,
    cells,
    chip,
    dense,
    fitting,
    grey,
    heat,
    legend,
    lines,
    mark,
    markers,
    placed,
    text,
)
from explorer.wording import counted

LONGEST = 100
"""Positions of a sequence at most."""

Drawn = tuple[str, str]
"""What a picture shows, in words, and its parts."""


def picture(problem: Problem, theme: Theme, turn: int = 0) -> str:
    """The problem's data as SVG, empty for problems of no known kind; another `turn` shows another example."""
    draw = next((found for kind, found in KINDS.items() if isinstance(problem, kind)), None)
    words, parts = draw(problem, theme, turn % problem.n) if draw else ("", "")
    look = f"font-size='11' text-anchor='middle' dominant-baseline='central' fill='{theme.text}'"
    box = f"viewBox='0 0 {WIDTH} {HEIGHT}' role='img' aria-label='{escape(words)}' {look}"
    return f"<svg {box}>{parts}</svg>" if parts else ""


def chain(problem: Chain, theme: Theme, turn: int) -> Drawn:
    """The states of a sequence below what is seen of it."""
    meta, labels, names = problem.dataset.meta, problem.dataset.labels, state_names(problem)
    size = 5 if "image_shape" in meta else 11 if "words" in meta else 0
    i = fitting(labels, size, turn) if size else turn
    x, y = problem.dataset.inputs[i], labels[i][:LONGEST]
    colours, letter = ([of[k] for k in y] for of in (fills(names, theme), marks(names)))
    if "image_shape" in meta:
        return f"A word of {counted(len(y), 'image')}, each with its state", spelt(x, meta, colours, letter, theme)
    if "words" in meta:
        return f"A sentence of {counted(len(y), 'word')}, each with its tag", sentence(
            meta["words"][i], colours, letter
        )
    seen = dense(x)[:LONGEST, :MOST].T
    shown = heat(seen / max(2.0 * float(np.std(seen)), 1e-9), theme, EDGE, EDGE, WIDTH - 2 * EDGE, 74)
    said = f"{counted(x.shape[1], 'feature')} over {counted(len(y), 'position')}, and the state of each below"
    return said, shown + strip(y, fills(names, theme), marks(names))


def spelt(x: Any, meta: Any, colours: Sequence[str], letter: Sequence[str], theme: Theme) -> str:
    """At most nine images side by side, a chip with the state below each, joined into a chain."""
    count = min(len(colours), 9)
    step = min(54.0, (WIDTH - 2 * EDGE) / count)
    size, left, wide = step - 6, (WIDTH - count * step) / 2 + 3, min(step - 6, 30)
    top = (HEIGHT - size - 32) / 2
    out = (
        f"<path d='M{left + size / 2} {top + size + 21}h{(count - 1) * step}' stroke='{theme.muted}' stroke-width='2'/>"
    )
    for t in range(count):
        out += grey(dense(x)[t].reshape(meta["image_shape"]), theme, left + t * step, top, size, size)
        out += chip(left + t * step + (size - wide) / 2, top + size + 11, wide, 20, colours[t], letter[t])
    return out


def sentence(words: Sequence[str], colours: Sequence[str], letter: Sequence[str]) -> str:
    """Words in at most three lines, a chip with the state below each; what does not fit is left out."""
    rows, x = [""], 0.0
    for word, fill, own in zip(words, colours, letter, strict=True):
        wide = max(6.5 * len(word), 18.0)
        if x + wide > WIDTH - 2 * EDGE:
            rows, x = [*rows, ""], 0.0
        rows[-1] += text(x + wide / 2, 7, word) + chip(x, 15, wide, 14, fill, own)
        x += wide + 6
    top = (HEIGHT - 37 * min(len(rows), 3) + 8) / 2
    return "".join(f"<g transform='translate({EDGE} {top + 37 * n})'>{row}</g>" for n, row in enumerate(rows[:3]))


def strip(y: Ints, colours: Sequence[str], letter: Sequence[str]) -> str:
    """The states of a long sequence as one row; runs that are wide enough carry their mark."""
    wide = (WIDTH - 2 * EDGE) / len(y)
    named = (
        mark(EDGE + (begin + count / 2) * wide, 101, letter[k], colours[k])
        for k, begin, count in runs_of(y)
        if count * wide > 9
    )
    return cells(y, [(c, 1.0) for c in colours], EDGE, 90, WIDTH - 2 * EDGE, 22) + "".join(named)


def classes(problem: Multiclass | Binary, theme: Theme, turn: int) -> Drawn:
    """Points in the plane or on a line; images of every class; nothing for other features."""
    meta, names = problem.dataset.meta, state_names(problem)
    x, y, colours = dense(problem.dataset.inputs), np.asarray(problem.dataset.labels), fills(names, theme)
    if "image_shape" in meta:
        return f"An image of each class: {', '.join(names[:10])}", images(x, y, names, meta, theme)
    used = x[:, np.ptp(x, axis=0) > 0.0]
    if not 1 <= used.shape[1] <= 2:
        return "", ""
    few = evenly(len(x), 200)
    at = placed(np.column_stack([used, np.zeros(len(x))])[:, :2])[few]
    axis = lines(np.array([[EDGE, 60], [172, 60]]), [(0, 1)], theme) if used.shape[1] == 1 else ""
    shown = axis + markers(at, y[few], colours, 6 if len(few) <= 12 else 4.4 if len(few) <= 60 else 3.4, theme)
    said = f"{counted(len(few), 'point')} of the classes {', '.join(names)}"
    return said, shown + legend(names, colours, theme, dear(problem, names))


def dear(problem: Multiclass | Binary, names: Sequence[str]) -> list[str]:
    """The one mistake that costs more than all others, if there is one."""
    costs = problem.costs if isinstance(problem, Multiclass) else np.zeros((1, 1))
    truth, guess = np.unravel_index(int(np.argmax(costs)), costs.shape)
    alone = np.count_nonzero(costs == costs.max()) == 1 and costs.max() > 0
    return [f"{names[truth]} as {names[guess]}", f"costs {costs.max():g}"] if alone else []


def images(x: Array, y: Ints, names: Sequence[str], meta: Any, theme: Theme) -> str:
    """The first image of each of at most ten classes in two rows, with its name."""
    out = ""
    for n, k in enumerate(np.unique(y)[:10].tolist()):
        left, top = EDGE + 49 * (n % 5), EDGE + 7 + 54 * (n // 5)
        image = x[np.argmax(y == k), : np.prod(meta["image_shape"])].reshape(meta["image_shape"])
        out += grey(image, theme, left, top, 36, 36) + text(left + 41, top + 30, names[k])
    return out


def field(problem: FieldLabelling, theme: Theme, turn: int) -> Drawn:
    """A grid, label sets, or a graph whose nodes are markers."""
    kind, shape, names, place = drawn_as(problem, turn)
    states, x, y = state_names(problem), problem.dataset.inputs[turn], np.asarray(problem.dataset.labels[turn])
    if kind == "labels":
        return label_sets(problem, names, theme)
    if shape is not None:
        said = f"A grid of {shape[0]} by {shape[1]} noisy cells, and which of {', '.join(states)} each is"
        return said, grid(x.nodes, y, shape, problem.dataset.meta, states, theme)
    at, few, colours = placed(place, equal=False), np.arange(min(len(y), 150)), fills(states, theme)
    nodes = markers(at[few], y[few], colours, 6.5 if len(y) <= 20 else 5, theme)
    said = f"A graph of {counted(len(y), 'node')} and {counted(len(x.edges), 'edge')}, each node {' or '.join(states)}"
    return said, lines(at, x.edges[:200].tolist(), theme) + nodes + legend(states, colours, theme)


def grid(nodes: Array, y: Ints, shape: tuple[int, int], meta: Any, states: Sequence[str], theme: Theme) -> str:
    """Noisy cells, in the colour of their strongest feature or in shades of the first, and the true cells with marks."""
    part = np.ix_(*(evenly(size, MOST) for size in shape))
    truth, paint = y.reshape(shape)[part], [(colour, 1.0) for colour in fills(states, theme)]
    first, second = (WIDTH / 2 - SIDE - 13, EDGE, SIDE, SIDE), (WIDTH / 2 + 13, EDGE, SIDE, SIDE)
    if tuple(meta.get("feature_names", ())) == tuple(states):
        seen = cells(np.argmax(nodes, axis=1).reshape(shape)[part], paint, *first)
    else:
        seen = grey((nodes[:, 0] - nodes[:, 0].min()).reshape(shape)[part], theme, *first)
    named = ""
    for k, letter in enumerate(marks(states)):
        spots = np.argwhere(truth == k)
        if len(spots):
            middle = spots[np.argmin(np.sum((spots - spots.mean(axis=0)) ** 2, axis=1))]
            r, c = (middle + 0.5) * SIDE / truth.shape
            named += mark(second[0] + c, EDGE + r, letter, paint[k][0])
    return seen + arrow(WIDTH / 2, theme) + cells(truth, paint, *second) + named


def label_sets(problem: FieldLabelling, names: Sequence[str], theme: Theme) -> Drawn:
    """Features of a few examples at the left, their labels at the right: a disc where one is on, a ring where off."""
    y = np.asarray(problem.dataset.labels)[:7, :12]
    x = dense(problem.dataset.inputs[: len(y)])
    starts = np.unique(np.arange(MOST) * x.shape[1] // MOST)
    seen = np.add.reduceat(x, starts, axis=1) / np.diff(np.append(starts, x.shape[1]))
    pitch = SIDE / len(y)
    step = min(pitch, 104 / y.shape[1])
    striped = np.insert(np.repeat(seen, 3, axis=0), np.arange(3, 3 * len(y), 3), 0.0, axis=0)
    out = grey(striped, theme, EDGE, EDGE, 112, SIDE) + arrow(133, theme)
    for (i, u), on in np.ndenumerate(y):
        look = f"fill='{theme.accent}' stroke='{theme.accent}'" if on else f"fill='none' stroke='{theme.neutral}'"
        at = f"cx='{148 + (u + 0.5) * step:.1f}' cy='{EDGE + (i + 0.5) * pitch:.1f}'"
        out += f"<circle {at} r='{0.36 * step:.1f}' {look}/>"
    return f"Features of {counted(len(y), 'example')}, and which of {counted(len(names), 'label')} are on", out


def clusters(problem: Clustering | SingleLink, theme: Theme, turn: int) -> Drawn:
    """Items where they lie, mentions in their text, or the similarity of items beside their clusters."""
    x, label = problem.dataset.inputs[turn], np.asarray(problem.dataset.labels[turn])
    truth = partition(label)
    names = called(x, truth)
    colours, said = fills(names, theme), f"{counted(x.m, 'item')} in {counted(len(names), 'cluster')}"
    if "pronouns" in problem.dataset.meta:
        alone, pale = np.bincount(truth) == 1, fills(["blank"], theme)[0]
        chips, letter = zip(*((pale, "") if alone[k] else (colours[k], names[k]) for k in truth), strict=True)
        return f"{said}: who is who", sentence(x.names, chips, letter)
    if x.place is not None:
        at = placed(x.place[:, :2])
        tied = [(a, b) for b, a in enumerate(label.tolist()) if a >= 0] if is_forest(label) else []
        shown = lines(at, tied, theme) + markers(at, truth, colours, 5, theme)
        return f"{said}, where they lie", shown + legend(names, colours, theme)
    few = ordered(truth, truth).items[evenly(x.m, MOST)]
    matrix = heat(alike(x, truth, few), theme, EDGE, EDGE, SIDE, SIDE)
    return f"How alike {said} are, cluster by cluster", matrix + arrow(127, theme) + groups(truth, names, colours)


def called(x: ItemSet, truth: Ints) -> list[str]:
    """What clusters are called: as their items where these are called alike, else by letters."""
    shared = [{x.names[i] for i in np.flatnonzero(truth == k)} if x.names else set() for k in range(truth.max() + 1)]
    same = all(len(names) == 1 for names in shared)
    return [names.pop() if same else letters(k) for k, names in enumerate(shared)]


def alike(x: ItemSet, truth: Ints, few: Ints) -> Array:
    """s_ij of some items, moved and scaled so that pairs of the same cluster have mean 0.7 and others -0.3."""
    i, j = (few[end] for end in upper(len(few)))
    number = pair_matrix(np.arange(pair_count(x.m)), x.m)[i, j].astype(int)
    rows, same = dense(pair_rows(x)[number]), truth[i] == truth[j]
    if same.all() or not same.any():
        return np.zeros((len(few), len(few)))
    apart = rows[same].mean(axis=0) - rows[~same].mean(axis=0)
    s = rows @ (apart / np.maximum(np.std(rows, axis=0), 1e-9))
    high, low = s[same].mean(), s[~same].mean()
    return pair_matrix((s - 0.3 * high - 0.7 * low) / max(high - low, 1e-9), len(few), 1.0)


def groups(truth: Ints, names: Sequence[str], colours: Sequence[str]) -> str:
    """The items of each cluster as dots in rows of ten, after the name of the cluster."""
    rows = [(k, s, min(10, size - s)) for k, size in enumerate(np.bincount(truth)) for s in range(0, size, 10)]
    pitch = min(11.0, SIDE / len(rows))
    out = ""
    for n, (k, start, count) in enumerate(rows):
        y = HEIGHT / 2 + pitch * (n - (len(rows) - 1) / 2)
        dots = "".join(f"M{156 + c * 9.6:.1f} {y:.1f}h0" for c in range(count))
        out += f"<path d='{dots}' stroke='{colours[k]}' stroke-width='{0.7 * pitch:.1f}' stroke-linecap='round'/>"
        out += "" if start else text(144, y, names[k][:2], f"font-size='{min(10, pitch):.1f}'")
    return out


def tree(problem: DependencyTrees, theme: Theme, turn: int) -> Drawn:
    """Arcs from each head to its dependents over the words, and a stem above the root."""
    i = fitting(problem.dataset.labels, 5, turn)
    x, heads = problem.dataset.inputs[i], problem.dataset.labels[i][:9].tolist()
    step = (WIDTH - 2 * EDGE) / len(heads)
    size = min(13.0, step / (0.58 * max(map(len, x.words))))
    out = ""
    for d, h in enumerate(heads, start=1):
        here, there = (EDGE + (t - 0.5) * step for t in (d, h))
        high, colour = min(22 * abs(d - h), 74), theme.truth if h else theme.muted
        arc = f"M{there:.1f} 86A{abs(here - there) / 2:.1f} {high} 0 0 {int(h < d)} {here:.1f} 86"
        arc = arc if h else f"M{here:.1f} {EDGE}V86"
        out += f"<path d='{arc}' fill='none' stroke='{colour}' stroke-width='2'/>"
        out += f"<path d='M{here:.1f} 89l-3.5-6h7z' fill='{colour}'/>"
        out += text(here, 98, x.words[d - 1], f"font-size='{size:.1f}'")
        out += text(here, 111, x.tags[d - 1], f"font-size='9' fill='{theme.muted}'")
    return f"The dependency tree of: {' '.join(x.words)}", out


KINDS: dict[Any, Any] = {
    Chain: chain, Multiclass: classes, Binary: classes, FieldLabelling: field,
    Clustering: clusters, SingleLink: clusters, DependencyTrees: tree,
}  # fmt: skip
"""Which picture a problem has."""

__all__ = ["KINDS", "picture"]
