"""Made-up news: thirty cosines and a constant, topics, and blocks that mislead."""

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.data.news import AREAS, FEATURES, news, news_areas, vocabulary
from explorer.engine.data.text_cosines import stem
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.partitions import pair_count, together


@pytest.fixture(scope="module")
def days() -> Dataset:
    return news(n=6, n_test=1)[0]


def test_five_fields_three_runs_and_two_ways_make_thirty_features_and_a_constant(days: Dataset) -> None:
    assert len(FEATURES) == len(set(FEATURES)) == 30
    assert days.meta["features"] == (*FEATURES, "1")
    for x in days.inputs:
        assert x.pairs.shape == (pair_count(x.m), 31)
        assert x.pairs.min() >= 0.0
        assert x.pairs.max() <= 1.0 + 1e-12
        assert (x.pairs[:, 30] == 1.0).all()


@pytest.mark.spec("C54")
def test_full_days_have_ten_topics_of_at_most_fifteen_articles() -> None:
    day = news(n=1, n_test=1, topics=10, articles=15)[0]
    sizes = np.bincount(day.labels[0])
    assert len(sizes) == 10
    assert sizes.max() <= 15
    assert sizes.min() >= 8
    assert day.meta["about"].startswith("Made-up")


def test_words_of_a_stem_are_cut_to_it() -> None:
    words, stems = vocabulary()
    assert len(set(words)) == len(words) == 5 * (stems.max() + 1)
    assert {stem(word) for word in words[:5]} == {words[0]}


def mean_of(days: Dataset, feature: str, same: bool) -> float:
    at = days.meta["features"].index(feature)
    parts = [x.pairs[(together(y) > 0) == same, at] for x, y in zip(days.inputs, days.labels, strict=True)]
    return float(np.concatenate(parts).mean())


def test_words_tell_the_topic_while_failed_texts_share_long_runs_with_other_topics(days: Dataset) -> None:
    assert mean_of(days, "text: words, stemmed", True) > 2.0 * mean_of(days, "text: words, stemmed", False)
    at, found = days.meta["features"].index("text: triples of words"), []
    for x, y, failed in zip(days.inputs, days.labels, days.meta["failed"], strict=True):
        i, j = np.triu_indices(x.m, 1)
        blocks = (x.pairs[:, at] > 0.5) & (y[i] != y[j])
        assert (failed[i] & failed[j])[blocks].all()
        found.append(blocks.any())
    assert all(found)


def test_without_failures_no_texts_of_different_topics_share_long_runs() -> None:
    days = news(n=2, n_test=1, failures=0.0)[0]
    at = days.meta["features"].index("text: triples of words")
    for x, y in zip(days.inputs, days.labels, strict=True):
        assert x.pairs[together(y) == 0, at].max() < 0.1
    assert not np.concatenate(days.meta["failed"]).any()


def test_each_area_has_as_many_topics_as_asked_and_no_constant() -> None:
    train, test = news_areas(fold=7, articles=4)
    assert (len(train), len(test)) == (6, 1)
    assert train.meta["sets"] == AREAS[:6]
    assert test.meta["sets"] == ("World",)
    assert train.meta["features"] == FEATURES
    for x, y in zip(train.inputs, train.labels, strict=True):
        assert x.groups == int(y.max()) + 1 == 10


def test_the_same_seed_gives_the_same_news(days: Dataset) -> None:
    again = news(n=6, n_test=1)[0]
    assert np.array_equal(days.inputs[3].pairs, again.inputs[3].pairs)
    assert days.meta["texts"] == again.meta["texts"]
    assert news(n=1, n_test=1, seed=1)[0].meta["texts"][0] != days.meta["texts"][0]


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(Refused, match="there are 1 topics of 8 articles"):
        news(topics=1)
    with pytest.raises(Refused, match="in 0 sets"):
        news(n=0)
    with pytest.raises(Refused, match="failures is 2; it is a share"):
        news_areas(failures=2)
