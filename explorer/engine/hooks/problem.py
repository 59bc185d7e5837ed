"""A hook module and its examples as a problem, which every learner takes.

    cut(w, i):  ybar = oracle hook at w,   psi = psi(x, y) - psi(x, ybar),   loss(y, ybar)

Hooks see w through a model of their own for each call, so that several examples may be asked at the same
time. With the linear kernel w is the vector of `size_psi` weights. With another one w holds coefficients
of the vectors that documents are made of (`atoms.py`), and only learners that need nothing but inner
products take it. Custom constraints <w, d> + xi_j >= r become rules on w; those of the examples' own
slacks are not offered. Examples whose label is None are left out. Cost: that of the hooks.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from explorer.engine.contracts import Dataset, Rule
from explorer.engine.events import Cut
from explorer.engine.hooks.atoms import KernelAtoms
from explorer.engine.hooks.module import Hooks
from explorer.engine.hooks.objects import SLACK, KernelScores, LinearScores, Sparm, StructModel, positions
from explorer.engine.hooks.vectors import LINEAR, Document
from explorer.engine.objective import cut_of
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused, checked_calls
from explorer.engine.vectors import Array, Sparse, Vector, dot, sparse

ROOM = 4096
"""Different vectors that a kernel compares at most: their matrix takes 134 MB."""

Sample = Sequence[tuple[Any, Any]]


@checked_calls
@dataclass(frozen=True)
class HookProblem:
    """A hook module's problem with the linear kernel: w is what `psi` is multiplied by."""

    dataset: Dataset
    hooks: Hooks
    sm: StructModel
    sparm: Sparm
    rules: tuple[Rule, ...] = ()
    _truths: dict[int, Vector] = field(default_factory=dict, repr=False, compare=False)

    @property
    def name(self) -> str:
        return self.hooks.name

    @property
    def n(self) -> int:
        return len(self.dataset)

    @property
    def dim(self) -> int:
        return int(self.sm.size_psi)

    @cached_property
    def pricing(self) -> Pricing:
        """Loss scaling and penalty as the module's options say."""
        return Pricing(
            "slack" if self.sparm.loss_type == SLACK else "margin",
            "squared" if self.sparm.slack_norm == 2 else "linear",
        )

    @property
    def oracle_is_exact(self) -> bool:
        return self.hooks.exact

    @property
    def oracle_kind(self) -> str:
        """What the module says of its oracle with `oracle_is_exact = True`, or nothing."""
        return "exact" if self.hooks.exact else "unclaimed"

    def on(self, dataset: Dataset) -> Self:
        return replace(self, dataset=dataset, _truths={})

    def model_at(self, w: Array) -> StructModel:
        """The model with these weights, and all that hooks keep on it."""
        sm = copy.copy(self.sm)
        sm.w, sm.svm_model = w, LinearScores(w)
        return sm

    def document(self, x: Any, y: Any, sm: StructModel, place: str) -> Document:
        """What `psi` returns."""
        return Document.of(self.hooks.call("psi", x, y, sm, self.sparm), f"psi of {place}")

    def vector(self, document: Document) -> Vector:
        """A document as a vector of the problem's own."""
        parts = [(positions(term, self.dim), term.factor * term.value) for term in document]
        if not parts:
            return Sparse(np.zeros(0, np.int64), np.zeros(0), self.dim)
        index, value = (np.concatenate(found) for found in zip(*parts, strict=True))
        return sparse(index, value, self.dim)

    def features(self, i: int, label: Any) -> Vector:
        truth = label is self.dataset.labels[i]
        if truth and i in self._truths:
            return self._truths[i]
        document = self.document(self.dataset.inputs[i], label, self.sm, f"example {i}")
        found = self.vector(document)
        if truth:
            self._truths[i] = found
        return found

    def loss(self, i: int, label: Any) -> float:
        found = self.hooks.loss(self.dataset.labels[i], label, self.sparm)
        if not (np.isfinite(found) and found >= 0.0):
            raise Refused(f"loss is {found} for example {i}; a loss must be a finite number, 0 or more")
        return found

    def predict(self, w: Array, x: Any) -> Any:
        return self.hooks.call("classify_example", x, self.model_at(w), self.sparm)

    def oracle(self, w: Array, i: int) -> Cut:
        x, y = self.dataset.inputs[i], self.dataset.labels[i]
        return cut_of(self, i, self.hooks.most_violated(x, y, self.model_at(w), self.sparm))


