"""One pairwise field to try oracles on: which kind, how large, from which seed, and where its nodes lie.

Every kind is drawn by `data/random_fields.py`, but for the one that was taken from a training run. The
strength of an edge, for drawing, is

    mean over s of pair[s, s]  -  mean over s != t of pair[s, t]

above 0 its ends are better off alike (it attracts), below 0 better off different (it repels). Free couplings
of more than two states do both, and are drawn by what prevails. Cost: linear in nodes and edges.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from explorer.engine.data.random_fields import frustrated_triangle, patches, random_field
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.fields import Fields
from explorer.engine.vectors import Array, Ints
from explorer.labs.fields.handover import HANDOVER, Taken
from explorer.labs.places import circle

FREE, POTTS = "free", "Potts"
COUPLINGS = (FREE, POTTS)
SCORES = {"uniform": "U(-1, 1)", "normal": "N(0, 1)"}
LARGEST_SEED = 9999


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of instance: its title, what its size counts, and the sizes and states that it may have."""

    title: str
    counts: str
    sizes: tuple[int, int]
    usual: int
    states: tuple[int, int]
    chosen: tuple[str, ...] = ()
    """The other choices that matter to it."""


DRAWN = ("scores", "couplings", "seed")
KINDS = {
    "complete": Kind("Complete graph", "Nodes", (3, 18), 10, (2, 4), DRAWN),
    "grid": Kind("Grid", "Rows and columns", (2, 7), 4, (2, 4), DRAWN),
    "cycle": Kind("Cycle", "Nodes", (3, 18), 9, (2, 4), DRAWN),
    "tree": Kind("Random tree", "Nodes", (3, 18), 12, (2, 4), DRAWN),
    "patches": Kind("Noisy patches on a grid", "Rows and columns", (4, 48), 24, (2, 4), ("seed",)),
    "triangle": Kind("Frustrated triangle", "Nodes", (3, 3), 3, (2, 2), ("coupling",)),
}
TAKEN = "taken"
FROM_A_RUN = Kind("From a training run", "Nodes", (1, 1_000_000), 1, (1, 1_000_000))


def kind_named(name: str) -> Kind:
    """The kind of this name, drawn or taken."""
    return FROM_A_RUN if name == TAKEN else KINDS[name]


@dataclass(frozen=True, slots=True)
class FieldChoice:
    """What was asked for; `coupling` and `attraction`, the share of attracting edges, belong to Potts.

    `taken` names a field of a training run (`handover.py`), which the kind of that name shows while it is
    kept.
    """

    kind: str = "complete"
    size: int = 10
    states: int = 2
    scores: str = "uniform"
    couplings: str = FREE
    coupling: float = 0.6
    attraction: float = 0.5
    seed: int = 0
    taken: str = ""

    def in_range(self) -> "FieldChoice":
        """The nearest choice that its kind allows."""
        kind = kind_named(self.kind)
        return replace(
            self,
            size=int(np.clip(self.size, *kind.sizes)),
            states=int(np.clip(self.states, *kind.states)),
            couplings=self.couplings if "couplings" in kind.chosen else POTTS,
        )


@dataclass(frozen=True, slots=True, eq=False)
class FieldCase:
    """A field, where its nodes lie, and the rows and columns of a grid."""

    choice: FieldChoice
    field: Fields
    place: Array
    shape: tuple[int, int] | None

    @property
    def round(self) -> bool:
        """Whether the nodes lie on a circle around 0."""
        return self.choice.kind in ("complete", "cycle", "triangle")

    @property
    def nodes(self) -> int:
        """m."""
        return len(self.field.unary)

    @property
    def labellings(self) -> int:
        """K^m, as large as it is."""
        return int(self.field.states) ** self.nodes


def field_case(choice: FieldChoice) -> FieldCase:
    """The field of a choice; the same choice is the same field."""
    choice = choice.in_range()
    if choice.kind == TAKEN:
        one = _from_run(choice.taken)
        return FieldCase(choice, one.field, one.place, one.shape)
    field = _field(choice)
    shape = (choice.size, choice.size) if choice.kind in ("grid", "patches") else None
    place: Callable[[], Array] = {
        "grid": lambda: _cells(choice.size),
        "patches": lambda: _cells(choice.size),
        "tree": lambda: tree_places(field.ends, len(field.unary)),
    }.get(choice.kind, lambda: circle(len(field.unary)))
    return FieldCase(choice, field, place(), shape)


def _from_run(key: str) -> Taken:
    one = HANDOVER.get(key)
    if one is None:
        raise Refused("this example of a training run is no longer kept: open it again from the studio")
    return one


def _field(choice: FieldChoice) -> Fields:
    if choice.kind == "triangle":
        return frustrated_triangle(choice.coupling)
    if choice.kind == "patches":
        return patches(choice.size, choice.size, choice.states, choice.seed)
    m = choice.size**2 if choice.kind == "grid" else choice.size
    potts = choice.couplings == POTTS
    return random_field(
        m,
        choice.states,
        choice.scores,
        choice.kind,
        seed=choice.seed,
        attraction=choice.attraction if potts else None,
        coupling=choice.coupling if potts else None,
    )


def strengths(field: Fields) -> Array:
    """How much each edge's ends gain by being alike, on average."""
    tables, K = field.pair[field.table], field.states
    same = np.trace(tables, axis1=1, axis2=2)
    if K == 1:
        return same
    return same / K - (tables.sum(axis=(1, 2)) - same) / (K * (K - 1))


def _cells(side: int) -> Array:
    """Row by row from the top."""
    row, column = np.divmod(np.arange(side * side), side)
    return np.stack([column, -row], axis=1).astype(float)


def tree_places(ends: Ints, m: int) -> Array:
    """Leaves side by side, every other node above the middle of its children, whose numbers are larger."""
    parent = np.full(m, -1)
    parent[ends[:, 1]] = ends[:, 0]
    depth, children = np.zeros(m), [np.flatnonzero(parent == u) for u in range(m)]
    for u in range(1, m):
        depth[u] = depth[parent[u]] + 1
    x, leaves, waiting = np.zeros(m), 0, [0]
    order = []
    while waiting:
        u = waiting.pop()
        order.append(u)
        waiting.extend(children[u][::-1].tolist())
        if not len(children[u]):
            x[u], leaves = leaves, leaves + 1
    for u in reversed(order):
        if len(children[u]):
            x[u] = x[children[u]].mean()
    return np.stack([x, -depth], axis=1)


def describe(case: FieldCase) -> str:
    """The instance in words."""
    choice, kind = case.choice, kind_named(case.choice.kind)
    if choice.kind == TAKEN:
        size = f"{case.nodes} nodes, {case.field.states} states, {len(case.field.ends)} edges"
        return f"{_from_run(choice.taken).words}: {size}"
    size = f"{choice.size} x {choice.size} cells" if case.shape else f"{case.nodes} nodes"
    potts = f"Potts couplings of {choice.coupling:g}, {choice.attraction:.0%} of them attracting"
    free = f"scores and couplings drawn from {SCORES[choice.scores]}"
    what = {
        "patches": "true patches under noise",
        "triangle": f"every edge costs {choice.coupling:g} if its ends agree",
    }
    text = what.get(choice.kind, potts if choice.couplings == POTTS else free)
    seed = f", seed {choice.seed}" if "seed" in kind.chosen else ""
    return f"{kind.title}: {size}, {choice.states} states, {len(case.field.ends)} edges; {text}{seed}"
