"""Families of clusterings: each makes what its problem can take, and the same again."""

import pickle
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from explorer.engine.data.cluster_families import (
    AnyClusters,
    Clouds,
    Coreference,
    Figures,
    LinkFigure,
    Marbles,
    Moons,
    News,
    NewsAreas,
    Synth,
    WebKB,
    WebPages,
)
from explorer.engine.items import similarity
from explorer.engine.problems.clustering import checked
from explorer.engine.protocols import Dataset, knobs

SMALL = (
    Figures(),
    Synth(per_group=4),
    Clouds(),
    Moons(),
    LinkFigure(),
    Marbles(per_group=5),
    Coreference(n=3, n_test=2),
    News(n=2, n_test=1),
    NewsAreas(articles=3),
    WebPages(pages=20),
)
CORRELATION = (Figures, Clouds, Moons, LinkFigure, Marbles, Coreference, News)


def same(first: Dataset, second: Dataset) -> bool:
    w = np.random.default_rng(0).normal(size=first.inputs[0].dim)
    return all(
        np.array_equal(similarity(a, w), similarity(b, w)) and np.array_equal(y, z)
        for a, b, y, z in zip(first.inputs, second.inputs, first.labels, second.labels, strict=True)
    )


@pytest.mark.parametrize("family", SMALL, ids=lambda family: type(family).__name__)
def test_a_family_makes_checked_sets_with_a_name_for_each_weight(family: Any) -> None:
    for data in family.make():
        if data is None:
            continue
        model = "correlation" if isinstance(family, CORRELATION) else "k-means"
        assert len(checked(data, model)) == len(data)
        assert all(len(data.meta["features"]) == x.dim for x in data.inputs)
        assert data.meta["about"].endswith(".")
        for texts, x in zip(data.meta.get("texts", ()), data.inputs, strict=False):
            assert len(texts) == x.m
        assert same(data, pickle.loads(pickle.dumps(data)))


@pytest.mark.parametrize("family", SMALL, ids=lambda family: type(family).__name__)
def test_a_family_makes_the_same_sets_again(family: Any) -> None:
    for first, again in zip(family.make(), family.make(), strict=True):
        assert (first is None and again is None) or same(first, again)


@pytest.mark.parametrize("family", get_args(AnyClusters), ids=lambda family: family.__name__)
def test_every_family_says_which_sums_its_problem_takes(family: type) -> None:
    named = {name: default for name, default, _ in knobs(family)}
    assert len(named) == len(fields(family))
    linked = family in (Moons, LinkFigure)
    assert named.get("weights") == (None if linked else "free")
    assert named.get("loss_in_oracle") is (None if linked else True)
    assert ("normalise" in named) == (family in CORRELATION and not linked)
    assert ("diagonal" in named) == (family not in CORRELATION)
    assert family.__doc__.strip().count("\n") == 0


def test_webkb_trains_on_one_department_and_tests_on_another(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXPLORER_DATA", str(data_dir))
    train, test = WebKB(fold=1, links=False).make()
    assert (train.meta["sets"], test.meta["sets"]) == (("Wisconsin",), ("Texas",))
    assert train.inputs[0].dim == 1703
