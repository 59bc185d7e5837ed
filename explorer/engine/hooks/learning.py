"""The learner program of SVM-python: which hook is called when (Finley 2009, figures A.1 and A.3).

    parse_parameters -> read_examples -> init_model -> init_constraints -> psi of every truth
    -> pass after pass: for every example oracle hook, psi, loss; solve; print_iteration_stats
    -> print_learning_stats -> write_model

C is the price of the mean slack; a constraint of one's own has a slack of price C / n. The quadratic
program is the engine's: with `-w 0` it is solved again after every cut, with `-w 1` after every pass (n
slacks), with 2, 3 and 4 over averages of all examples (1 slack).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from explorer.engine.contracts import Learner
from explorer.engine.events import EVERY_EXAMPLE, Step, Stopped
from explorer.engine.hooks.model_file import write_model
from explorer.engine.hooks.module import Hooks
from explorer.engine.hooks.objects import KernelScores, LinearScores, Sparm, StructModel, expansion
from explorer.engine.hooks.problem import HookProblem, KernelHookProblem, Sample, begin, hook_problem
from explorer.engine.hooks.vectors import Document, HookVector
from explorer.engine.learners.n_slack import NSlack
from explorer.engine.learners.one_slack import OneSlack
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import metered
from explorer.engine.vectors import Array, Sparse, Vector, dense

WAYS: dict[int, Callable[[float, float], Learner]] = {
    0: lambda C, eps: NSlack(C=C, eps=eps, order="each"),
    1: lambda C, eps: NSlack(C=C, eps=eps),
    2: lambda C, eps: OneSlack(C=C, eps=eps),
    3: lambda C, eps: OneSlack(C=C, eps=eps),
    4: lambda C, eps: OneSlack(C=C, eps=eps, cache=5),
}
"""The learner by the number that `-w` gives."""


class Learnt(NamedTuple):
    """What the learner program ends with: the model, its examples, the steps that were made, and why they
    ended.
    """

    sm: StructModel
    sample: Sample
    steps: list[Step]
    stopped: Stopped


@dataclass(slots=True)
class LearnerProgram:
    """One run of the learner; `way` is what `-w` says."""

    hooks: Hooks
    sparm: Sparm = field(default_factory=Sparm)
    way: int = 0
    most_steps: int = 0
    cancelled: Callable[[], bool] = lambda: False

    def run(self, train: str, model: str | Path | None = None) -> Learnt:
        """Learn from a file, and write the model to another one if it is named."""
        self.hooks.check()
        self.hooks.log.program = "learn"
        self.hooks.call_if_there("parse_parameters", self.sparm)
        sample = self.hooks.call("read_examples", train, self.sparm)
        sm = begin(self.hooks, sample, self.sparm)
        problem = hook_problem(self.hooks, sample, sm, self.sparm)
        steps, stopped = self._learn(problem, sample)
        self.hooks.call_if_there("print_learning_stats", sample, sm, *working_set(problem, steps), self.sparm)
        if model is not None:
            if self.hooks.has("write_model"):
                self.hooks.call("write_model", str(model), sm, self.sparm)
            else:
                write_model(model, sm, self.sparm)
        return Learnt(sm, sample, steps, stopped)

    def _learn(self, problem: HookProblem, sample: Sample) -> tuple[list[Step], Stopped]:
        """Steps until no cut is violated by more than epsilon; every step's weights are put into the
        model.
        """
        if self.way not in WAYS:
            raise Refused(f"there is no way -w {self.way}; choose one of {', '.join(map(str, WAYS))}")
        learner = WAYS[self.way](self.sparm.c, self.sparm.epsilon)
        if reason := learner.refuses(problem):
            raise Refused(reason)
        stream = metered(problem, learner, np.random.default_rng(0), cancelled=self.cancelled)
        steps: list[Step] = []
        while True:
            try:
                step = next(stream)
            except StopIteration as end:
                return steps, end.value
            steps.append(step)
            with self.hooks.log.note("solve"):
                settle(problem, step.w)
            self._tell(problem, sample, step)
            if self.most_steps and len(steps) == self.most_steps:
                return steps, Stopped("steps", f"{len(steps)} steps were made", step.k)

    def _tell(self, problem: HookProblem, sample: Sample, step: Step) -> None:
        """The end of a pass: how far cuts are from being satisfied, and the constraints with their
        multipliers.
        """
        if not self.hooks.has("print_iteration_stats"):
            return
        worst = max((float(step.detail.get("violation", 0.0)), self.sparm.epsilon * bool(step.cuts)))
        cset, alpha = working_set(problem, [step])
        cached = bool(step.detail.get("cached", False))
        self.hooks.call("print_iteration_stats", worst, cached, sample, problem.sm, cset, alpha, self.sparm)


def settle(problem: HookProblem, w: Array) -> None:
    """Put weights into the model that hooks keep."""
    sm = problem.sm
    if isinstance(problem, KernelHookProblem):
        found = KernelScores(problem.atoms, w[: len(problem.atoms)].copy())
        sm.w, sm.svm_model = None, expansion(problem.atoms.kernel, found.support)
    else:
        sm.w = w.copy()
        sm.svm_model = LinearScores(sm.w)


def working_set(problem: HookProblem, steps: list[Step]) -> tuple[list[tuple[Document, float]], list[float]]:
    """The constraints of the last step's working set as (document, number), and their multipliers."""
    if not steps:
        return [], []
    state, n = steps[-1].state, problem.n
    slack = [
        1 if p.group == EVERY_EXAMPLE else p.group + 1 if p.group >= 0 else n - 1 - p.group
        for p in state["planes"]
    ]
    documents = [
        Document(as_terms(problem, plane.a), slackid=at)
        for plane, at in zip(state["planes"], slack, strict=True)
    ]
    cset = [(document, float(plane.b)) for document, plane in zip(documents, state["planes"], strict=True)]
    return cset, [float(a) for a in state["alpha"]]


def as_terms(problem: HookProblem, a: Vector) -> list[HookVector]:
    """A vector of the problem as the terms of a document."""
    if not isinstance(a, Sparse):
        places = np.flatnonzero(dense(a))
        a = Sparse(places, dense(a)[places], problem.dim)
    if not isinstance(problem, KernelHookProblem):
        return [HookVector(zip(a.index.tolist(), a.value.tolist(), strict=True))]
    pairs: Any = zip(a.index.tolist(), a.value.tolist(), strict=True)
    atoms = [(problem.atoms.vectors[j], value) for j, value in pairs]
    return [HookVector(atom, factor=value, kernel_id=atom.kernel_id) for atom, value in atoms]
