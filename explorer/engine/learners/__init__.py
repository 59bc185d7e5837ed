"""One file per algorithm; LEARNERS is in menu order, the oldest and simplest first."""

from explorer.engine.contracts import Geometry, Learner, Objective, Problem, Visits
from explorer.engine.events import Started
from explorer.engine.learners.binary_perceptron import BinaryPerceptron
from explorer.engine.learners.bundle import Bundle
from explorer.engine.learners.crf import CRF
from explorer.engine.learners.frank_wolfe import FrankWolfe
from explorer.engine.learners.mira import MIRA
from explorer.engine.learners.n_slack import NSlack
from explorer.engine.learners.one_slack import OneSlack
from explorer.engine.learners.perceptron import Perceptron
from explorer.engine.learners.sampled_cuts import SampledCuts
from explorer.engine.learners.sequential_dual import SequentialDual
from explorer.engine.learners.sgd import SGD
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
)

FEW = 100
"""Examples up to which a quadratic program over everybody's cuts is solved in no time."""


def name_of(learner: type[Learner]) -> str:
    """What a learner is called on the command line and in saved runs: its file's name, as in "n-slack"."""
    return learner.__module__.rpartition(".")[2].replace("_", "-")


def by_name(name: str) -> type[Learner]:
    """The learner of this name, or Refused with the names there are."""
    named = {name_of(learner): learner for learner in LEARNERS}
    if name not in named:
        raise Refused(f"there is no learner {name!r}; choose one of {', '.join(named)}")
    return named[name]


def suited_learner(problem: Problem) -> tuple[type[Learner], str]:
    """Who learns a problem if nobody is named, and why: chosen by what the problem offers."""
    if not problem.n:
        return Bundle, "the problem is a risk without examples"
    compiled = isinstance(problem, Visits) and problem.visitable
    if problem.n <= FEW and problem.oracle_is_exact and not isinstance(problem, Geometry):
        return (
            NSlack,
            f"with at most {FEW} examples its quadratic programs are small, and it ends at the optimum",
        )
    if compiled and SequentialDual().refuses(problem) is None:
        return SequentialDual, "the problem has compiled passes"
    return OneSlack, "it needs the fewest quadratic programs, and only sums over all examples"


def objective_of(begun: Started | None) -> Objective:
    """What the learner of a run minimises; the hinge where it minimises nothing, or is not known."""
    named = {learner.__name__: learner.objective for learner in LEARNERS}
    return (named.get(begun.learner) if begun else None) or HINGE
