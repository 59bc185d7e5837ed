"""Relaxed oracles and branch and bound as films: what they answer, and how far that is from a labelling.

    integrality gap = bound - best score,      0 where the relaxation is tight: it proves a best labelling

The linear program shows its size, its shares and their rounding. The fast relaxation shows how its bound
falls and its labelling rises, sweep after sweep, until they meet or only mixed states are left between them.
Branch and bound shows what the relaxation leaves open, and what the search makes of it. Cost: that of the
oracle, a few times.
"""

import numpy as np

from explorer.engine.structures.fields.oracles.linear_program import LinearProgram
from explorer.engine.structures.fields.oracles.relaxation import Relaxation
from explorer.labs.fields.comparison import open_nodes, shares_of
from explorer.labs.fields.film import (
    FieldFilm,
    FieldRequest,
    FieldStep,
    node_words,
    own_best,
    score_of,
    target_of,
)
from explorer.labs.film import Curves, Film
from explorer.wording import quantity

FEW = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89)
"""Sweeps after which the fast relaxation is looked at."""


def relaxed_film(asked: FieldRequest) -> FieldFilm:
    """A relaxed answer: its shares and its bound, then what rounding makes of it."""
    labels, shares, bound, score = asked.labels, asked.reply.shares, asked.reply.bound, asked.reply.score
    half, steps = open_nodes(shares), []
    if len(half):
        sure = np.setdiff1d(np.arange(len(labels)), half)
        right = int((labels[sure] == target_of(asked)[sure]).sum())
        some = f"{node_words(half)} {'have' if len(half) > 1 else 'has'} shares of several states"
        rest = f"of the other {len(sure)} nodes {right} are as in the best known labelling"
        says = f"{some}; {rest}. The shares are worth {bound:.4g}."
        steps.append(FieldStep(says[:1].upper() + says[1:], labels, score, shares=shares))
    rounded = len(half) or bound - score > 1e-6 * max(1.0, abs(score))
    says = f"{'Rounded to whole states' if rounded else 'Every node has a single state'}: score {score:.4g}."
    steps.append(FieldStep(says, labels, score))
    gap = bound - asked.top
    tight = f"The bound {bound:.4g} is reached: the answer to the relaxed problem proves the best labelling."
    loose = f"Integrality gap: the bound {bound:.4g} minus the {asked.best} {asked.top:.4g} is {gap:.4g}."
    verdict = tight if gap <= 1e-6 * max(1.0, abs(asked.top)) else loose
    return Film(asked.reply.title, tuple(steps), _worth(asked, steps), verdict)


def _worth(asked: FieldRequest, steps: list[FieldStep]) -> Curves:
    """The bound while shares are shown, the score of labellings."""
    values = np.array([[step.value if step.shares is None else asked.reply.bound] for step in steps])
    return Curves("step", "value", ("value",), values, asked.top, asked.best)


def program_film(asked: FieldRequest) -> FieldFilm:
    """The program, its optimum, and the optimum rounded."""
    end, field, own = relaxed_film(asked), asked.question, own_best(asked.question)
    program, K = LinearProgram().program(field), field.states
    says = (
        f"Every node gets shares of its {K} states, every edge shares of its {K * K} pairs: "
        f"{program.variables:,} variables, tied by {program.equalities:,} equalities. Without the edges "
        "every node would take its own best state."
    )
    steps = [FieldStep(says, own, score_of(field, own)), *end.steps]
    return Film(asked.reply.title, tuple(steps), _worth(asked, steps), end.verdict)


def relaxation_film(asked: FieldRequest) -> FieldFilm:
    """Bound and labelling after a few sweeps, and the answer."""
    end, field, oracle = relaxed_film(asked), asked.question, asked.oracle
    steps, values = [], []
    for sweeps in (k for k in FEW if k < oracle.sweeps):
        found = Relaxation(sweeps, 0, oracle.tolerance).solve(field)
        score, bound = score_of(field, found.labels), float(found.bound[0])
        after = f"After {quantity(sweeps, 'sweep')}"
        says = f"{after} no labelling can score more than {bound:.5g}; the one found scores {score:.5g}."
        steps.append(FieldStep(says, found.labels, score, shares=shares_of(field, found)))
        values.append([bound, score])
        if bound - score <= oracle.tolerance * max(1.0, abs(bound)) or (
            len(values) > 1 and values[-1] == values[-2]
        ):
            break
    values += [[asked.reply.bound, step.value] for step in end.steps]
    curves = Curves("step", "score", ("bound", "labelling"), np.array(values), asked.top, asked.best)
    return Film(asked.reply.title, (*steps, *end.steps), curves, end.verdict)


def branch_film(asked: FieldRequest) -> FieldFilm:
    """What the relaxation leaves open, and the answer of the search."""
    field, labels, score = asked.question, asked.labels, asked.reply.score
    relaxed, looked = Relaxation().solve(field), int(asked.oracle.search(field)[1][0])
    shares, bound = shares_of(field, relaxed), float(relaxed.bound[0])
    if shares is None:
        says = f"The relaxation is tight: score {score:.5g}, and no subproblem had to be searched."
        step = FieldStep(says, labels, score)
        return Film(asked.reply.title, (step,), asked.curves([step], "step"), "No labelling is better.")
    half = open_nodes(shares)
    says = f"The relaxation leaves {node_words(half)} open and promises at most {bound:.5g}: "
    says += "there the search begins."
    first = FieldStep(says, relaxed.labels, score_of(field, relaxed.labels), shares=shares, changed=half)
    says = f"After {looked:,} subproblems nothing better can be left: score {score:.5g}."
    curves = Curves("step", "bound", ("bound",), np.array([[bound], [score]]), score, "best score")
    verdict = f"{looked:,} subproblems instead of {field.states}^{len(field.unary)} labellings."
    return Film(asked.reply.title, (first, FieldStep(says, labels, score)), curves, verdict)
