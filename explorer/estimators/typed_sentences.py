"""A sentence that somebody types: its tags, how sure the tagger is of each, and what would change them.

For word t, margin_t = best score of a labelling with the chosen tag at t - best score with any other tag
there (max-marginals, exact). A reason is a change that alone gives the word another tag: another spelling, or
the lack of one of its features or of all of one kind; it is found by decoding the changed sentence. Cost: a
decoding for every change, at most MOST_TRIES of them.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from explorer.engine.data.readers.conll import WordFeatures, token_features
from explorer.engine.refusals import Refused
from explorer.estimators.chains import SequenceTagger

MOST_WORDS, MOST_TRIES = 60, 2_500
MARKS = re.compile(r"([.,;:!?()\"])")
"""Set apart from the word before them, as treebanks have it."""


KINDS = {
    "without what it is spelled like": re.compile(r"[wlspf]=|capitals?$|digit$|hyphen$"),
    "without the words before it": re.compile(r"-\d"),
    "without the words after it": re.compile(r"\+\d"),
    "without the columns beside it": re.compile(r"([-+]1)?c\d"),
}
"""What a word may lack, and the names of its features (see `readers.conll`)."""


class Reason(NamedTuple):
    """With this change alone the word has another tag."""

    change: str
    tag: str


class TaggedWord(NamedTuple):
    """A word with its tag, the best other tag, how much worse that is, and what the tag hangs on."""

    word: str
    tag: str
    rival: str
    margin: float
    reasons: tuple[Reason, ...]


class TypedSentence(NamedTuple):
    """What a tagger says of a sentence: its words, the score, and the next best labelling with its score."""

    words: tuple[TaggedWord, ...]
    score: float
    second: tuple[str, ...]
    second_score: float


def takes_sentences(model: Any) -> bool:
    """Whether a model can tag what is typed: it was trained on words in columns, or makes its features."""
    reading = getattr(model, "reading_", None) or {}
    made = reading.get("format") == "columns" or getattr(model, "features", None) is not None
    return isinstance(model, SequenceTagger) and made


def words_of(text: str) -> list[str]:
    """The words and marks of a typed sentence."""
    words = MARKS.sub(r" \1 ", text).split()
    if not words:
        raise Refused("there is no word yet; type a sentence")
    if len(words) > MOST_WORDS:
        raise Refused(f"the sentence has {len(words)} words; give {MOST_WORDS} at most")
    return words


def tag_sentence(model: SequenceTagger, text: str) -> TypedSentence:
    """The tags of a typed sentence, and what they hang on; a column beside the word follows it after a bar,
    as in Ada|NNP.
    """
    if not takes_sentences(model):
        raise Refused("only a tagger of words can read a sentence; train one on words in columns")
    parts = [word.split("|") for word in words_of(text)]
    words = [part[0] or "|" for part in parts]
    rows = feature_rows(model, words, parts)
    names = [str(name) for name in model.classes_.tolist()]
    through = model.decision_function([rows])[0]
    tags = [str(tag) for tag in model.predict([rows])[0]]
    ranked: list[tuple[list[Any], float]] = model.predict_k_best([rows], 2)[0]
    second = ranked[1] if len(ranked) > 1 else ([], 0.0)
    found = [word_of(w, tag, scores, names) for w, tag, scores in zip(words, tags, through, strict=True)]
    reasons = reasons_of(model, words, parts, rows, tags)
    return TypedSentence(
        tuple(one._replace(reasons=tuple(why)) for one, why in zip(found, reasons, strict=True)),
        float(ranked[0][1]),
        tuple(map(str, second[0])),
        float(second[1]),
    )


def feature_rows(
    model: SequenceTagger, words: Sequence[str], parts: Sequence[Sequence[str]]
) -> list[list[str]]:
    """The names of the features of every word, as the model's training file had them."""
    reading = getattr(model, "reading_", None)
    if reading is None:
        assert model.features is not None
        return [
            [name if value is True else f"{name}={value}" for name, value in row.items()]
            for row in model.features(list(words))
        ]
    between = [tuple((list(part[1:]) + ["_"] * reading["between"])[: reading["between"]]) for part in parts]
    return token_features(words, between, WordFeatures(**reading["features"]))


def word_of(word: str, tag: str, scores: Any, names: Sequence[str]) -> TaggedWord:
    """A word with its runner-up."""
    own = scores[names.index(tag)]
    others = np.where(np.array(names) == tag, -np.inf, scores)
    rival = int(np.argmax(others))
    return TaggedWord(word, tag, names[rival], float(own - others[rival]), ())


def reasons_of(
    model: SequenceTagger, words: list[str], parts: list[list[str]], rows: list[list[str]], tags: list[str]
) -> list[list[Reason]]:
    """For every word what gives it another tag: a spelling, or the lack of features."""
    tries = [
        *((t, *change) for t in range(len(words)) for change in spellings(model, words, parts, t)),
        *((t, *change) for t in range(len(words)) for change in losses(model, rows, t)),
    ][:MOST_TRIES]
    answers = model.predict([changed for *_, changed in tries]) if tries else []
    found: list[list[Reason]] = [[] for _ in rows]
    for (t, what, _), answer in zip(tries, answers, strict=True):
        if str(answer[t]) != tags[t]:
            found[t].append(Reason(what, str(answer[t])))
    return found


def spellings(
    model: SequenceTagger, words: list[str], parts: list[list[str]], t: int
) -> Iterator[tuple[str, list[list[str]]]]:
    """The sentence with another spelling of one word."""
    word = words[t]
    for what, other in (("in lower case", word.lower()), ("with a capital", word[:1].upper() + word[1:])):
        if other != word:
            changed = [*words[:t], other, *words[t + 1 :]]
            yield what, feature_rows(model, changed, parts)


def losses(model: SequenceTagger, rows: list[list[str]], t: int) -> Iterator[tuple[str, list[list[str]]]]:
    """The sentence without one feature of a word, or without all of one kind."""
    names = [name for name in rows[t] if name != "1" and has_weight(model, name)]
    groups = {what: [name for name in names if kind.match(name)] for what, kind in KINDS.items()}
    single = {f"without {name}": [name] for name in names}
    for what, gone in {**single, **{what: one for what, one in groups.items() if len(one) > 1}}.items():
        yield what, [*rows[:t], [name for name in rows[t] if name not in gone], *rows[t + 1 :]]


def has_weight(model: SequenceTagger, name: str) -> bool:
    """Whether the model has a weight for a feature."""
    return model.columns_ is not None and any(name in table for table in model.columns_.texts.values())


__all__ = ["Reason", "TaggedWord", "TypedSentence", "tag_sentence", "takes_sentences", "words_of"]
