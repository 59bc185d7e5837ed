"""Sums in the implicit feature space of a kernel: what a hook module's `psi` returns.

    <D1, D2> = sum over a in D1, b in D2 of  factor_a * factor_b * kappa(a, b)   where kernel ids are
    equal, else 0

A document {a, b} is phi(a) + phi(b), not phi(a + b): the product of {a, b} and {c, d} has four terms.
`factor` multiplies after the kernel was taken. To hook modules these are `svmapi.Sparse` and
`svmapi.Document` (Finley 2009, appendix A.5.3). Cost of a product: one kernel value for each pair of
terms.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints

KINDS = ("linear", "polynomial", "rbf", "sigmoid")
"""By their number on the command line of SVM-light."""

SHARED_SLACK = 1
"""The slack that a document belongs to if nothing is said."""


class HookVector:
    """A sparse vector of (index, value) pairs with a factor and a kernel id; made of pairs, of numbers
    one after the other, or of another such vector.
    """

    __slots__ = ("factor", "index", "kernel_id", "value")

    def __init__(self, seq: Any = (), factor: float = 1.0, kernel_id: int = 0) -> None:
        self.index, self.value = entries(seq)
        self.factor, self.kernel_id = float(factor), int(kernel_id)

    def __iter__(self) -> Iterator[tuple[int, float]]:
        return zip(self.index.tolist(), self.value.tolist(), strict=True)

    def __len__(self) -> int:
        return len(self.index)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HookVector) and self.key() == other.key() and self.factor == other.factor

    def __hash__(self) -> int:
        return hash((self.key(), self.factor))

    def __repr__(self) -> str:
        more = "".join(
            f", {name}={value!r}"
            for name, value, usual in (("factor", self.factor, 1.0), ("kernel_id", self.kernel_id, 0))
            if value != usual
        )
        return f"Sparse({list(self)!r}{more})"

    def key(self) -> tuple[int, bytes, bytes]:
        """The same for vectors whose kernel values are all the same; the factor does not count."""
        return self.kernel_id, self.index.tobytes(), self.value.tobytes()


def entries(seq: Any) -> tuple[Ints, Array]:
    """Positions, ascending, and values; zeros are left out, and what repeats is added up."""
    if isinstance(seq, HookVector):
        return seq.index, seq.value
    found = list(seq)
    pairs = found if found and isinstance(found[0], tuple | list) else list(enumerate(found))
    try:
        index = np.array([int(k) for k, _ in pairs], dtype=np.int64)
        value = np.array([float(v) for _, v in pairs], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise Refused(
            "svmapi.Sparse takes (index, value) pairs, numbers one after the other, or another Sparse"
        ) from error
    if np.any(index < 0) or not np.all(np.isfinite(value)):
        raise Refused("svmapi.Sparse has a negative index or a number that is not finite; give neither")
    places, where = np.unique(index, return_inverse=True)
    total = np.bincount(where, weights=value, minlength=len(places))
    return places[total != 0], total[total != 0]


@dataclass(frozen=True, slots=True, init=False)
class Document:
    """A sum of vectors taken in the implicit feature space; `slackid` says whose slack a constraint has."""

    terms: tuple[HookVector, ...]
    slackid: int = field(default=SHARED_SLACK)

    def __init__(self, terms: Iterable[HookVector] | HookVector, slackid: int = SHARED_SLACK) -> None:
        found = (terms,) if isinstance(terms, HookVector) else tuple(terms)
        if not all(isinstance(term, HookVector) for term in found):
            raise Refused("svmapi.Document takes a list of svmapi.Sparse")
        if isinstance(slackid, bool) or not isinstance(slackid, int | np.integer) or slackid < 1:
            raise Refused(f"slackid is {slackid!r}; give a whole number from 1 on")
        object.__setattr__(self, "terms", found)
        object.__setattr__(self, "slackid", int(slackid))

    def __iter__(self) -> Iterator[HookVector]:
        return iter(self.terms)

    def __len__(self) -> int:
        return len(self.terms)

    @classmethod
    def of(cls, found: Any, place: str) -> Self:
        """What `psi` may return, as a document: one, a Sparse, or a list of Sparse."""
        if isinstance(found, cls):
            return found
        if isinstance(found, HookVector):
            return cls([found])
        if isinstance(found, list | tuple) and all(isinstance(term, HookVector) for term in found):
            return cls(found)
        kind = type(found).__name__
        raise Refused(f"{place} is of type {kind}; return svmapi.Sparse, a list of them, or svmapi.Document")


@settings
class HookKernel:
    """The kernel of two vectors a and b."""

    kind: str = knob("linear", "a.b, (s a.b + r)^d, exp(-g |a - b|^2) or tanh(s a.b + r).", choices=KINDS)
    d: int = knob(3, "Degree of the polynomial.", low=1, high=20)
    g: float = knob(1.0, "Width of the RBF kernel.", low=0.0)
    s: float = knob(1.0, "Factor of the inner product, polynomial and sigmoid.")
    r: float = knob(1.0, "Number added to it, polynomial and sigmoid.")

    def values(self, dots: Array, norms: Array, norm: float) -> Array:
        """kappa of some vectors with one, from inner products and squared lengths."""
        if self.kind == "polynomial":
            return np.asarray((self.s * dots + self.r) ** self.d)
        if self.kind == "rbf":
            return np.exp(-self.g * np.maximum(norms + norm - 2.0 * dots, 0.0))
        if self.kind == "sigmoid":
            return np.tanh(self.s * dots + self.r)
        return dots

    def value(self, a: HookVector, b: HookVector) -> float:
        """factor_a * factor_b * kappa(a, b); 0 where the kernel ids differ."""
        if a.kernel_id != b.kernel_id:
            return 0.0
        _, at, bt = np.intersect1d(a.index, b.index, assume_unique=True, return_indices=True)
        dots = np.array([a.value[at] @ b.value[bt]])
        found = self.values(dots, np.array([a.value @ a.value]), float(b.value @ b.value))
        return a.factor * b.factor * float(found[0])

    def product(self, one: Iterable[HookVector], other: Iterable[HookVector]) -> float:
        """The inner product of two documents."""
        terms = tuple(other)
        return sum(self.value(a, b) for a in one for b in terms)


LINEAR = HookKernel()
