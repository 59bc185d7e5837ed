"""Fields for tests of the oracle lab, and their referee: every labelling, scored by the definition."""

from itertools import product
from typing import Any

import numpy as np

from explorer.engine.structures.fields.fields import Fields
from explorer.labs.fields.instance import POTTS, FieldChoice

ATTRACTING = FieldChoice("grid", 3, 2, couplings=POTTS, coupling=0.5, attraction=1.0, seed=8)
CASES = (
    FieldChoice("complete", 6, 2, seed=1),
    FieldChoice("complete", 5, 3, "normal", seed=2),
    ATTRACTING,
    FieldChoice("cycle", 7, 2, couplings=POTTS, coupling=1.0, attraction=0.5, seed=4),
    FieldChoice("tree", 7, 3, seed=5),
    FieldChoice("patches", 12, 3, seed=6),
    FieldChoice("triangle"),
)


def every(field: Fields) -> tuple[Any, Any]:
    """All labellings and their scores, by the definition."""
    found = np.array(list(product(range(field.states), repeat=len(field.unary))))
    return found, np.array([score(field, y) for y in found])


def score(field: Fields, y: Any) -> float:
    """The score of one labelling."""
    pairs = sum(field.pair[t, y[a], y[b]] for (a, b), t in zip(field.ends, field.table, strict=True))
    return float(sum(field.unary[u, y[u]] for u in range(len(y))) + pairs)
