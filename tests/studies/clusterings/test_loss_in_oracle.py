"""The loss in the oracle's question, on and off."""

import math
from itertools import islice
from typing import Any

import numpy as np
import pytest

from explorer.engine.data.coreference import coreference
from explorer.engine.runs.streams import Cancelled
from explorer.studies.clusterings.loss_in_oracle import TASKS, WITH, WITHOUT, LossInOracle
from explorer.studies.support.correlation_sets import MITRE, correlation
from explorer.studies.support.rows import row, value, where
from explorer.studies.support.study import HELD, NOT_HELD, OPEN, Row


@pytest.fixture(scope="module")
def ran() -> tuple[LossInOracle, list[Row]]:
    study = LossInOracle.quick()
    return study, list(study.rows())


@pytest.mark.spec("C29")
def test_every_task_is_trained_with_and_without_the_loss(ran: tuple[LossInOracle, list[Row]]) -> None:
    study, rows = ran
    assert [(r["task"], r["asked"]) for r in rows] == [(t, a) for t in TASKS for a in (WITH, WITHOUT)]
    assert len(rows) == study.total
    for name in TASKS:
        on, off = (value(rows, "loss", task=name, asked=asked) for asked in (WITH, WITHOUT))
        assert value(rows, "difference", task=name, asked=WITHOUT) == pytest.approx(off - on)
        assert 0.0 <= value(rows, "p", task=name, asked=WITHOUT) <= 1.0
        assert "difference" not in where(rows, task=name, asked=WITH)[0]


@pytest.mark.spec("C29")
def test_on_a_few_sets_the_difference_is_small_against_the_spread_of_the_test_sets(
    ran: tuple[LossInOracle, list[Row]],
) -> None:
    study, rows = ran
    for name in TASKS:
        spread = value(rows, "spread", task=name, asked=WITH)
        assert value(rows, "error", task=name, asked=WITH) == pytest.approx(
            spread / math.sqrt(sets_of(study, name))
        )
        assert abs(value(rows, "difference", task=name, asked=WITHOUT)) < 0.5 * spread
    assert [finding.verdict for finding in study.findings(rows)] == [HELD] * 5


def sets_of(study: LossInOracle, name: str) -> int:
    """Test sets of a task."""
    return study.days if TASKS[name].news else study.documents


@pytest.mark.timeout(1800)
@pytest.mark.spec("C29")
def test_on_more_documents_pairwise_training_needs_the_loss_in_its_question() -> None:
    study = LossInOracle(
        documents=10, entities=16, days=4, topics=4, articles=5, least=1e6, most=1e8, eps=0.5
    )
    rows = list(study.rows())
    verdicts = [finding.verdict for finding in study.findings(rows)]
    assert verdicts == [HELD, NOT_HELD, HELD, HELD, NOT_HELD]
    needed = where(rows, task="coreference, pairwise", asked=WITHOUT)[0]
    assert needed.number("difference") == pytest.approx(4.9, abs=0.5)
    assert needed.number("p") < 0.05


@pytest.mark.spec("C29")
def test_without_the_loss_the_oracle_answers_a_prediction_but_the_cut_keeps_its_loss() -> None:
    train, _ = coreference(2, 1, 10, 0)
    w = np.random.default_rng(0).normal(size=53)
    problem = correlation(train, MITRE, asked=False)
    cut = problem.oracle(w, 0)
    np.testing.assert_array_equal(cut.label, problem.predict(w, problem.dataset.inputs[0]))
    assert cut.loss == problem.loss(0, cut.label) > 0.0
    asked = correlation(train, MITRE).oracle(w, 0)
    assert asked.loss >= cut.loss
    assert not np.array_equal(asked.label, cut.label)


@pytest.mark.spec("C49")
def test_the_printed_differences_are_small() -> None:
    published = LossInOracle().published
    assert len(published) == 8
    printed = [value(published, "difference", task=name, asked=WITHOUT) for name in TASKS]
    assert printed == pytest.approx([-0.2, -0.08, 0.06, 0.08])


def by_hand(difference: float, spread: float, p: float) -> list[Row]:
    """The same difference in every task."""
    told = {WITH: {"spread": spread}, WITHOUT: {"difference": difference, "p": p}}
    return [row(task=name, asked=asked, loss=10.0, **told[asked]) for name in TASKS for asked in told]


@pytest.mark.parametrize(
    ("numbers", "verdicts"),
    [
        ((0.1, 0.5, 0.6), [HELD] * 5),
        ((-0.1, 0.5, 0.6), [HELD] * 5),
        ((-0.6, 0.5, 0.6), [NOT_HELD] * 4 + [HELD]),
        ((0.4, 0.5, 0.01), [HELD] * 4 + [NOT_HELD]),
    ],
)
def test_a_difference_is_small_against_its_deviation_and_not_significant(
    numbers: Any, verdicts: list[str]
) -> None:
    assert [finding.verdict for finding in LossInOracle().findings(by_hand(*numbers))] == verdicts


def test_one_missing_task_leaves_its_own_finding_and_the_summary_open() -> None:
    rows = by_hand(0.1, 0.5, 0.6)[:-1]
    assert [finding.verdict for finding in LossInOracle().findings(rows)] == [HELD, HELD, HELD, OPEN, OPEN]
    assert math.isnan(value(rows, "p", task="news, relaxed", asked=WITHOUT))


def test_the_same_seed_gives_the_same_rows_and_a_pulse_may_end_them(
    ran: tuple[LossInOracle, list[Row]],
) -> None:
    study, rows = ran
    timeless = [{k: v for k, v in found.items() if k != "seconds"} for found in rows[:2]]
    assert [
        {k: v for k, v in found.items() if k != "seconds"} for found in islice(study.rows(), 2)
    ] == timeless

    def enough(note: str) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        list(study.rows(enough))
