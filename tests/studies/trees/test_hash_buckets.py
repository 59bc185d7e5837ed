"""Loss against the number of buckets: a curve that falls to the loss without buckets."""

from pathlib import Path

import numpy as np
import pytest

from explorer.engine.data.register import register_treebank
from explorer.engine.learners import OneSlack
from explorer.engine.structures.trees.problem import DependencyTrees
from explorer.studies.support.parsed_text import GERMAN
from explorer.studies.support.rows import row, value, where
from explorer.studies.support.study import HELD, NOT_HELD, OPEN, Row
from explorer.studies.trees.hash_buckets import HASHED, PLAIN, HashBuckets, curve, shared_percentage


@pytest.mark.spec("F14")
def test_the_loss_falls_with_every_larger_number_of_buckets_to_that_without() -> None:
    study = HashBuckets()
    rows = list(study.rows())
    assert [one["buckets"] for one in where(rows, method=HASHED)] == [1, 4, 16, 64, 142]
    for name in ("train", "test"):
        found = curve(rows, name)
        assert np.all(np.diff(found) < 0.0)
        assert 80.0 < found[0] < 90.0
        assert 9.0 <= found[-1] <= 12.0  # the band of the register treebank without input kernel
        assert found[-1] == value(rows, name, method=PLAIN)
    assert {finding.verdict for finding in study.findings(rows)} == {HELD}


@pytest.mark.spec("F14")
def test_a_model_with_its_weights_written_out_has_the_same_objective() -> None:
    rows = list(HashBuckets(n=60, eps=0.01).rows())
    for B in (1, 4, 16, 64):
        problem = DependencyTrees(register_treebank(60)[0], buckets=B)
        assert problem.dim == B
        *_, last = OneSlack(C=10.0, eps=1e-3).steps(problem, np.random.default_rng(0))
        found = value(rows, "objective", buckets=B)
        assert last.bounds.dual <= found <= last.bounds.dual + 10.0 * 0.011


def test_kinds_that_share_a_bucket_are_counted() -> None:
    assert shared_percentage(10, 1) == 100.0
    assert shared_percentage(10, 10) == shared_percentage(10, 20) == 0.0
    assert shared_percentage(10, 8) == 40.0  # 0 with 8, 1 with 9


def told(train: list[float], test: list[float], plain: float) -> list[Row]:
    made = [
        row(method=HASHED, buckets=4**k, train=a, test=b)
        for k, (a, b) in enumerate(zip(train, test, strict=True))
    ]
    return [*made, row(method=PLAIN, buckets=9, train=plain, test=plain)]


@pytest.mark.spec("F14")
def test_findings_are_held_or_not_as_the_rows_say() -> None:
    def verdicts(rows: list[Row]) -> list[str]:
        return [finding.verdict for finding in HashBuckets().findings(rows)]

    assert verdicts(told([9.0, 5.0, 2.0], [9.0, 5.0, 2.0], 2.0)) == [HELD] * 3
    assert verdicts(told([9.0, 9.5, 8.0], [9.0, 5.0, 8.0], 7.9)) == [NOT_HELD] * 3
    assert verdicts([]) == [OPEN] * 3
    assert HashBuckets().published == ()


@pytest.mark.slow
@pytest.mark.spec("F14")
def test_on_german_sentences_a_thousand_buckets_are_not_enough(data_dir: Path) -> None:
    rows = list(HashBuckets(corpus=GERMAN).rows())
    found = where(rows, method=HASHED)
    assert [one["buckets"] for one in found][:-1] == [1, 4, 16, 64, 256, 1024]
    assert found[-1].number("test") < found[-2].number("test") - 5.0
    assert found[-1]["test"] == value(rows, "test", method=PLAIN)
