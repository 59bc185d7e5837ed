"""The string kernel against the list of all subsequences, and figures of the literature."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from explorer.engine.structures.trees.input_kernels import Subsequences, between, gram
from explorer.engine.structures.trees.kernels.subsequences import common_row, subsequence_sums
from explorer.engine.structures.trees.sentences import Sentence, sentence


def numbers(text: Any) -> Any:
    return np.array([hash(word) for word in text], dtype=np.int64)


def listed(s: Any, t: Any, longest: int, lam: float) -> list[float]:
    """K_l from every choice of places in both."""

    def spans(u: Any, length: int) -> dict[Any, float]:
        found: dict[Any, float] = {}
        for places in combinations(range(len(u)), length):
            key = tuple(u[p] for p in places)
            found[key] = found.get(key, 0.0) + lam ** (places[-1] - places[0] + 1)
        return found

    out = []
    for length in range(1, longest + 1):
        a, b = spans(s, length), spans(t, length)
        out.append(sum(value * b.get(key, 0.0) for key, value in a.items()))
    return out


def sums(s: Any, t: Any, longest: int, lam: float = 0.5) -> Any:
    out = np.empty(longest)
    subsequence_sums(numbers(s), numbers(t), longest, lam, out)
    return out


def said(text: str) -> Sentence:
    words = text.split()
    return sentence(words, ["X"] * len(words))


@pytest.mark.spec("F40")
def test_cat_and_car() -> None:
    assert sums("cat", "car", 2)[1] == pytest.approx(0.0625, abs=1e-12)
    assert sums("cat", "cat", 2)[1] == pytest.approx(0.140625, abs=1e-12)
    assert sums("cat", "car", 2)[1] / sums("cat", "cat", 2)[1] == pytest.approx(1 / (2 + 0.25), abs=1e-12)
    both = [sums(a, b, 2).sum() for a, b in (("cat", "car"), ("cat", "cat"), ("car", "car"))]
    assert both[0] / np.sqrt(both[1] * both[2]) == pytest.approx(0.631579, abs=1e-6)


@pytest.mark.spec("F41")
@pytest.mark.parametrize(("longest", "wanted"), [(2, 0.5), (3, 3 / 7)])
def test_without_decay_all_common_sequences_count_alike(longest: int, wanted: float) -> None:
    cat, car = (sentence(word, "XXX") for word in ("cat", "car"))
    assert gram(Subsequences(longest, lam=1.0), [cat, car])[0, 1] == pytest.approx(wanted, abs=1e-12)


@pytest.mark.spec("F40")
def test_sentences_of_words() -> None:
    x, z = said("why so serious"), said("why are you so serious")
    assert gram(Subsequences(longest=3, normalised=False), [x, z])[0, 1] == pytest.approx(0.8359375, abs=1e-9)
    assert gram(Subsequences(longest=3), [x, z])[1, 0] == pytest.approx(0.689677, abs=1e-6)
    assert between(Subsequences(longest=3), [z], [x, z])[0] == pytest.approx([0.689677, 1.0], abs=1e-6)


@pytest.mark.spec("F40")
def test_the_recursion_is_the_sum_over_all_subsequences() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        s, t = (rng.integers(0, 3, int(rng.integers(1, 8))) for _ in range(2))
        lam = float(rng.uniform(0.2, 1.0))
        out = np.empty(4)
        subsequence_sums(s, t, 4, lam, out)
        assert out == pytest.approx(listed(s.tolist(), t.tolist(), 4, lam), rel=1e-10, abs=1e-12)


def test_common_symbols_are_pairs_of_equal_ones() -> None:
    rng = np.random.default_rng(1)
    s, others = rng.integers(0, 5, 6), [rng.integers(0, 9, m) for m in (0, 3, 7)]
    out = np.empty(3)
    common_row(s, np.concatenate(others), np.array([0, 0, 3, 10]), out)
    assert out.tolist() == [float(np.sum(s[:, None] == t)) for t in others]
