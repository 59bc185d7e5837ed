"""The treebank in two registers keeps to its grammar."""

import numpy as np
import pytest

from explorer.engine.data.register import register_treebank
from explorer.engine.structures.trees.heads import is_projective

ORDER = ["ADV", "DET", "N", "V", "N", "ADJ", "N", "P", "DET", "N"]


def test_heads_follow_the_register_and_nothing_else() -> None:
    data, _ = register_treebank(300, seed=1)
    for x, y, register in zip(data.inputs, data.labels, data.meta["register"], strict=True):
        head = [("root" if h == 0 else x.tags[h - 1]) for h in y]
        verb = x.tags.index("V") + 1
        first, second = verb + 1, verb + 2 + (x.tags[verb + 1] == "ADJ")
        assert y[verb - 1] == 0
        assert y[first - 1] == y[second - 1] == verb
        for d, tag in enumerate(x.tags, start=1):
            if tag == "ADJ":
                assert y[d - 1] == (second if register == "a" else first)
            if tag == "P":
                assert y[d - 1] == (verb if register == "a" else second)
            if tag == "DET":
                assert y[d - 1] == d + 1
                assert head[d - 1] == "N"
            if tag == "ADV":
                assert y[d - 1] == verb
        assert is_projective(y)
        left = iter(ORDER)
        assert all(tag in left for tag in x.tags)


def test_its_figures_are_those_of_its_description() -> None:
    data, test = register_treebank(4000, 10, seed=2)
    assert test is not None
    assert len(test) == 10
    sizes = np.array([len(x) for x in data.inputs])
    assert sizes.mean() == pytest.approx(
        0.3 + 0.5 + 3 + 0.8 + 1 + 0.7 * 2.5, abs=0.06
    )  # 7.35, printed as 7.4
    has = {tag: np.mean([tag in x.tags for x in data.inputs]) for tag in ("ADV", "ADJ", "P")}
    assert has == pytest.approx({"ADV": 0.3, "ADJ": 0.8, "P": 0.7}, abs=0.03)
    words = [
        (w, r) for x, r in zip(data.inputs, data.meta["register"], strict=True) for w in x.words if "-" in w
    ]
    own = np.mean([f"-{r}-" in w for w, r in words])
    assert own == pytest.approx(0.6, abs=0.02)
    assert not any(f"-{other}-" in w for w, r in words for other in "ab" if other != r)


def test_the_same_seed_is_the_same_treebank() -> None:
    one, other = (register_treebank(20, 5, seed=3) for _ in range(2))
    for a, b in zip(one, other, strict=True):
        assert a is not None
        assert b is not None
        assert a.inputs == b.inputs
        assert [y.tolist() for y in a.labels] == [y.tolist() for y in b.labels]
    assert register_treebank(20)[1] is None
