"""Examples of a file for the two labs: its first example, at the weights that were trained here."""

from typing import Any

import numpy as np

from explorer.dashboards.clusters import link as cluster_link
from explorer.engine.refusals import Refused
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.labs.clusterings.instance import LARGEST, MOST_EDITS, RANDOM, ClusterChoice
from explorer.labs.clusterings.state import ClusterSetup
from explorer.labs.fields.handover import HANDOVER, Taken, field_of, row_places
from explorer.session.problem_cache import ready_problem
from explorer.session.uploads.desk import Desk
from explorer.views.kit.controls.open_in_lab import MOST_NODES
from explorer.views.labelling.places import nodes_of

MOST_ITEMS = max(m for m in range(2, 40) if m * (m - 1) // 2 <= MOST_EDITS)
"""Items whose similarities a link can hold."""
UNTRAINED = "without weights every answer is as good: press Train here first, then open the lab"


def result_of(desk: Desk) -> tuple[Any, Any]:
    """The problem of a desk and its last weights."""
    found = ready_problem(desk.recipe())
    if found is None or not len(desk.trace):
        raise Refused(UNTRAINED)
    return found[0], desk.trace.at(-1).w


def lab_address(desk: Desk, theme: str) -> str:
    """The oracle lab with the first example of the file."""
    problem, w = result_of(desk)
    words = f"Example 0 of {desk.recipe().task}, at step {len(desk.trace) - 1}"
    if isinstance(problem, Chain):
        chain = problem.chains(w, 0, 1)
        one = Taken(words, field_of(chain), row_places(len(chain.unary)))
    elif isinstance(problem, FieldLabelling):
        _, shape, _, place = nodes_of(problem, 0)
        one = Taken(words, problem.fields(w, 0, 1), place * ([1.0, -1.0] if shape else [1.0, 1.0]), shape)
    else:
        raise Refused("the oracle lab decodes sequences, labelled graphs and label sets; this file has none")
    if len(one.field.unary) > MOST_NODES:
        raise Refused(f"the first example has more than {MOST_NODES:,} nodes, too many for the lab")
    return f"lab?v=1&kind=taken&taken={HANDOVER.give(one)}&theme={theme}"


def cluster_address(desk: Desk, theme: str) -> str:
    """The clustering lab with the first items of the first set of the file."""
    problem, w = result_of(desk)
    if not isinstance(problem, Clustering):
        raise Refused("the clustering lab takes sets of items; give a table of pairs")
    x = problem.dataset.inputs[0]
    m = min(x.m, MOST_ITEMS)
    K = problem.similarity(w, x)[:m, :m]
    scale = LARGEST / max(float(np.abs(K).max()), 1e-300) if np.abs(K).max() > LARGEST else 1.0
    edits = tuple((i, j, float(f"{scale * K[i, j]:.3g}")) for i in range(m) for j in range(i + 1, m))
    truth = tuple(np.unique(np.asarray(problem.dataset.labels[0])[:m], return_inverse=True)[1].tolist())
    choice = ClusterChoice(RANDOM, size=m, edits=edits, truth=truth).in_range()
    return f"clusters?{cluster_link.query(ClusterSetup(choice), theme)}"


__all__ = ["cluster_address", "lab_address"]
