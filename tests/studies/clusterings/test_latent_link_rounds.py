"""Rounds of latent links: what is run, how a run ends, and how it is judged."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from explorer.engine.runs.streams import Cancelled
from explorer.engine.structures.clusterings.link_forests import partition_of
from explorer.engine.structures.clusterings.partitions import canonical
from explorer.studies.clusterings.latent_link_rounds import (
    BANDS,
    LEVEL,
    MEAN,
    MOONS,
    RAISED,
    RANDOM,
    SETTLED,
    LatentLinkRounds,
    any_links,
    bands,
)
from explorer.studies.support.rows import row, where
from explorer.studies.support.study import HELD, NOT_HELD, OPEN, Row

QUICK = LatentLinkRounds.quick()


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return list(QUICK.rows())


def run(
    latent: list[float], convex: list[float], train: list[float], test: list[float], ended: str
) -> list[Row]:
    """A run of bands from random trees, told by hand."""
    ends = [*[None] * (len(latent) - 1), ended or None]
    cells = zip(latent, convex, train, test, ends, strict=True)
    return [
        row(data=BANDS, start=RANDOM, round=k, latent=a, convex=b, train_loss=c, test_loss=d, ended=e)
        for k, (a, b, c, d, e) in enumerate(cells)
    ]


def verdicts(found: list[Row]) -> list[str]:
    return [finding.verdict for finding in LatentLinkRounds(data=BANDS, start=RANDOM).findings(found)]


def test_quick_settings_give_rows_for_every_run_and_the_same_again(rows: list[Row]) -> None:
    assert rows == list(QUICK.rows())
    assert len(rows) <= QUICK.total
    assert {(found["data"], found["start"]) for found in rows} == set(QUICK.runs)
    for kind, start in QUICK.runs:
        told = where(rows, data=kind, start=start)
        assert [found["round"] for found in told] == list(range(len(told)))
        assert ["ended" in found for found in told] == [False] * (len(told) - 1) + [True]


@pytest.mark.spec("D33")
def test_with_exact_oracles_no_round_raises_the_objective_and_separable_bands_lose_nothing(
    rows: list[Row],
) -> None:
    for start in (MEAN, RANDOM):
        told = where(rows, data=BANDS, start=start)
        assert {found["oracle"] for found in told} == {"all forests"}
        assert told[-1]["ended"] in (SETTLED, LEVEL)
        for before, now in pairwise(told):
            assert now.number("convex") <= before.number("latent") * (1.0 + 1e-6)
        assert all(found.number("latent") <= found.number("convex") * (1.0 + 1e-9) for found in told)
        assert told[-1]["train_loss"] == 0.0


def test_larger_sets_are_asked_of_the_search(rows: list[Row]) -> None:
    assert {found["oracle"] for found in where(rows, data=MOONS)} == {"link search"}
    assert replace(QUICK, points=8).sets(MOONS, MEAN)[0].oracle_is_exact


def test_a_threshold_on_the_height_tells_bands_apart() -> None:
    for data in bands(3, 2, 7, 0):
        for x, y in zip(data.inputs, data.labels, strict=True):
            i, j = np.triu_indices(x.m, 1)
            assert np.array_equal(x.pairs @ [0.0, 1.0, 1.0] > 0.0, y[i] == y[j])


def test_any_links_hold_the_true_clusters_together() -> None:
    data, _ = bands(4, 1, 7, 1)
    for y, links in zip(data.labels, any_links(data, 0).labels, strict=True):
        assert np.array_equal(canonical(partition_of(links)), canonical(y))
        assert np.count_nonzero(links >= 0) == len(y) - 2


def test_findings_are_held_or_not_as_the_rows_say() -> None:
    good = run([9.0, 5.0, 5.0], [9.0, 8.0, 5.0], [10.0, 3.0, 0.0], [12.0, 4.0, 1.0], SETTLED)
    assert verdicts(good) == [HELD] * 3
    assert verdicts(run([9.0, 9.5], [9.0, 9.5], [10.0, 8.0], [4.0, 6.0], SETTLED)) == [NOT_HELD] * 3
    assert verdicts(run([9.0, 8.0], [9.0, 9.3], [0.0, 0.0], [4.0, 4.0], SETTLED)) == [NOT_HELD, HELD, HELD]
    assert verdicts(run([9.0, 8.0], [9.0, 8.0], [0.0, 0.0], [4.0, 4.0], RAISED)) == [NOT_HELD, HELD, HELD]


def test_a_single_round_compares_nothing_and_a_run_that_has_not_ended_leaves_questions_open() -> None:
    assert verdicts(run([9.0], [9.0], [0.0], [0.0], SETTLED)) == [HELD, HELD]
    assert verdicts(run([9.0, 8.0], [9.0, 8.0], [1.0, 0.0], [1.0, 0.0], "")) == [OPEN] * 3
    assert verdicts([]) == []


@pytest.mark.parametrize("after", [0, 5])
def test_a_pulse_can_end_the_run(after: int) -> None:
    notes: list[str] = []

    def stop(note: str) -> None:
        notes.append(note)
        if len(notes) > after:
            raise Cancelled

    with pytest.raises(Cancelled):
        list(QUICK.rows(stop))
    assert notes[0] == "moons, mean of the features: training"


def test_nothing_stands_beside() -> None:
    assert QUICK.published == ()
    assert "nothing" in QUICK.beside
