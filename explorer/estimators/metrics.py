"""How good predictions are: shares of right tokens, heads and labels, F1 of entities, agreement of
clusterings.

    F1 = 2 right / (true + guessed)     Jaccard = |both| / |either|     attachment = right heads / tokens

Entities are read from BIO tags as the shared tasks of CoNLL and seqeval do: B-X opens an entity of type X;
I-X goes on with an open one of the same type and otherwise opens one itself. An entity is right when its
first position, its last position and its type are. The adjusted Rand index is scikit-learn's. Cost: linear,
but for the Rand index.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score

from explorer.engine.refusals import Refused

Span = tuple[int, int, str]


class Agreement(NamedTuple):
    """Precision, recall, F1 and how many there truly are."""

    precision: float
    recall: float
    f1: float
    support: int


def entities(tags: Sequence[str]) -> set[Span]:
    """First position, position after the last, and type of every entity of a sentence."""
    found, first, kind = set(), 0, ""
    for at, tag in enumerate([*tags, "O"]):
        mark, _, own = tag.partition("-")
        if mark == "I" and kind and own == kind:
            continue
        if kind:
            found.add((first, at, kind))
        first, kind = at, own if mark in ("B", "I") else ""
    return found


def entity_f1(truths: Iterable[Sequence[str]], guesses: Iterable[Sequence[str]]) -> float:
    """F1 of all entities of all sentences together; 0 when there are none."""
    return entity_report(truths, guesses)["all"].f1


def entity_report(truths: Iterable[Sequence[str]], guesses: Iterable[Sequence[str]]) -> dict[str, Agreement]:
    """Agreement for every type of entity, and for "all" of them together."""
    right: Counter[str] = Counter()
    true: Counter[str] = Counter()
    guessed: Counter[str] = Counter()
    for i, (truth, guess) in enumerate(_pairs(truths, guesses)):
        _check_length(truth, guess, i)
        a, b = entities(truth), entities(guess)
        for counts, found in ((right, a & b), (true, a), (guessed, b)):
            counts.update(kind for _, _, kind in found)
            counts["all"] += len(found)
    kinds = [*sorted({*true, *guessed} - {"all"}), "all"]
    return {kind: agreement(right[kind], true[kind], guessed[kind]) for kind in kinds}


def agreement(right: int, true: int, guessed: int) -> Agreement:
    """Precision, recall and F1 from counts; 0 where nothing can be divided by."""
    precision, recall = (right / count if count else 0.0 for count in (guessed, true))
    return Agreement(precision, recall, 2.0 * right / (true + guessed) if true + guessed else 0.0, true)


def token_accuracy(truths: Iterable[Sequence[Any]], guesses: Iterable[Sequence[Any]]) -> float:
    """The share of positions with the right label."""
    right = total = 0
    for i, (truth, guess) in enumerate(_pairs(truths, guesses)):
        _check_length(truth, guess, i)
        right += sum(a == b for a, b in zip(truth, guess, strict=True))
        total += len(truth)
    return right / total if total else 0.0


def attachment_score(truths: Iterable[Sequence[int]], guesses: Iterable[Sequence[int]]) -> float:
    """The share of tokens with the right head (unlabelled attachment)."""
    return token_accuracy(
        [list(map(int, heads)) for heads in truths], [list(map(int, heads)) for heads in guesses]
    )


def label_report(truths: Iterable[Sequence[Any]], guesses: Iterable[Sequence[Any]]) -> dict[Any, Agreement]:
    """Agreement for every label, over all positions."""
    right: Counter[Any] = Counter()
    true: Counter[Any] = Counter()
    guessed: Counter[Any] = Counter()
    for i, (truth, guess) in enumerate(_pairs(truths, guesses)):
        _check_length(truth, guess, i)
        true.update(truth)
        guessed.update(guess)
        right.update(a for a, b in zip(truth, guess, strict=True) if a == b)
    return {
        label: agreement(right[label], true[label], guessed[label]) for label in sorted({*true, *guessed})
    }


def jaccard(truths: Any, guesses: Any) -> float:
    """The mean over examples of |both| / |either|, for 0-1 rows or for sets of labels; 1 where both are
    empty."""
    shares = [_overlap(_members(truth), _members(guess)) for truth, guess in _pairs(truths, guesses)]
    return float(np.mean(shares)) if shares else 0.0


def _overlap(truth: set[Any], guess: set[Any]) -> float:
    return len(truth & guess) / len(truth | guess) if truth | guess else 1.0


def _members(labels: Any) -> set[Any]:
    return set(np.flatnonzero(labels).tolist()) if isinstance(labels, np.ndarray) else set(labels)


def adjusted_rand(truths: Iterable[Any], guesses: Iterable[Any]) -> float:
    """The mean over sets of items of scikit-learn's adjusted Rand index."""
    found = [adjusted_rand_score(truth, guess) for truth, guess in _pairs(truths, guesses)]
    return float(np.mean(found)) if found else 0.0


def _pairs(truths: Iterable[Any], guesses: Iterable[Any]) -> list[tuple[Any, Any]]:
    a, b = list(truths), list(guesses)
    if len(a) != len(b):
        raise Refused(f"there are {len(a)} truths and {len(b)} predictions; give one for each")
    return list(zip(a, b, strict=True))


def _check_length(truth: Sequence[Any], guess: Sequence[Any], i: int) -> None:
    if len(truth) != len(guess):
        raise Refused(f"example {i} has {len(truth)} labels and {len(guess)} predictions; give one for each")


__all__ = [
    "Agreement",
    "adjusted_rand",
    "attachment_score",
    "entities",
    "entity_f1",
    "entity_report",
    "jaccard",
    "label_report",
    "token_accuracy",
]
