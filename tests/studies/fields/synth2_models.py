"""Models of Synth2 with a constant feature, at full size and its fixed price: each is trained once."""

from functools import cache

from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.studies.support.fitting import Fitted, fit
from explorer.studies.support.sets import FIXED_C, examples, problem_of

C, EPS = FIXED_C["synth2"], 0.1


@cache
def trained_on_synth2(oracle: str) -> tuple[FieldLabelling, Fitted]:
    """The problem with this oracle of training and exact prediction, and its model."""
    train, _ = examples("synth2")
    problem = problem_of(train, oracle, "exhaustive")
    return problem, fit(problem, C, EPS)
