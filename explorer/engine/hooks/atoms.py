"""The different vectors that a hook module's documents are made of, and their kernel matrix.

w = sum_j alpha_j phi(atom_j): under a kernel, w and every psi are written as coefficients of these atoms,
and <w, z> = (K w) . z with K the kernel matrix. KernelAtoms are numbered as they are met, in this process:
coefficients mean nothing in another one, so such problems train where they were made. Cost of a new atom:
one kernel row.
"""

import threading

import numpy as np

from explorer.engine.hooks.vectors import Document, HookKernel, HookVector
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Sparse, Vector, sparse


class KernelAtoms:
    """At most `room` different vectors; only those met so far take memory."""

    def __init__(self, kernel: HookKernel, room: int) -> None:
        self.kernel, self.room = kernel, room
        self.vectors: list[HookVector] = []
        self._numbers: dict[tuple[int, bytes, bytes], int] = {}
        self._gram = np.zeros((8, 8))
        self._norms = np.zeros(8)
        self._lock = threading.RLock()

    def __len__(self) -> int:
        return len(self.vectors)

    def number(self, vector: HookVector) -> int:
        """The number of a vector, a new one if it was not met before."""
        with self._lock:
            known = self._numbers.get(vector.key())
            return self._add(vector) if known is None else known

    def _add(self, vector: HookVector) -> int:
        m = len(self)
        if m == self.room:
            raise Refused(
                f"the hooks have made more than {m:,} different vectors, and a kernel compares every two; "
                "take fewer examples, or the linear kernel"
            )
        if m == len(self._gram):
            grown = np.zeros((2 * m, 2 * m))
            grown[:m, :m] = self._gram
            self._gram, self._norms = grown, np.append(self._norms, np.zeros(m))
        row = self.row(vector)
        norm = float(vector.value @ vector.value)
        self._norms[m] = norm
        self._gram[m, :m] = self._gram[:m, m] = row
        self._gram[m, m] = self.kernel.values(np.array([norm]), np.array([norm]), norm)[0]
        self.vectors.append(vector)
        self._numbers[vector.key()] = m
        return m

    def row(self, vector: HookVector) -> Array:
        """kappa of every atom with this vector, its factor left out."""
        m, norm = len(self), float(vector.value @ vector.value)
        known = self._numbers.get(vector.key())
        if known is not None:
            return self._gram[known, :m]
        dots = np.array([_dot(atom, vector) for atom in self.vectors])
        same = np.array([atom.kernel_id == vector.kernel_id for atom in self.vectors], dtype=bool)
        return np.where(same, self.kernel.values(dots, self._norms[:m], norm), 0.0)

    def coefficients(self, document: Document) -> Sparse:
        """The document as coefficients of atoms."""
        numbers = np.array([self.number(term) for term in document], dtype=np.int64)
        return sparse(numbers, np.array([term.factor for term in document]), self.room)

    def lift(self, x: Vector) -> Array:
        """g with <x, z> = g . z for every z that is made of known atoms."""
        m, out = len(self), np.zeros(self.room)
        if isinstance(x, Sparse):
            out[:m] = self._gram[:m, x.index] @ x.value
        else:
            out[:m] = self._gram[:m, :m] @ x[:m]
        return out


def _dot(a: HookVector, b: HookVector) -> float:
    _, at, bt = np.intersect1d(a.index, b.index, assume_unique=True, return_indices=True)
    return float(a.value[at] @ b.value[bt])
