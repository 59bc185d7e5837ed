"""Annotated sentences, and the discrete structures that dependency learning compares: a tree is a set of
edges (head, dependent).

A token has four layers: the word as written, its lemma, a coarse and a fine part of speech. Node 0 stands for
the root and has a symbol of its own in every layer. Pfahler 2015, sections 2.1 and 6.1.1.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from explorer.engine.contracts import Dataset
from explorer.engine.refusals import Refused
from explorer.engine.structures.trees.heads import checked_heads

LAYERS = ("words", "lemmas", "tags", "fine tags")


@dataclass(frozen=True, slots=True)
class Sentence:
    """Words with their lemmas and parts of speech, all of one length."""

    words: tuple[str, ...]
    lemmas: tuple[str, ...]
    tags: tuple[str, ...]
    fine: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.words)

    def layer(self, name: str) -> tuple[str, ...]:
        """The symbols of one layer."""
        return {"words": self.words, "lemmas": self.lemmas, "tags": self.tags, "fine tags": self.fine}[name]


def sentence(
    words: Iterable[str],
    tags: Iterable[str],
    lemmas: Iterable[str] | None = None,
    fine: Iterable[str] | None = None,
) -> Sentence:
    """A checked sentence; without lemmas the words in lower case stand for them, without fine tags the coarse
    ones.
    """
    w, t = tuple(words), tuple(tags)
    small = tuple(word.lower() for word in w) if lemmas is None else tuple(lemmas)
    found = Sentence(w, small, t, t if fine is None else tuple(fine))
    if not w:
        raise Refused("a sentence has no words; leave it out, or give it some")
    for name in LAYERS:
        if len(found.layer(name)) != len(w):
            raise Refused(
                f"{' '.join(w)!r} has {len(w)} words and {len(found.layer(name))} {name}; give one each"
            )
    return found


def treebank(name: str, inputs: Sequence[Sentence], labels: Sequence[Any], **meta: Any) -> Dataset:
    """A checked data set of sentences whose labels are trees."""
    return checked_treebank(Dataset(name, tuple(inputs), tuple(labels), meta))


def checked_sentence(x: Any, place: str) -> Sentence:
    """A sentence with at least one word, or Refused."""
    if not isinstance(x, Sentence):
        raise Refused(f"{place} is of type {type(x).__name__}; give a Sentence, or many to `predict_many`")
    if len(x) == 0 or {len(x.lemmas), len(x.tags), len(x.fine)} != {len(x)}:
        raise Refused(f"{place} has {len(x)} words; give at least one, with a lemma and two tags each")
    return x


def checked_treebank(dataset: Dataset) -> Dataset:
    """The same data with every label a read-only tree of its sentence, or Refused."""
    inputs, labels = tuple(dataset.inputs), tuple(dataset.labels)
    if not labels:
        raise Refused("the treebank is empty; give at least one sentence")
    if len(inputs) != len(labels):
        raise Refused(
            f"there are {len(inputs)} sentences and {len(labels)} trees; give one tree for every sentence"
        )
    for i, x in enumerate(inputs):
        if not isinstance(x, Sentence):
            raise Refused(
                f"example {i} is a {type(x).__name__}; make it with sentences.sentence(words, tags)"
            )
    heads = (
        checked_heads(y, len(x), f"the tree of sentence {i}", tree=True)
        for i, (x, y) in _both(inputs, labels)
    )
    return replace(dataset, inputs=inputs, labels=tuple(heads))


def _both(inputs: Sequence[Sentence], labels: Sequence[Any]) -> Iterable[tuple[int, tuple[Sentence, Any]]]:
    return enumerate(zip(inputs, labels, strict=True))
