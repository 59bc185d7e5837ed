"""A made-up treebank in two registers: the heads of two words depend on the register, which only the
vocabulary tells.

    [ADV .3] [DET .5] N V N [ADJ .8] N [P .7 [DET .5] N]         brackets: with this probability

The verb hangs on the root, nouns and ADV on the verb, DET on its noun, the last noun on P. In register a ADJ
hangs on the noun after it and P on the verb; in register b both hang on the noun before them. Words of N, V,
ADJ and ADV come with probability .6 from a list of 40 of the register, else from a list of 40 that both
share; the 4 DET and 6 P are shared. So tags alone cannot decide ADJ and P, a bag of words can. On average a
sentence has 7.4 words.
"""

from dataclasses import dataclass

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.knobs import knob, settings
from explorer.engine.structures.trees.sentences import sentence, treebank

TYPES = 40
FEW = {"DET": 4, "P": 6}
OWN = 0.6
REGISTERS = ("a", "b")


@dataclass
class Draft:
    """A sentence while it is written: tags and words, and heads that may point ahead."""

    register: str
    rng: np.random.Generator

    def __post_init__(self) -> None:
        self.tags: list[str] = []
        self.words: list[str] = []
        self.heads: list[int] = []

    def add(self, tag: str, head: int = 0) -> int:
        """One more word; returns its number."""
        self.tags.append(tag)
        self.words.append(self._word(tag))
        self.heads.append(head)
        return len(self.tags)

    def noun(self, head: int) -> int:
        """A noun, with a determiner of its own or not."""
        first = self.rng.random() < 0.5 and self.add("DET")
        found = self.add("N", head)
        if first:
            self.heads[first - 1] = found
        return found

    def _word(self, tag: str) -> str:
        if tag in FEW:
            return f"{tag.lower()}{self.rng.integers(FEW[tag])}"
        which = self.register if self.rng.random() < OWN else "both"
        return f"{tag.lower()}-{which}-{self.rng.integers(TYPES)}"


def register_treebank(n: int, n_test: int = 0, seed: int = 0) -> tuple[Dataset, Dataset | None]:
    """n training sentences and n_test test sentences of one draw; meta "register" says which is which."""
    rng = np.random.default_rng(seed)
    train = _drawn("register treebank", n, rng)
    return train, _drawn("register treebank, test", n_test, rng) if n_test else None


def _drawn(name: str, n: int, rng: np.random.Generator) -> Dataset:
    drafts = [_draft(REGISTERS[int(rng.integers(2))], rng) for _ in range(n)]
    inputs = [sentence(draft.words, draft.tags) for draft in drafts]
    return treebank(
        name, inputs, [draft.heads for draft in drafts], register=tuple(d.register for d in drafts)
    )


def _draft(register: str, rng: np.random.Generator) -> Draft:
    out = Draft(register, rng)
    adverb = out.add("ADV") if rng.random() < 0.3 else 0
    subject = out.noun(0)
    verb = out.add("V")
    for early in (adverb, subject):
        if early:
            out.heads[early - 1] = verb
    first = out.add("N", verb)
    adjective = out.add("ADJ") if rng.random() < 0.8 else 0
    second = out.add("N", verb)
    if adjective:
        out.heads[adjective - 1] = second if register == "a" else first
    if rng.random() < 0.7:
        preposition = out.add("P", verb if register == "a" else second)
        out.noun(preposition)
    return out


@settings
class RegisterTrees:
    """Dependency trees in two registers that differ in two heads; only the vocabulary tells which register it
    is.
    """

    n: int = knob(100, "Training sentences.", low=2, high=5000)
    n_test: int = knob(100, "Test sentences.", low=1, high=5000)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> tuple[Dataset, Dataset | None]:
        """Training and test sentences of the same draw."""
        return register_treebank(self.n, self.n_test, self.seed)
