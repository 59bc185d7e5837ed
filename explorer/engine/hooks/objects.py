"""What hooks are given: the options of a run, the model that is learned, and what scores an input.

To hook modules these are `svmapi.Sparm`, `svmapi.StructModel` and `svmapi.Model`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from explorer.engine.hooks.atoms import KernelAtoms
from explorer.engine.hooks.vectors import LINEAR, Document, HookKernel, HookVector
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array

SLACK, MARGIN = 1, 2
"""The numbers of slack and margin scaling, as SVM-struct counts."""


@dataclass(slots=True)
class Sparm:
    """The options of a run; `argv` holds those of the module itself, as (name, value) pairs in their
    order.
    """

    c: float = 0.01
    epsilon: float = 0.1
    loss_type: int = MARGIN
    slack_norm: int = 1
    loss_function: int = 0
    kernel: HookKernel = LINEAR
    argv: list[tuple[str, str]] = field(default_factory=list)


class ModelScores(Protocol):
    """The kernelised product of w and a vector, or a document."""

    def classify(self, x: Any) -> float: ...


@dataclass(frozen=True, slots=True, eq=False)
class LinearScores:
    """<w, x> with the weights themselves."""

    w: Array

    def classify(self, x: Any) -> float:
        """<w, x>."""
        return sum(
            term.factor * float(self.w[positions(term, len(self.w))] @ term.value) for term in terms(x)
        )


@dataclass(frozen=True, slots=True, eq=False)
class KernelScores:
    """<w, x> for w = sum_j weight_j phi(atom_j)."""

    atoms: KernelAtoms
    weights: Array

    def classify(self, x: Any) -> float:
        """<w, x>."""
        m = len(self.weights)
        return sum(term.factor * float(self.weights @ self.atoms.row(term)[:m]) for term in terms(x))

    @property
    def support(self) -> list[tuple[HookVector, float]]:
        """The vectors that w is made of, with their weights."""
        return [(self.atoms.vectors[j], float(self.weights[j])) for j in np.flatnonzero(self.weights)]

    def __getstate__(self) -> tuple[HookKernel, list[tuple[HookVector, float]]]:
        return self.atoms.kernel, self.support

    def __setstate__(self, state: tuple[HookKernel, list[tuple[HookVector, float]]]) -> None:
        found = expansion(*state)
        object.__setattr__(self, "atoms", found.atoms)
        object.__setattr__(self, "weights", found.weights)


def expansion(kernel: HookKernel, support: Iterable[tuple[HookVector, float]]) -> KernelScores:
    """The scores that these vectors and weights give."""
    pairs = list(support)
    atoms = KernelAtoms(kernel, max(1, len(pairs)))
    weights = np.zeros(len(pairs))
    for vector, weight in pairs:
        weights[atoms.number(vector)] += weight
    return KernelScores(atoms, weights[: len(atoms)])


def terms(x: Any) -> Iterable[HookVector]:
    """The vectors that something to be scored is made of."""
    return Document.of(x, "what svm_model.classify was given") if not isinstance(x, HookVector) else (x,)


def positions(term: HookVector, size: int) -> Any:
    """The positions of a vector, or Refused where they lie beyond `size_psi`, or it has an id of its own."""
    if term.kernel_id:
        raise Refused(
            f"a vector has kernel_id {term.kernel_id}, and the linear kernel has one vector of weights; "
            "choose another kernel, or different positions for what must not meet"
        )
    if len(term) and term.index[-1] >= size:
        raise Refused(
            f"a vector has the index {term.index[-1]}; set sm.size_psi to more than that, not {size}"
        )
    return term.index


class StructModel:
    """What is learned, with whatever else hooks keep on it."""

    size_psi: int = 0
    w: Any = None
    svm_model: ModelScores | None = None

    def __repr__(self) -> str:
        return f"StructModel(size_psi={self.size_psi}, {', '.join(sorted(own_attributes(self)))})"


def own_attributes(sm: StructModel) -> dict[str, Any]:
    """What hooks keep on a model besides its weights."""
    return {name: value for name, value in vars(sm).items() if name not in ("size_psi", "w", "svm_model")}
