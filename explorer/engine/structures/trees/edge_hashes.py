"""Hash functions of edges: which symbols of two trees count as the same.

    k_Y(y, y') = sum over edges of y and of y' of 1[hash equal] = counts(y) . counts(y')
    counts(y)_a = #{edges of y with hash a}

(atomic kernel; Pfahler 2015, Definition and Lemma 4.2.1, section 6.3.1). The hash of an edge is the pair of
its ends in one layer of annotation, with or without where the dependent lies:

    none        the pair alone               bucketed
        signed distance 1, 2, 3, 4, 5, more than 5, more than 10
    direction   left or right                exact      signed distance

Several hash functions add up. Hashes are numbered in the order of first sight in the training sentences'
possible edges; with B buckets the number is taken modulo B. A hash never seen has no number (-1) and no
weight. Cost: m (m + 1) look-ups a sentence.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from explorer.engine.knobs import knob, settings
from explorer.engine.structures.trees.sentences import LAYERS, Sentence
from explorer.engine.vectors import Array, Ints

DISTANCES = ("none", "direction", "bucketed", "exact")
UNKNOWN = -1
Atom = tuple[int, str | None, str | None, int]
"""Number of the hash function, symbol of the head (None: the root), symbol of the dependent, distance."""

Number = Callable[[Atom], int]


@settings
class EdgeHash:
    """One hash function: a layer of the sentence, and what is kept of the distance."""

    title: ClassVar[str] = "edge hash"

    layer: str = knob("tags", "What is compared of head and dependent.", choices=LAYERS)
    distance: str = knob("bucketed", "What is kept of direction and distance.", choices=DISTANCES)

    def far(self, head: int, dependent: int) -> int:
        """What is kept of the distance."""
        signed = dependent - head
        if self.distance == "none":
            return 0
        if self.distance == "exact":
            return signed
        sign = 1 if signed > 0 else -1
        return sign * (1 if self.distance == "direction" else bucket(abs(signed)))


TAGS = (EdgeHash(),)
"""Where nothing else is said: the tags of both ends, and roughly how far apart they are."""


def bucket(distance: int) -> int:
    """1 to 5 as they are, 6 for more than 5, 11 for more than 10."""
    return distance if distance <= 5 else 6 if distance <= 10 else 11


@dataclass(frozen=True, slots=True, eq=False)
class Atoms:
    """Numbered hashes of edges; `buckets` 0 gives every hash its own number."""

    hashes: tuple[EdgeHash, ...]
    buckets: int = 0
    known: dict[Atom, int] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return min(self.buckets, len(self.known)) if self.buckets else len(self.known)

    @property
    def names(self) -> tuple[str, ...]:
        """Every number's hash in words; of hashes that share a bucket, the first."""
        out: dict[int, str] = {}
        for atom, at in self.known.items():
            out.setdefault(self._number(at), spoken(atom))
        return tuple(out[at] for at in range(self.size))

    def of(self, x: Sentence) -> Ints:
        """The number of every edge's hash, as (hash function, head, dependent - 1); an edge to itself has
        none.
        """
        return _table(self, x, lambda atom: self.known.get(atom, UNKNOWN))

    def _number(self, at: int) -> int:
        return at % self.buckets if self.buckets and at >= 0 else at


def seen_in(inputs: Sequence[Sentence], hashes: Sequence[EdgeHash], buckets: int = 0) -> Atoms:
    """The hashes of all possible edges of these sentences, numbered."""
    made = Atoms(tuple(hashes), buckets)
    for x in inputs:
        _table(made, x, lambda atom: made.known.setdefault(atom, len(made.known)))
    return made


def _table(atoms: Atoms, x: Sentence, number: Number) -> Ints:
    m = len(x)
    out = np.full((len(atoms.hashes), m + 1, m), UNKNOWN, dtype=np.int64)
    for f, one in enumerate(atoms.hashes):
        symbols: tuple[str | None, ...] = (None, *x.layer(one.layer))
        for h in range(m + 1):
            for d in range(1, m + 1):
                if h != d:
                    out[f, h, d - 1] = atoms._number(number((f, symbols[h], symbols[d], one.far(h, d))))
    return out


def spoken(atom: Atom) -> str:
    """A hash in words: "V > N +2"."""
    _, head, dependent, far = atom
    return f"{head or 'root'} > {dependent}" + (f" {far:+d}" if far else "")


def hashes_of(table: Ints, heads: Ints) -> Ints:
    """The numbers of the hashes of these heads' edges that have one."""
    m = table.shape[2]
    found = table[:, heads, np.arange(m)].ravel()
    return np.asarray(found[found >= 0])


def counts(table: Ints, heads: Ints, size: int) -> Array:
    """How often a tree has each hash: the feature map of the atomic kernel."""
    return np.bincount(hashes_of(table, heads), minlength=size).astype(np.float64)


def matches(a: Sequence[int] | Ints, b: Sequence[int] | Ints) -> int:
    """The atomic kernel pair by pair: how many pairs of symbols have the same hash."""
    return int(np.count_nonzero(np.asarray(a)[:, None] == np.asarray(b)[None, :]))
