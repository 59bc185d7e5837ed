"""What each entry of the weight vector is for, in words: by kind of weight, feature, state and pair.

A group is a run of w that forms a matrix. Pairwise weights of graphs are tied (a, b) with (b, a) where the problem says so,
and those of pairs of labels are one number each: both are also laid out as square matrices (`pair_cells`).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from explorer.engine.contracts import Problem
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.vectors import Array, Ints
from explorer.views.kit.label_words import clusters_items, state_names

ENDS = {"start": "begins with {col}", "stop": "ends with {col}"}


@dataclass(frozen=True, slots=True)
class Group:
    """A run of weights that form a rows x cols matrix; `words` says in words what one of them is for."""

    name: str
    start: int
    rows: int
    cols: int
    words: str
    row: Callable[[int], str]
    col: Callable[[int], str]

    @property
    def stop(self) -> int:
        """Where the next group begins."""
        return self.start + self.rows * self.cols

    def word(self, j: int) -> str:
        """What weight j of the whole vector stands for."""
        r, c = divmod(j - self.start, self.cols)
        return self.words.format(row=self.row(r), col=self.col(c))

    def cells(self, w: Array) -> Array:
        """The group as a matrix."""
        return w[self.start : self.stop].reshape(self.rows, self.cols)


def groups(problem: Problem) -> tuple[Group, ...]:
    """The weights of a problem by what they are for, in the order in which they lie in w."""
    states = state_names(problem)
    own: Mapping[str, slice] = getattr(problem, "groups", {})
    if clusters_items(problem):
        return tuple(_of_pairs(problem, name, where, len(own) > 1) for name, where in own.items())
    if own:
        return tuple(_group(problem, name, where, states) for name, where in own.items())
    if hasattr(problem, "classes"):
        rows = problem.dim // len(states)
        return (
            Group("classes", 0, rows, len(states), "{row} for {col}", _features(problem, rows), states.__getitem__),
        )
    named: Sequence[str] = getattr(problem, "feature_names", ())
    if len(named) == problem.dim:
        return (Group("weights", 0, problem.dim, 1, "{row}", named.__getitem__, str),)
    row = _features(problem, problem.dim) if hasattr(problem, "bias") else _numbered("weight")
    return (Group("weights", 0, problem.dim, 1, "{row}", row, str),)


def _group(problem: Problem, name: str, where: slice, states: tuple[str, ...]) -> Group:
    """One of the slices that a problem names."""
    state, K, size = states.__getitem__, len(states), where.stop - where.start
    if isinstance(problem, FieldLabelling):
        return _of_field(problem, name, where, states)
    if name in ENDS:
        return Group(name, where.start, 1, size, ENDS[name], str, state)
    if name == "transitions":
        return Group(name, where.start, K, K, "after {row} comes {col}", state, state)
    return Group(name, where.start, size // K, K, "{row} for {col}", _features(problem, size // K), state)


def _of_pairs(problem: Problem, name: str, where: slice, several: bool) -> Group:
    """Weights of pairs of items, under the names that the data gives to all of them, else by number."""
    named, size = problem.dataset.meta.get("features", ()), where.stop - where.start
    if len(named) == problem.dim:
        return Group(name, where.start, size, 1, "{row}", lambda r: str(named[where.start + r]), str)
    words = f"{{row}} ({name})" if several else "{row}"
    return Group(name, where.start, size, 1, words, _numbered("feature"), str)


def _of_field(problem: FieldLabelling, name: str, where: slice, states: tuple[str, ...]) -> Group:
    """Weights of nodes: features for each state or label; weights of edges: one for each pair of states or labels."""
    layout = problem.layout
    if name in ("pairwise", "pairs"):
        words = pair_words(problem, states)
        tables = layout.tables if name == "pairwise" else 1
        each = "{col}" if tables == 1 else "{col} ({row})"
        return Group(name, where.start, tables, len(words), each, _numbered("edge feature"), words.__getitem__)
    rows = (where.stop - where.start) // layout.columns
    col = label_names(problem).__getitem__ if name == "labels" else states.__getitem__
    return Group(name, where.start, rows, layout.columns, "{row} for {col}", _features(problem, rows), col)


def label_names(problem: FieldLabelling) -> tuple[str, ...]:
    """What the labels of a multi-label problem are called."""
    named, count = problem.dataset.meta.get("label_names", ()), problem.layout.columns
    return tuple(map(str, named)) if len(named) == count else tuple(f"label {u + 1}" for u in range(count))


def pair_words(problem: FieldLabelling, states: tuple[str, ...]) -> tuple[str, ...]:
    """What one pairwise weight is for: two states side by side, or two labels that are both on."""
    layout = problem.layout
    if layout.shared_row:
        names, ends = label_names(problem), layout.part(0, 1).ends
        return tuple(f"{names[a]} with {names[b]}" for a, b in ends)
    first = {int(slot): pair for pair, slot in reversed(list(np.ndenumerate(layout.slot)))}
    return tuple(f"{states[a]} beside {states[b]}" for a, b in (first[k] for k in range(layout.per_table)))


class PairCells(NamedTuple):
    """Pairwise weights as a square for each table: where in w, row and column of every cell, and the sides' names."""

    title: str
    index: Ints
    table: Ints
    row: Ints
    column: Ints
    names: tuple[str, ...]


def pair_cells(problem: Problem) -> PairCells | None:
    """The pairwise weights of a field; None where there are none."""
    if not isinstance(problem, FieldLabelling) or len(problem.groups) < 2:
        return None
    layout = problem.layout
    if layout.shared_row:
        a, b = layout.part(0, 1).ends.T
        index = np.tile(layout.split + np.arange(len(a)), 2)
        zero, names = np.zeros(len(index), dtype=np.int64), label_names(problem)
        return PairCells("pairs of labels", index, zero, np.r_[a, b], np.r_[b, a], names)
    row, column = np.nonzero(layout.free)
    table = np.repeat(np.arange(layout.tables), len(row))
    index = layout.split + table * layout.per_table + np.tile(layout.slot[row, column], layout.tables)
    both = (np.tile(part, layout.tables) for part in (row, column))
    return PairCells("neighbours", index, table, *both, state_names(problem))


def _numbered(word: str) -> Callable[[int], str]:
    return lambda j: f"{word} {j + 1}"


def _features(problem: Problem, rows: int) -> Callable[[int], str]:
    """What feature r is called: the data's own name, a pixel (row, column), the constant, or its number."""
    meta = problem.dataset.meta
    if len(meta.get("feature_names", ())) == rows:
        return lambda r: str(meta["feature_names"][r])
    shape = meta.get("image_shape")
    pixels = math.prod(shape) if shape else 0
    bias = getattr(problem, "bias", "none") != "none"

    def name(r: int) -> str:
        if r < pixels:
            return f"pixel ({r // shape[1] + 1},{r % shape[1] + 1})"
        if pixels and rows == pixels + 1:
            return "constant"
        return "bias" if bias and r == 0 else f"feature {r + (0 if bias else 1)}"

    return name


def word_of(parts: tuple[Group, ...], j: int) -> str:
    """What weight j stands for."""
    return next((part.word(j) for part in parts if part.start <= j < part.stop), f"weight {j + 1}")
