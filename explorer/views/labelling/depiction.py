"""How labelled graphs and label sets are shown: runs of states, labels that are on, named weights.

Pairwise weights of graphs are shared by (a, b) and (b, a) where the problem says so, and those of pairs of
labels are one number each: both are also laid out as square matrices (`field_pair_cells`).
"""

from itertools import groupby
from typing import Any

import numpy as np

from explorer.engine.structures.fields.fields import is_relaxed
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.views.kit.depiction import Depiction, plain_mistake
from explorer.views.kit.words.label_words import open_parts, shorten, state_names, state_text
from explorer.views.kit.words.weight_names import PairCells, WeightGroup, feature_names, names_by_number
from explorer.views.labelling.places import label_names
from explorer.views.labelling.portrait import field_portrait
from explorer.views.labelling.thumbnail import field_thumbnail
from explorer.wording import quantity


def node_name(problem: FieldLabelling) -> str:
    """Nodes of graphs, or labels of a set."""
    return "label" if problem.layout.shared_row else "node"


def field_states(problem: FieldLabelling) -> tuple[str, ...]:
    """What the states are called."""
    return state_names(problem.dataset, problem.states)


def field_text(problem: FieldLabelling, label: Any, example: int | None = None) -> str:
    """The labels that are on; the states of nodes, in runs of equal ones where they are too many."""
    states, names = field_states(problem), problem.dataset.meta.get("label_names", ())
    if not is_relaxed(label) and len(names) == np.size(label):
        return shorten(", ".join(str(name) for name, on in zip(names, label, strict=True) if on) or "none")
    text = state_text(label, states)
    if is_relaxed(label) or not text.endswith("…"):
        return text
    runs = ((states[y], len(list(run))) for y, run in groupby(np.asarray(label).tolist()))
    return shorten(" ".join(name if count == 1 else f"{count}×{name}" for name, count in runs))


def field_input(problem: FieldLabelling, example: int) -> str:
    """Size and kind of the graph; of a set of labels how many features there are."""
    x = problem.dataset.inputs[example]
    if problem.layout.shared_row:
        return quantity(x.shape[-1], "feature")
    if x.shape is not None:
        return f"grid of {x.shape[0]} by {x.shape[1]} nodes"
    return f"graph of {quantity(len(x), 'node')} and {quantity(len(x.edges), 'edge')}"


def field_mistake(problem: FieldLabelling, example: int, label: Any) -> str:
    """A wrong labelling with how many nodes are wrong, or how many a fractional one leaves open."""
    if not is_relaxed(label):
        return plain_mistake(problem, example, label)
    truth = problem.dataset.labels[example]
    count = open_parts(label, truth, problem.states)
    return f"(fractional: {count} of {quantity(len(truth), node_name(problem))} open)"


def field_weights(problem: FieldLabelling) -> tuple[WeightGroup, ...]:
    """Weights of nodes: features by states or labels; weights of edges: pairs of states or labels."""
    return tuple(_group(problem, name, where) for name, where in problem.groups.items())


def _group(problem: FieldLabelling, name: str, where: slice) -> WeightGroup:
    layout = problem.layout
    if name in ("pairwise", "pairs"):
        words = pair_words(problem)
        tables = layout.tables if name == "pairwise" else 1
        each = "{col}" if tables == 1 else "{col} ({row})"
        return WeightGroup(
            name, where.start, tables, len(words), each, names_by_number("edge feature"), words.__getitem__
        )
    rows = (where.stop - where.start) // layout.columns
    named = label_names(problem) if name == "labels" else field_states(problem)
    features = feature_names(problem.dataset, rows)
    return WeightGroup(
        name, where.start, rows, layout.columns, "{row} for {col}", features, named.__getitem__
    )


def pair_words(problem: FieldLabelling) -> tuple[str, ...]:
    """What one pairwise weight is for: two states side by side, or two labels that are both on."""
    layout, states = problem.layout, field_states(problem)
    if layout.shared_row:
        names, ends = label_names(problem), layout.part(0, 1).ends
        return tuple(f"{names[a]} with {names[b]}" for a, b in ends)
    first = {int(slot): pair for pair, slot in reversed(list(np.ndenumerate(layout.slot)))}
    return tuple(f"{states[a]} beside {states[b]}" for a, b in (first[k] for k in range(layout.per_table)))


def field_pair_cells(problem: FieldLabelling) -> PairCells | None:
    """The pairwise weights; None where there are none."""
    if len(problem.groups) < 2:
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
    return PairCells("neighbours", index, table, *both, field_states(problem))


FIELDS = Depiction(
    part=node_name,
    states=field_states,
    label_text=field_text,
    input_text=field_input,
    mistake=field_mistake,
    weights=field_weights,
    pair_cells=field_pair_cells,
    thumbnail=field_thumbnail,
    portrait=field_portrait,
)

__all__ = ["FIELDS"]
