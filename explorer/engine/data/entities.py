"""Made-up sentences with names in them: nine tags, as in the shared task on named entities.

A word is outside of names (O), or begins or continues one of a person, an organisation, a place or something
else. A name begins with probability 0.12 and goes on with probability 0.4, so most tags are O; words are
those of `words`, whose prefixes, suffixes and neighbours overlap, which a generative model of single words
cannot use. A stand-in for the Spanish newswire of CoNLL 2002. Cost: as `words`.
"""

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.data.words import Grammar, sparse_tagging
from explorer.engine.knobs import knob, settings

KINDS = ("LOC", "MISC", "ORG", "PER")
BEGIN, GO_ON = 0.12, 0.4


def entity_grammar() -> Grammar:
    """The nine tags, and how they follow each other: I-X only behind B-X and I-X."""
    states = (*(f"B-{kind}" for kind in KINDS), *(f"I-{kind}" for kind in KINDS), "O")
    first = np.array([BEGIN / len(KINDS)] * len(KINDS) + [0.0] * len(KINDS) + [1.0 - BEGIN])
    after = np.tile(first, (len(states), 1))
    for k in range(len(KINDS)):
        for row in (k, len(KINDS) + k):
            after[row] = (1.0 - GO_ON) * first
            after[row, len(KINDS) + k] = GO_ON
    return Grammar(states, first, after)


@settings
class Names:
    """Sentences with names of people, places and organisations in them, made up."""

    n: int = knob(100, "Training sentences.", low=2, high=20_000)
    n_test: int = knob(50, "Test sentences.", low=1, high=5000)
    vocabulary: int = knob(1000, "Different words.", low=20, high=200_000)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> tuple[Dataset, Dataset | None]:
        """Training and test sentences."""
        grammar = entity_grammar()
        words, seed = self.vocabulary, self.seed
        return sparse_tagging(self.n, self.n_test, words, length=(5, 20), seed=seed, grammar=grammar)
