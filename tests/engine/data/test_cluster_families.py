"""Families of clusterings: each makes what its problem can take, and the same again."""

import pickle
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.data.clouds import Clouds, LinkFigure, Moons, clouds
from explorer.engine.data.cluster_figures import Figures
from explorer.engine.data.cluster_synth import Synth
from explorer.engine.data.coreference import Coreference
from explorer.engine.data.marbles import Marbles, marbles
from explorer.engine.data.news import News, NewsAreas
from explorer.engine.data.readers.webkb import WebKB
from explorer.engine.data.web_pages import WebPages, web_pages
from explorer.engine.knobs import knobs
from explorer.engine.structures.clusterings.item_sets import similarity
from explorer.engine.structures.clusterings.problem import check_item_sets

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
        assert len(check_item_sets(data, model)) == len(data)
        assert all(len(data.meta["features"]) == x.dim for x in data.inputs)
        assert data.meta["about"].endswith(".")
        for texts, x in zip(data.meta.get("texts", ()), data.inputs, strict=False):
            assert len(texts) == x.m
        assert same(data, pickle.loads(pickle.dumps(data)))


@pytest.mark.parametrize("family", SMALL, ids=lambda family: type(family).__name__)
def test_a_family_makes_the_same_sets_again(family: Any) -> None:
    for first, again in zip(family.make(), family.make(), strict=True):
        assert (first is None and again is None) or same(first, again)


@pytest.mark.parametrize("family", [*map(type, SMALL), WebKB], ids=lambda family: family.__name__)
def test_every_setting_of_a_family_is_a_knob(family: type) -> None:
    assert [name for name, _, _ in knobs(family)] == [f.name for f in fields(family)]


def test_webkb_trains_on_one_department_and_tests_on_another(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXPLORER_DATA", str(data_dir))
    train, test = WebKB(fold=1, links=False).make()
    assert (train.meta["sets"], test.meta["sets"]) == (("Wisconsin",), ("Texas",))
    assert train.inputs[0].dim == 1703


@pytest.mark.parametrize(
    ("family", "direct"),
    [
        (Clouds(n=2, n_test=2, points=7), lambda: clouds(2, 2, 7)),
        (Marbles(n=2, n_test=2, per_group=2, nearest=True), lambda: marbles(2, 2, 2, nearest=True)),
        (WebPages(sets=3, pages=6), lambda: web_pages(3, 6)),
    ],
    ids=["clouds", "marbles", "web pages"],
)
def test_a_family_is_what_its_generator_makes(family: Any, direct: Any) -> None:
    for made, drawn in zip(family.make(), direct(), strict=True):
        assert same(made, drawn)
        assert made.meta["features"] == drawn.meta["features"]
