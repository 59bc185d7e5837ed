"""Entities in tag sequences, and how well guessed ones agree with the true ones.

B-X opens an entity of type X; I-X goes on with an open one of the same type, and otherwise opens one itself
(as the shared tasks count). An entity is right when first word, last word and type are. F1 = 2 right / (true
+ guessed).
"""

from collections.abc import Iterable, Sequence

Span = tuple[int, int, str]


def spans(tags: Sequence[str]) -> set[Span]:
    """First position, position after the last, and type of every entity."""
    found, first, open_kind = set(), 0, ""
    for at, tag in enumerate([*tags, "O"]):
        begins, kind = tag[:1], tag[2:]
        if begins == "I" and kind == open_kind:
            continue
        if open_kind:
            found.add((first, at, open_kind))
        first, open_kind = at, kind
    return found


def f1(truths: Iterable[Sequence[str]], guesses: Iterable[Sequence[str]]) -> float:
    """F1 over all sentences; 0 when nothing is right."""
    right = known = 0
    for truth, guess in zip(truths, guesses, strict=True):
        a, b = spans(truth), spans(guess)
        right, known = right + len(a & b), known + len(a) + len(b)
    return 2.0 * right / known if known else 0.0
