"""Other ways to learn a clustering: every way runs, fails in words, and is judged by its rows."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from explorer.baselines.clustering import (
    CLUSTERINGS,
    LINKED,
    METRICS,
    SIMILARITIES,
    BackwardLinking,
    Relative,
)
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Cancelled
from explorer.engine.structures.clusterings.losses import Normalised
from explorer.engine.vectors import Ints
from explorer.studies.clusterings.other_ways import BLOBS, CLOUDS, MARBLES, OtherWays, blobs
from explorer.studies.support import clustering_ways as way
from explorer.studies.support.rows import row, value
from explorer.studies.support.study import HELD, NOT_HELD, OPEN, Row, quiet

QUICK = OtherWays.quick()
TITLES = {found.title: found for found in way.ways(True)}


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return list(QUICK.rows())


def given(study: OtherWays, family: str) -> way.Given:
    return way.Given(*study.sets(family), study.asked, np.random.default_rng(0), quiet)


def told(family: str, **losses: float) -> list[Row]:
    """A row for each of some ways."""
    named = {
        "ours": way.GREEDY,
        "pairs": way.ALL_PAIRS,
        "plain": way.PLAIN,
        "metric": "k-means, ITML",
        "semi": "COP-k-means",
        "classes": way.NEAREST,
    }
    return [
        row(data=family, method=named[n], kind=TITLES[named[n]].kind, pairwise=x, normalised=x)
        for n, x in losses.items()
    ]


def verdicts(study: OtherWays, found: Sequence[Row]) -> list[str]:
    return [finding.verdict for finding in study.findings(found)]


def test_quick_settings_give_a_row_for_every_way_with_losses_or_a_reason(rows: list[Row]) -> None:
    assert len(rows) == QUICK.total == len(TITLES) - 1
    for found in rows:
        assert ("pairwise" in found) != ("note" in found)
        assert 0.0 <= found.number("pairwise") <= 100.0 or "note" in found
        assert ("links" in found) == (found["kind"] == way.SEMI)


def test_the_same_seed_gives_the_same_losses(rows: list[Row]) -> None:
    again = [{k: v for k, v in found.items() if k != "seconds"} for found in QUICK.rows()]
    assert again == [{k: v for k, v in found.items() if k != "seconds"} for found in rows]


def test_every_contrast_method_that_clusters_sets_is_among_the_ways() -> None:
    text = " / ".join(TITLES)
    known = [*METRICS, *LINKED, *(kind for kind in CLUSTERINGS if kind is not BackwardLinking)]
    assert all(kind.title in text for kind in known)
    assert len(SIMILARITIES) == 3
    assert {"all weights 1", "spectral learning", "pairs: all", "pairs: canopies"} <= set(TITLES)


@pytest.mark.spec("C35")
def test_a_classifier_cuts_marbles_of_new_colours_in_half_and_supervised_clustering_does_not() -> None:
    asked = given(replace(QUICK, points=60, n_test=4), MARBLES)
    classes = TITLES[way.NEAREST].cluster(asked)
    loss = [Normalised().value(y, z) for y, z in zip(asked.test.labels, classes, strict=True)]
    assert np.mean(loss) == pytest.approx(50.0, abs=5.0)
    for y, z in zip(asked.test.labels, TITLES[way.GREEDY].cluster(asked), strict=True):
        assert Normalised().value(y, z) == Normalised().value(z, y) == 0.0


@pytest.mark.parametrize("kind", METRICS, ids=lambda kind: kind.__name__)
def test_a_metric_is_semidefinite_and_makes_stretched_axes_shorter(kind: type) -> None:
    train, _ = blobs(4, 1, 16, 3.0, 0)
    found = way.metric_of(train, kind(), 100, np.random.default_rng(0))
    assert np.linalg.eigvalsh(found.A).min() >= -1e-9 * np.abs(found.A).max()
    weight = np.diag(found.A)
    assert weight[:2].min() > weight[2:].max()
    assert not isinstance(kind(), Relative) or found.W.min() >= 0.0


def test_told_items_are_linked_as_the_truth_says() -> None:
    y = np.array([0, 1, 0, 1, 1, 2])
    known = way.told_items(y, 2, np.random.default_rng(0))
    assert np.bincount(y[known]).tolist() == [2, 2, 1]
    must, cannot = way.links_among(y, known)
    assert len(must) == 2
    assert len(cannot) == 8
    assert all(y[a] == y[b] for a, b in must)
    assert all(y[a] != y[b] for a, b in cannot)


def test_cop_keeps_every_link_that_it_is_told() -> None:
    asked = given(QUICK, BLOBS)
    found = TITLES["COP-k-means"].cluster(asked)
    rng = np.random.default_rng(QUICK.seed)
    for y, z in zip(asked.test.labels, found, strict=True):
        must, cannot = way.links_among(y, way.told_items(y, QUICK.told, rng))
        assert all(z[a] == z[b] for a, b in must)
        assert all(z[a] != z[b] for a, b in cannot)


def test_a_canopy_takes_the_nearer_half_of_the_pairs() -> None:
    train, _ = blobs(3, 1, 12, 3.0, 0)
    chosen = way.near_rows(train)
    assert sum(len(rows) for rows in chosen) == pytest.approx(3 * 66 / 2, abs=1)


def test_a_way_that_refuses_or_breaks_down_says_so_in_its_row() -> None:
    def refuses(asked: way.Given) -> list[Ints]:
        raise Refused("too few items; give more")

    def breaks(asked: way.Given) -> list[Ints]:
        raise np.linalg.LinAlgError("singular")

    asked = given(QUICK, BLOBS)
    first, second = (QUICK._row(BLOBS, way.Way("x", way.METRIC, f), asked) for f in (refuses, breaks))
    assert first["note"] == "too few items; give more"
    assert second["note"] == "broke down: singular"
    assert "pairwise" not in first


def test_the_normalised_loss_is_left_out_where_there_are_more_clusters_than_in_truth() -> None:
    asked = given(QUICK, BLOBS)
    alone = way.Way("alone", way.UNTRAINED, lambda g: [np.arange(x.m) for x in g.test.inputs])
    whole = way.Way("whole", way.UNTRAINED, lambda g: [np.zeros(x.m, dtype=np.int64) for x in g.test.inputs])
    assert "normalised" not in QUICK._row(BLOBS, alone, asked)
    assert QUICK._row(BLOBS, whole, asked).number("normalised") > 0.0


def test_findings_are_held_or_not_as_the_rows_say() -> None:
    study = OtherWays(data=BLOBS)
    good = told(BLOBS, ours=0.0, pairs=2.0, plain=40.0, metric=5.0, semi=10.0)
    assert verdicts(study, good) == [HELD] * 4
    bad = told(BLOBS, ours=45.0, pairs=2.0, plain=40.0, metric=50.0, semi=10.0)
    assert verdicts(study, bad) == [NOT_HELD] * 4
    failed = [*good, row(data=BLOBS, method="k-means, LMNN", kind=way.METRIC, note="too few items")]
    assert verdicts(study, failed) == [HELD, OPEN, HELD, HELD]
    assert set(verdicts(OtherWays(), [])) == {OPEN}
    assert len(verdicts(OtherWays(), [])) == 10
    assert len(verdicts(OtherWays(data=CLOUDS), [])) == 4


def test_marbles_are_judged_by_both_the_classifier_and_the_clustering() -> None:
    study = OtherWays(data=MARBLES)
    assert verdicts(study, told(MARBLES, ours=0.0, pairs=0.0, classes=48.0)) == [HELD, HELD]
    assert verdicts(study, told(MARBLES, ours=0.0, pairs=0.0, classes=30.0))[-1] == NOT_HELD
    assert verdicts(study, told(MARBLES, ours=9.0, pairs=0.0, classes=50.0)) == [NOT_HELD, NOT_HELD]
    assert verdicts(study, told(MARBLES, ours=0.0))[-1] == OPEN


def test_training_beats_no_training_on_quick_blobs(rows: list[Row]) -> None:
    assert value(rows, "pairwise", method=way.GREEDY) < value(rows, "pairwise", method=way.PLAIN)


def test_a_pulse_can_end_it_and_nothing_stands_beside() -> None:
    def stop(note: str) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        list(QUICK.rows(stop))
    assert QUICK.published == ()
    assert "nothing" in QUICK.beside
