"""Several oracles on one field: each answer's labelling, score, bound and shares; see `labs/compare.py`.

Cost: that of the oracles, and one listing of all labellings where there are at most 200,000.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from explorer.engine.enumeration import ROUNDING, Ranks
from explorer.engine.structures.fields.fields import Fields, Solved, kind_of, unflatten
from explorer.engine.structures.fields.oracles import FIELD_ORACLES
from explorer.engine.vectors import Array, Ints
from explorer.labs.compare import OracleComparison, Reply, ask, compare
from explorer.labs.film import NONE, SURE


def reply_of(oracle: Any, field: Fields, patient: bool = False) -> Reply:
    """What an oracle says about one field."""
    found = ask(oracle, field, read_answer, kind_of(oracle), patient)
    return replace(found, refused=about_one(found.refused))


def read_answer(field: Fields, solved: Solved) -> dict[str, Any]:
    """The parts of a reply."""
    labels = np.asarray(solved.labels, dtype=np.int64)
    score, fractions = float(field.scores(labels)[0]), solved.fractions.get(0)
    value = score if fractions is None else field.relaxed_score(0, fractions)
    return {
        "labels": labels,
        "shares": shares_of(field, solved),
        "score": score,
        "value": value,
        "bound": float(solved.bound[0]),
    }


def shares_of(field: Fields, solved: Solved) -> Array | None:
    """The node shares (m, K) of a fractional answer."""
    found = solved.fractions.get(0)
    return None if found is None else unflatten(found, len(field.unary), field.states)[0]


def open_nodes(shares: Array | None) -> Ints:
    """The nodes without a single state."""
    return NONE if shares is None else np.flatnonzero(shares.max(axis=1) < 1.0 - SURE)


def compare_fields(field: Fields, replies: Sequence[Reply], ranks: Ranks | None) -> OracleComparison[Fields]:
    """The replies against each other and, where they are listed, against all labellings."""
    known = [] if ranks is None else [(float(ranks.scores[0]), ranks.best[0])]
    if not known and not any(one.labels is not None for one in replies):
        own = np.argmax(field.unary, axis=1).astype(np.int64)
        known = [(float(field.scores(own)[0]), own)]
    widest = 0.0 if ranks is None else float(np.abs(ranks.scores[[0, -1]]).max())
    return compare(field, replies, lambda top: ROUNDING * max(1.0, abs(top), widest), known, ranks=ranks)


def about_one(reason: str) -> str:
    """A refusal about many fields, said about the only one."""
    return (
        reason.replace("field 0 has", "the field has")
        .replace("field 0, ", "")
        .replace("the fields have", "the field has")
    )


def titles() -> list[str]:
    """All oracles of fields in menu order."""
    return [kind.title for kind in FIELD_ORACLES]


def refusals(field: Fields) -> dict[str, str]:
    """The oracles that cannot decode this field, whatever their settings, each with its reason."""
    found = {kind.title: kind().refuses(field) for kind in FIELD_ORACLES}
    return {title: about_one(reason) for title, reason in found.items() if reason}
