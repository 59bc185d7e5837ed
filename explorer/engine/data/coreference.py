"""Documents whose mentions refer to entities: chains of which only the neighbouring links are easy to see.

    a document   E entities with 1.48 mentions on average: one each, and the other 0.48 E go to entities at
                 random, where those that have some get more (Dirichlet-multinomial); so most are single, and
                 a few are long chains
    a link       two mentions of an entity with none of it between them; it shows a few of LINKS, such as
                 "same head"
    any pair     flags of its two mentions, how far they are apart, and now and then a misleading sign of a
                 link

A pair that is coreferent but no link looks like any other: "Bush ... the president ... he". A classifier of
pairs thus sees mostly hopeless positives, while a clustering only needs the chain to hold. Signs are rare
among other pairs, but there are enough of those that a pair with a sign is often no link: joining it may
still pay. A stand-in for the MUC-6 documents of Finley 2009, section 3.6.1 (60 of them, 101 entities with
1.48 noun phrases, 53 features, 3.6% of the pairs coreferent), which are licensed: sizes and shares are like
theirs, words and features are made up. Cost: 53 draws for each pair.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from explorer.engine.contracts import Dataset
from explorer.engine.data.item_sets import halves, item_sets
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.item_sets import ItemSet, item_set
from explorer.engine.vectors import Array, Ints

MENTIONS = 1.48
MORE_OF_THE_SAME = 0.0224
"""The Dirichlet weight of an entity: with 101 of them 3.6% of the pairs are expected to be coreferent."""

KINDS = (
    ("same string", "same head", "same head and modifier", "shared words", "same proper name"),
    ("alias", "acronym", "initials", "same title and name", "nickname"),
    ("apposition", "predicate nominal", "synonyms", "hypernym", "same semantic class"),
    ("gender agrees", "number agrees", "person agrees", "animacy agrees", "pronoun fits"),
)
"""How a link may show: by its words, by another name, by what it is, by a pronoun that agrees."""

LINKS = tuple(name for kind in KINDS for name in kind)
FLAGS = (
    "pronoun",
    "proper name",
    "definite",
    "demonstrative",
    "indefinite",
    "subject",
    "object",
    "in quotes",
    "plural",
)
BOTH = ("pronouns", "proper names", "definite", "subjects", "in quotes")
DISTANCES = (
    "same sentence",
    "1 sentence apart",
    "2 sentences apart",
    "3 or more sentences apart",
    "next mention",
)
FEATURES = (
    *LINKS,
    *(f"first is {flag}" for flag in FLAGS),
    *(f"second is {flag}" for flag in FLAGS),
    *(f"both {flag}" for flag in BOTH),
    *DISTANCES,
    *("same paragraph", "same clause", "same verb", "same role", "sentence distance"),
)
SHARES = np.array([0.0, 0.35, 0.3, 0.08, 0.2, 0.35, 0.3, 0.15, 0.25])
"""How often a mention has each flag; that it is a pronoun is decided by its link."""

SHOWN, MISLEADING, LOOSE = 0.5, 0.01, 0.15
"""How likely a link shows a sign of its kind, any pair shows one, and two mentions share a paragraph, clause,
verb or role.
"""

FIRST = (
    "Ar",
    "Bel",
    "Cor",
    "Dan",
    "El",
    "Fen",
    "Gil",
    "Hol",
    "Im",
    "Jor",
    "Kes",
    "Lun",
    "Mar",
    "Nel",
    "Os",
    "Per",
)
LAST = (
    "a",
    "by",
    "den",
    "ford",
    "ian",
    "kin",
    "lo",
    "mond",
    "ner",
    "o",
    "rick",
    "son",
    "ton",
    "vik",
    "well",
    "wyn",
)
NOUNS = ("the mayor", "the firm", "the town", "the judge", "the team", "the writer")
PRONOUNS = ("he", "she", "it", "they", "his", "her")


def coreference(n: int = 15, n_test: int = 15, entities: int = 20, seed: int = 0) -> tuple[Dataset, Dataset]:
    """Training and test documents; meta["pronouns"] marks pronouns, meta["texts"] holds what each mention
    says and where.
    """
    if min(n, n_test) < 1 or not 2 <= entities <= 500:
        raise Refused(
            f"n is {n}, n_test {n_test} and entities {entities}; choose 1 or more, 1 or more, and 2 to 500"
        )
    rng = np.random.default_rng(seed)
    drawn = [_document(rng, entities) for _ in range(n + n_test)]
    each: dict[str, list[Any]] = {
        "pronouns": [pronoun for _, _, pronoun, _ in drawn],
        "texts": [texts for *_, texts in drawn],
    }
    about = "Made-up mentions in the order of a text; only neighbouring mentions of a chain look alike."
    return halves(
        item_sets("coreference", [x for x, *_ in drawn], [y for _, y, *_ in drawn], FEATURES, about, each), n
    )


def _document(rng: np.random.Generator, entities: int) -> tuple[ItemSet, Ints, Ints, tuple[str, ...]]:
    """One document: its mentions, their entities, which are pronouns, and what they say."""
    y = _entities(rng, entities)
    m = len(y)
    before = _antecedents(y)
    kind = np.where(before >= 0, rng.integers(len(KINDS), size=m), -1)
    flags = (rng.random((m, len(FLAGS))) < SHARES).astype(np.float64)
    flags[:, 0] = kind == len(KINDS) - 1
    sentence = np.cumsum(rng.random(m) < 0.4, dtype=np.int64)
    words = _words(rng, before, kind)
    rows = _pair_rows(rng, before, kind, flags, sentence)
    x = item_set(m, pairs=rows, names=words, where="a document")
    texts = tuple(f"sentence {s + 1}: {word}" for s, word in zip(sentence, words, strict=True))
    return x, y, flags[:, 0].astype(np.int64), texts


def _entities(rng: np.random.Generator, entities: int) -> Ints:
    """The entity of each mention in the order of the text."""
    more = round((MENTIONS - 1.0) * entities)
    shares = rng.gamma(MORE_OF_THE_SAME, size=entities)
    extra = (
        rng.multinomial(more, shares / shares.sum())
        if shares.sum() > 0.0
        else np.eye(entities, dtype=int)[0] * more
    )
    return rng.permutation(np.repeat(np.arange(entities), 1 + extra))


def _antecedents(y: Ints) -> Ints:
    """For each mention the closest earlier one of its entity, or -1."""
    order = np.argsort(y, kind="stable")
    same = np.r_[False, y[order][1:] == y[order][:-1]]
    out = np.full(len(y), -1, dtype=np.int64)
    out[order[same]] = order[np.flatnonzero(same) - 1]
    return out


def _pair_rows(rng: np.random.Generator, before: Ints, kind: Ints, flags: Array, sentence: Ints) -> csr_array:
    """The 53 features of all pairs."""
    i, j = np.triu_indices(len(before), 1)
    signs = rng.random((len(i), len(LINKS))) < MISLEADING
    of_kind = np.arange(len(LINKS)) // len(KINDS[0]) == kind[j][:, None]
    linked = (before[j] == i)[:, None] & of_kind
    signs |= linked & (rng.random(signs.shape) < SHOWN)
    apart = sentence[j] - sentence[i]
    near = np.column_stack([apart == 0, apart == 1, apart == 2, apart >= 3, j == i + 1])
    both = flags[i][:, [0, 1, 2, 5, 7]] * flags[j][:, [0, 1, 2, 5, 7]]
    loose = rng.random((len(i), 4)) < LOOSE
    return csr_array(
        np.column_stack([signs, flags[i], flags[j], both, near, loose, np.minimum(apart, 10) / 10.0])
    )


def _words(rng: np.random.Generator, before: Ints, kind: Ints) -> tuple[str, ...]:
    """What each mention says: its antecedent's words again, another name, a noun or a pronoun, as its link
    is.
    """
    names, said = _names(rng), list[str]()
    for t, nouns in enumerate(rng.integers(len(NOUNS), size=len(kind))):
        if kind[t] == 0:
            said.append(said[before[t]])
        elif kind[t] >= 2:
            said.append((NOUNS if kind[t] == 2 else PRONOUNS)[nouns])
        else:
            said.append(next(names))
    return tuple(said)


def _names(rng: np.random.Generator) -> Iterator[str]:
    """Names, each once."""
    while True:
        yield from (
            FIRST[a] + LAST[b] for a, b in rng.permutation(list(product(range(len(FIRST)), range(len(LAST)))))
        )


@settings
class Coreference:
    """Made-up mentions in the order of a text, in chains of which only neighbouring links are easy to see."""

    n: int = knob(15, "Training documents; the source has 30.", low=1, high=60)
    n_test: int = knob(15, "Test documents; the source has 30.", low=1, high=60)
    entities: int = knob(
        20, "Entities of a document, with 1.48 mentions on average; the source has 101.", low=2, high=150
    )
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> tuple[Dataset, Dataset | None]:
        """Training and test documents."""
        return coreference(self.n, self.n_test, self.entities, self.seed)
