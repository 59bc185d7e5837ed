"""One file per algorithm; LEARNERS is in menu order, the oldest and simplest first."""

from collections.abc import Iterator

from explorer.engine.contracts import Geometry, Learner, Objective, Problem, Visits
from explorer.engine.events import Started
from explorer.engine.learners.binary_perceptron import BinaryPerceptron
from explorer.engine.learners.bundle import Bundle
from explorer.engine.learners.crf import CRF
from explorer.engine.learners.frank_wolfe import FrankWolfe
from explorer.engine.learners.hidden_markov import HiddenMarkovModel
from explorer.engine.learners.mira import MIRA
from explorer.engine.learners.n_slack import NSlack
from explorer.engine.learners.one_slack import OneSlack
from explorer.engine.learners.perceptron import Perceptron
from explorer.engine.learners.piecewise import PiecewiseField
from explorer.engine.learners.pseudo_likelihood import PseudoLikelihoodField
from explorer.engine.learners.sampled_cuts import SampledCuts
from explorer.engine.learners.sequential_dual import SequentialDual
from explorer.engine.learners.sgd import SGD
from explorer.engine.learners.stochastic_crf import StochasticCRF
from explorer.engine.learners.subgradient import Subgradient
from explorer.engine.objective import HINGE
from explorer.engine.refusals import Refused

LEARNERS: tuple[type[Learner], ...] = (
    BinaryPerceptron,
    Perceptron,
    Subgradient,
    SGD,
    NSlack,
    OneSlack,
    FrankWolfe,
    SequentialDual,
    Bundle,
    SampledCuts,
    MIRA,
    CRF,
    StochasticCRF,
    PseudoLikelihoodField,
    PiecewiseField,
    HiddenMarkovModel,
)

FEW = 100
"""Examples up to which a quadratic program over everybody's cuts is solved in no time."""

NARROW = 1000
"""Weights up to which that is so as well."""

SMALL = f"with at most {FEW} examples and {NARROW:,} weights its quadratic programs are small"
ONE_SLACK = "it needs the fewest quadratic programs, and only sums over all examples"


def name_of(learner: type[Learner]) -> str:
    """What a learner is called on the command line and in saved runs: its file's name, as in "n-slack"."""
    return learner.__module__.rpartition(".")[2].replace("_", "-")


def by_name(name: str) -> type[Learner]:
    """The learner of this name, or Refused with the names there are."""
    named = {name_of(learner): learner for learner in LEARNERS}
    if name not in named:
        raise Refused(f"there is no learner {name!r}; choose one of {', '.join(named)}")
    return named[name]


def suited_learner(problem: Problem, n: int | None = None) -> tuple[type[Learner], str]:
    """Who learns a problem if nobody is named, and why: chosen by what the problem offers. `n` says how many
    examples there will be, where the problem has only a few of them.
    """
    if not problem.n:
        return Bundle, "the problem is a risk without examples"
    for learner, why in _by_merit(problem, problem.n if n is None else n):
        if learner().refuses(problem) is None:
            return learner, why
    return OneSlack, ONE_SLACK


def _by_merit(problem: Problem, n: int) -> Iterator[tuple[type[Learner], str]]:
    """Learners that would do, the best one first."""
    small = n <= FEW and problem.dim <= NARROW
    if small and problem.oracle_is_exact and not isinstance(problem, Geometry):
        yield NSlack, SMALL
    if isinstance(problem, Visits) and problem.visitable:
        yield SequentialDual, "the problem has compiled passes"
    yield OneSlack, ONE_SLACK
    yield NSlack, "it takes every price of slacks"
    yield Bundle, "it needs nothing but values and subgradients"


def objective_of(begun: Started | None) -> Objective:
    """What the learner of a run minimises; the hinge where it minimises nothing, or is not known."""
    named = {learner.__name__: learner.objective for learner in LEARNERS}
    return (named.get(begun.learner) if begun else None) or HINGE
