"""What all estimators have in common: the parameters of a fit, and everything that a fit leaves to be asked.

    estimator.fit(X, y)                          a whole run, watched by scikit-learn's callbacks
    for step in estimator.fit_steps(X, y): ...   the same, step by step, in the caller's own loop
    estimator.partial_fit(X, y)                  one pass over these examples alone, and none of the earlier

An estimator of one structure is this class with `_problem_for` (the engine's problem for some data, which
also takes down the names of classes and features), `predict`, `decision_function`, `score`, and what its
model file holds (`_model`, `_restore`). A dataclass writes the constructor: it stores its arguments, as
scikit-learn asks, and the parameters below are spelled out once.
"""

import html
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Self

from sklearn import get_config
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from explorer.engine.contracts import Learner, Problem
from explorer.engine.events import Step
from explorer.engine.learners import suited_learner
from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace
from explorer.estimators.fitting import AUTO, learner_of, price, training_steps, warn_if_cut_short
from explorer.estimators.frames import join_tables, trace_frame
from explorer.estimators.models import save_model
from explorer.estimators.online import pass_over
from explorer.estimators.watching import CallbackSupportMixin, announce_steps, with_callbacks
from explorer.estimators.weighted import with_weights

SHARED = """\
scaling, penalty : "margin" or "slack", "linear" or "squared"; see the objective in the README.
    learner : "auto" (the one that suits the problem), or a name that `explorer tasks --learners` lists.
    learner_settings : settings of that learner by name.
    tol, max_iter, max_seconds : stop at this relative gap, after this many passes over the examples (0: any),
        or after this many seconds (0: any).
    warm_start : a fit to the same data goes on from the last one, also with another C or loss: its cuts,
        which depend on neither, are kept.
    random_state : seed of the learner's random choices.
    n_jobs : threads; None or -1: one for each core. Results do not depend on it."""
"""What the parameters of all estimators mean, for their documentation."""

PRICES = """\
C : price of the mean slack, not of each slack: for the C of other programs give `C_per_example`.
    C_per_example : price of each example's slack, C divided by the number of examples; instead of C."""


class FittedRun(NamedTuple):
    """A finished fit as the engine knows it."""

    problem: Problem
    learner: Learner
    trace: Trace


@dataclass(eq=False, repr=False, kw_only=True)
class StructuredEstimator(CallbackSupportMixin, BaseEstimator):
    """The parameters that every estimator has, and the methods that need nothing else."""

    C: float = field(default=1.0, kw_only=False)
    C_per_example: float | None = None
    scaling: str = "margin"
    penalty: str = "linear"
    learner: str = AUTO
    learner_settings: Mapping[str, Any] | None = None
    tol: float = 1e-3
    max_iter: int = 1000
    max_seconds: float = 0.0
    warm_start: bool = False
    random_state: Any = 0
    n_jobs: int | None = None

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        cls.__doc__ = (cls.__doc__ or "").replace("{prices}", PRICES).replace("{shared}", SHARED)

    def _problem_for(self, X: Any, y: Any) -> Any:
        """The engine's problem for these data; sets what prediction needs: classes, columns."""
        raise NotImplementedError

    def problem(self, X: Any, y: Any) -> Any:
        """The engine's problem for these data, to train or explore by other means; the estimator stays as it
        is.
        """
        return clone(self)._problem_for(X, y)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from examples and their labels; an example's weight multiplies its slack."""
        return self._fit_to(self._problem_for(X, y), X, y, sample_weight)

    def fit_steps(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[Step]:
        """The same step by step: after each the estimator predicts with the weights so far, and a loop that
        is left ends the fit there. A step has `k`, `bounds` (primal, dual, gap), `seconds` and `w`.
        """
        yield from self._steps(self._problem_for(X, y), sample_weight)

    @with_callbacks
    def _fit_to(self, problem: Problem, X: Any, y: Any, sample_weight: Any) -> Self:
        """Train on the problem, telling callbacks of every step."""
        announce_steps(self, self._steps(problem, sample_weight), X, y, sample_weight)
        warn_if_cut_short(self)
        return self

    def _steps(self, problem: Problem, sample_weight: Any) -> Iterator[Step]:
        self.__dict__.pop("_online", None)
        self.problem_, examples = with_weights(problem, sample_weight)
        self.learner_ = learner_of(self, self.problem_, price(self, examples))
        return training_steps(self, self.problem_, self.learner_)

    def _suited(self, problem: Problem) -> type[Learner]:
        """Who learns the problem if nobody is named."""
        return suited_learner(problem)[0]

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """One pass of passive-aggressive learning (MIRA) over these examples, on from the weights so far; no
        example is kept, so that a stream of any length can be learned from. `C_per_example` bounds how far
        one example may move the weights. `classes` names all labels, if the first examples have not all.
        """
        pass_over(self, X, y, classes)
        return self

    def fitted_run(self) -> FittedRun:
        """Problem, learner and trace of the last fit, to look at; refused where they are not at hand."""
        check_is_fitted(self, "weights_")
        if not hasattr(self, "problem_"):
            raise Refused(
                f"this {type(self).__name__} has its weights but not its run: it was read from a file, "
                "copied or fitted in parts; fit it here, or explore estimator.problem(X, y)"
            )
        return FittedRun(self.problem_, self.learner_, self.trace_)

    def weight_tables(self) -> list[dict[str, Any]]:
        """All weights as plain columns (kind, feature, label, weight), kind by kind."""
        raise NotImplementedError

    def weights_frame(self) -> Any:
        """A pandas frame of all weights, with the columns kind, feature, label and weight."""
        return join_tables(self.weight_tables())

    def learning_curve(self) -> Any:
        """A pandas frame with one row for every step of the fit: bounds, calls of the oracle, seconds."""
        check_is_fitted(self, "trace_")
        return trace_frame(self.trace_)

    def save(self, path: str | Path) -> None:
        """Write the fitted model to a file that `explorer.load` reads; no training data go along."""
        save_model(self, path)

    def __getstate__(self) -> Any:
        """What a pickle or a copy holds: all but the training data."""
        return {name: value for name, value in super().__getstate__().items() if name != "problem_"}

    def _repr_html_inner(self) -> str:
        """scikit-learn's diagram, and below it what the fit proved."""
        return str(super()._repr_html_inner()) + self._facts()

    def _repr_mimebundle_(self, **more: Any) -> dict[str, str]:
        shown = {"text/plain": repr(self)}
        return shown | (
            {"text/html": self._repr_html_inner()} if get_config()["display"] == "diagram" else {}
        )

    def _facts(self) -> str:
        proved = getattr(self, "certificate_", None)
        if proved is None:
            return ""
        size, passes = f"{len(self.weights_):,} weights", f"{self.n_iter_:,} passes"
        return f"<p>{size}, {passes}; {html.escape(proved.words)}</p>"


__all__ = ["FittedRun", "StructuredEstimator"]