@checked_calls
@dataclass(frozen=True)
class KernelHookProblem(HookProblem):
    """The same with a kernel: w and psi are coefficients of the vectors met so far."""

    atoms: KernelAtoms = field(default_factory=lambda: KernelAtoms(LINEAR, ROOM))

    @property
    def dim(self) -> int:
        return self.atoms.room

    def model_at(self, w: Array) -> StructModel:
        """The model with these weights, whose `svm_model` scores with the kernel; there is no vector w."""
        sm = copy.copy(self.sm)
        sm.w, sm.svm_model = None, KernelScores(self.atoms, w[: len(self.atoms)])
        return sm

    def vector(self, document: Document) -> Vector:
        """The document's coefficients."""
        return self.atoms.coefficients(document)

    def lift(self, x: Vector) -> Array:
        """g with <x, z> = g . z for every z made of known vectors."""
        return self.atoms.lift(x)

    def products(self, others: Sequence[Vector], a: Vector) -> Array:
        """Inner products of some vectors with one."""
        g = self.lift(a)
        return np.array([dot(g, other) for other in others])


def hook_problem(hooks: Hooks, sample: Sample, sm: StructModel, sparm: Sparm) -> HookProblem:
    """The problem of a module, its examples and its model, as `init_model` and `init_constraints` make it;
    `psi` is asked for every truth.
    """
    known = [(x, y) for x, y in sample if y is not None]
    if not known:
        raise Refused(f"read_examples of {hooks.name} gave no example with a label; give at least one")
    dataset = Dataset(hooks.name, [x for x, _ in known], [y for _, y in known])
    linear = sparm.kernel.kind == "linear"
    made = (
        HookProblem(dataset, hooks, sm, sparm)
        if linear
        else KernelHookProblem(dataset, hooks, sm, sparm, atoms=KernelAtoms(sparm.kernel, ROOM))
    )
    rules = own_rules(made, hooks.call_if_there("init_constraints", sample, sm, sparm) or (), len(sample))
    for i, label in enumerate(dataset.labels):
        made.features(i, label)
    return replace(made, rules=rules)


def begin(hooks: Hooks, sample: Sample, sparm: Sparm) -> StructModel:
    """A model as `init_model` makes it, or Refused where it does not say how long psi is."""
    sm = StructModel()
    hooks.call("init_model", sample, sm, sparm)
    size = sm.size_psi
    if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1:
        raise Refused(
            f"init_model of {hooks.name} left sm.size_psi at {size!r}; set the largest index plus 1"
        )
    return sm


def own_rules(problem: HookProblem, constraints: Any, n: int) -> tuple[Rule, ...]:
    """Pairs (document, number) as rules on w; every slack id has one slack at the price of an example's."""
    found = []
    for at, pair in enumerate(constraints):
        if not (isinstance(pair, tuple | list) and len(pair) == 2):
            raise Refused(f"constraint {at} of init_constraints is no pair; give (svmapi.Document, number)")
        document = Document.of(pair[0], f"constraint {at} of init_constraints")
        if document.slackid <= n:
            raise Refused(
                f"constraint {at} has slackid {document.slackid}, which is an example's; give {n + 1} or more"
            )
        price = problem.sparm.c / problem.n
        found.append((document.slackid, problem.vector(document), float(pair[1]), price))
    slots = {slack: group for group, slack in enumerate(sorted({slack for slack, *_ in found}))}
    return tuple(Rule(a, b, price, slots[slack]) for slack, a, b, price in found)
