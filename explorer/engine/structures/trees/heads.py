"""Dependency trees as arrays of heads: heads[d - 1] is the head of token d, 0 the root that stands before the
sentence.

    tree         every token reaches 0 by going from head to head; the root may have several children
    projective   for every edge (h, d) all tokens strictly between h and d descend from h

There are (n + 1)^(n - 1) trees over n tokens (Cayley), of which 1, 3, 12, 55, 273, ... are projective.
Pfahler 2015, section 6.1.1. Cost: a look at every token for each check; listing tries (n + 1)^n arrays of
heads.
"""

from collections.abc import Iterator, Set
from itertools import product
from typing import Any

import numpy as np

from explorer.engine.checks import read_only
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Ints

MOST_TOKENS = 6
"""Sentences of which every tree is listed: 16,807 of them."""

ROOT = 0


def edges(heads: Any) -> frozenset[tuple[int, int]]:
    """A tree as the set of its edges (head, dependent)."""
    return frozenset((int(h), d) for d, h in enumerate(heads, start=1))


def symbol_loss(truth: Set[Any], label: Set[Any]) -> float:
    """(|y| + |y'| - 2 |y and y'|) / (2 |y|): the share of wrong heads for trees, linear in the symbols of y'
    for any sets.

    0 for equal sets only; not symmetric, and above 1 where y' is larger than y (Pfahler 2015, section 4.3).
    """
    return (len(truth) + len(label) - 2 * len(truth & label)) / (2 * len(truth))


def tree_count(n: int) -> int:
    """How many trees n tokens have."""
    return (n + 1) ** (n - 1) if n else 1


def is_tree(heads: Any) -> bool:
    """Whether every token reaches the root."""
    return len(cycle(heads)) == 0


def cycle(heads: Any) -> list[int]:
    """The tokens of the circle that is met first when going from token 1, 2, ... up; empty in a tree."""
    known = np.zeros(len(heads) + 1, dtype=np.int64)
    known[ROOT] = -1
    for start in range(1, len(heads) + 1):
        at = start
        while known[at] == 0:
            known[at] = start
            at = int(heads[at - 1])
        if known[at] == start:
            return _around(heads, at)
    return []


def _around(heads: Any, first: int) -> list[int]:
    found, at = [first], int(heads[first - 1])
    while at != first:
        found.append(at)
        at = int(heads[at - 1])
    return sorted(found)


def is_projective(heads: Any) -> bool:
    """Whether what lies under an edge descends from its head; asked of trees."""
    return not crossing_edges(heads)


def crossing_edges(heads: Any) -> list[tuple[int, int]]:
    """The edges (head, dependent) with a token between that does not descend from the head."""
    return [
        (int(h), d)
        for d, h in enumerate(heads, start=1)
        if any(not _descends(heads, t, int(h)) for t in range(min(int(h), d) + 1, max(int(h), d)))
    ]


def _descends(heads: Any, token: int, ancestor: int) -> bool:
    at = token
    for _ in range(len(heads) + 1):
        if at == ancestor:
            return True
        if at == ROOT:
            return False
        at = int(heads[at - 1])
    return False


def all_trees(n: int) -> Iterator[Ints]:
    """Every tree over n tokens, in the order of their arrays; refused when there are too many."""
    if n > MOST_TOKENS:
        raise Refused(
            f"{n} tokens have {float(tree_count(n)):.3g} trees, and trees are listed for {MOST_TOKENS} "
            "tokens at most; "
            "use an arborescence oracle, or shorter sentences"
        )
    for heads in product(range(n + 1), repeat=n):
        if is_tree(heads):
            yield np.array(heads, dtype=np.int64)


def checked_heads(label: Any, n: int, place: str, tree: bool = False) -> Ints:
    """One head from 0 to n for every token, none its own, or Refused; with `tree`, refused too when they run
    in a circle.
    """
    heads = np.asarray(label)
    if heads.shape != (n,) or heads.dtype.kind not in "iu":
        raise Refused(
            f"{place} is no list of {n} whole numbers; give one head for every token, 0 for the root"
        )
    wrong = np.flatnonzero((heads < 0) | (heads > n) | (heads == np.arange(1, n + 1)))
    if len(wrong):
        d = int(wrong[0]) + 1
        raise Refused(
            f"{place}: token {d} has the head {heads[d - 1]}; give another token from 1 to {n}, or 0"
        )
    if tree and (circle := cycle(heads)):
        raise Refused(f"{place} is no tree: the heads of tokens {circle} run in a circle; mend one of them")
    return read_only(np.ascontiguousarray(heads, dtype=np.int64))
