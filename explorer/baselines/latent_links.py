"""Single link with latent links: guess the links of every true cluster, learn w with these links, guess
again.

    min_w  1/2 |w|^2 + C mean_i cost(max_y H_i(y)),     in H_i:
        w . Psi(truth) = max over its links h of w . Psi(x_i, y_i, h)

The last maximum makes the objective a difference of convex functions. With the links fixed at h_i the
objective can only be larger, is convex, and is the same at the w whose best links are h_i; so each round of

    1. h_i = the best spanning tree of every true cluster under the similarity of w
    2. w = the optimum of the structural SVM in which the truths have the links h_i

cannot raise it, if 2. is solved with an exact oracle to a small gap. It ends where links no longer change or
the objective no longer falls: a local optimum. The rule is that of Yu and Joachims, "Learning structural SVMs
with latent variables", 2009; Finley 2009, section 6.2, asks for it and names the links as what is latent.
Cost of a round: one training run.
"""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.contracts import Learner
from explorer.engine.dual.working_set import reprice
from explorer.engine.events import Bounds, Event, Step
from explorer.engine.objective import HINGE, mean_loss, value
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Until, price_of
from explorer.engine.runs.streams import train as run
from explorer.engine.structures.clusterings.single_link import SingleLink
from explorer.engine.vectors import Array, Ints

ENOUGH = Until(relative_gap=1e-9, passes=100_000.0)
"""When each convex problem counts as solved: a learner with a tolerance of its own may end before."""


@dataclass(frozen=True, slots=True, eq=False)
class LinkRound:
    """One round: the links trained with, the w found, the convex objective there and the latent one, which is
    no larger.

    `bounds` are those of the convex problem; `changed` counts the sets whose best links at w differ from
    `links`.
    """

    k: int
    w: Array
    links: tuple[Ints, ...]
    objective: float
    convex: float
    bounds: Bounds
    train_loss: float
    changed: int
    step: Step


def latent_objective(problem: SingleLink, w: Array, C: float) -> float:
    """The objective in which every truth has the links that score most at w."""
    return value(problem.impute(w), w, C)


def train(
    problem: SingleLink,
    learner: Learner,
    *,
    seed: int = 0,
    rule: Until = ENOUGH,
    rounds: int = 50,
    tolerance: float = 1e-9,
    cancelled: Callable[[], bool] = lambda: False,
) -> Generator[LinkRound, None, None]:
    """Rounds of the alternation, from the links that the problem has, until the objective falls no more.

    A round that raises the latent objective is not told: then its convex problem was not solved exactly
    enough.
    """
    if not learner.certifies or learner.objective is not HINGE:
        raise Refused(
            f"{learner.title} does not know how far it is from its optimum; choose a cutting-plane learner"
        )
    C, before = price_of(learner), np.inf
    state: Any = None
    for k in range(rounds):
        step = _last(
            run(problem, learner, seed=seed, rule=rule, look_every=1e9, state=state, cancelled=cancelled)
        )
        if step is None or cancelled():
            return
        better = problem.impute(step.w)
        objective, convex = value(better, step.w, C), value(problem, step.w, C)
        if objective > before + tolerance * max(1.0, abs(before)):
            return
        changed = sum(not np.array_equal(a, b) for a, b in zip(problem.links, better.links, strict=True))
        yield LinkRound(
            k,
            step.w,
            problem.links,
            objective,
            convex,
            step.bounds,
            mean_loss(problem, step.w),
            changed,
            step,
        )
        if not changed or before - objective <= tolerance * max(1.0, abs(objective)):
            return
        problem, state, before = better, _carried(better, step.state), objective


def _last(events: Iterator[Event]) -> Step | None:
    """The last step of a run; None where it was stopped before its first."""
    found = None
    for event in events:
        found = event if isinstance(event, Step) else found
    return found


def _carried(problem: SingleLink, state: Any) -> Any:
    """The working set of a run for the next links: the same forests are cuts there too, with other feature
    differences.
    """
    if "planes" not in state or any(plane.label is None for plane in state["planes"]):
        return None
    planes = tuple(reprice(problem, plane, same_weights=False) for plane in state["planes"])
    return {**state, "planes": planes}
