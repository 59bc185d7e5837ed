"""Features of words, counted out by hand."""

import pytest

from explorer.engine.refusals import Refused
from explorer.estimators.text_features import TextFeatures, hash_features, shape


def test_every_feature_of_a_word_on_a_case_written_out() -> None:
    kit = TextFeatures(prefixes=2, suffixes=1, window=1, window_shape=1)
    first, last = kit(["UN-2002", "ve"])
    assert first == {
        "constant": True, "word": "UN-2002", "lower": "un-2002", "prefix1": "u", "prefix2": "un",
        "suffix1": "2", "shape": "XX-99", "capital": True, "capitals": True, "digit": True, "hyphen": True,
        "-1:lower": "<edge>", "+1:lower": "ve", "-1:shape": "<edge>", "+1:shape": "xx",
    }  # fmt: skip
    assert last == {
        "constant": True, "word": "ve", "lower": "ve", "prefix1": "v", "prefix2": "ve", "suffix1": "e",
        "shape": "xx", "-1:lower": "un-2002", "+1:lower": "<edge>", "-1:shape": "XX-99", "+1:shape": "<edge>",
    }  # fmt: skip


def test_features_can_be_left_out_and_added() -> None:
    bare = TextFeatures(
        word=False, lower=False, prefixes=0, suffixes=0, shape=False, flags=False, constant=False, window=0,
        window_shape=0, more=lambda words, t: {"length": len(words[t])},
    )  # fmt: skip
    assert bare(["Ana"]) == [{"length": 3}]
    tagged = TextFeatures(word=False)([("Ana", "N"), ("ve", "V")])
    assert (tagged[0]["tag"], tagged[0]["+1:tag"], tagged[0]["-1:tag"]) == ("N", "V", "<edge>")


def test_shapes_shorten_runs_to_two() -> None:
    assert [shape(word) for word in ("Ab-2002", "ÉXITO", "a", "")] == ["Xx-99", "XX", "x", ""]


def test_hashing_keeps_the_sum_of_values_in_few_columns() -> None:
    features = {"word": "Ana", "lower": "ana", "length": 3.0, "capital": True}
    found = hash_features(features, 2)
    assert set(found) <= {"h0", "h1"}
    assert sum(found.values()) == 1 + 1 + 3 + 1
    rows = TextFeatures(buckets=8).corpus([["Ana", "ve", "a", "Eva"]])[0]
    assert len({name for row in rows for name in row}) <= 8


def test_features_are_made_anew_for_every_call() -> None:
    kit = TextFeatures()
    kit(["Ana"])[0]["word"] = "changed"
    assert kit(["Ana"])[0]["word"] == "Ana"


def test_what_is_no_sentence_is_refused() -> None:
    for sentence in ("one text", [1, 2], [("a", "b", "c"), ("d",)]):
        with pytest.raises(Refused, match="give"):
            TextFeatures()(sentence)
    with pytest.raises(Refused, match="window"):
        TextFeatures(window=-1)
