"""News articles in topics: word sequences in five fields, compared by 30 cosines of TFIDF vectors.

    a vocabulary   made-up stems with English endings, by Zipf's law; some stems belong to a topic
    a topic        words of its own, and a few quotations that its articles repeat
    an article     a title, two tries at its headline, a text, what is quoted; a site that it comes from
    a failure      the extraction of an article's text ends in the site's own block of words, the same for
                   every article of it

    psi_ij = cosine for each of 5 fields x runs of 1, 2, 3 words x raw or stemmed words; 1 as the 31st feature
    if asked

Blocks that sites repeat make long runs of equal words mislead: as in the source, runs of three in the text
count against two articles. A stand-in for the Google News of 2004 in Finley 2009, sections 3.6.1 and 4.5.1
(at most 10 topics of at most 15 articles a day; 30 days, or 7 areas), whose pages are gone. Cost: about 0.1 s
for a day of 100 articles.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.data.item_sets import halves, item_sets, left_out
from explorer.engine.data.text_cosines import cosines, stems_of
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.item_sets import ItemSet, item_set
from explorer.engine.vectors import Array, Ints

FIELDS = ("title", "headline 1", "headline 2", "text", "quotes")
RUNS = {1: "words", 2: "pairs of words", 3: "triples of words"}
FEATURES = tuple(
    f"{field}: {run}{how}" for field in FIELDS for run in RUNS.values() for how in ("", ", stemmed")
)
AREAS = ("Business", "Entertainment", "Health", "Nation", "Sports", "Technology", "World")

SYLLABLES = (
    "ba",
    "cor",
    "dun",
    "el",
    "fri",
    "gol",
    "han",
    "im",
    "jul",
    "kar",
    "lem",
    "mon",
    "nar",
    "or",
    "pel",
    "qui",
)
SUFFIXES = ("", "s", "ed", "ing", "er")
FORMS = np.cumsum([0.45, 0.25, 0.1, 0.1])
STEMS, OWN, QUOTES, SITES, BLOCK, PLAIN = 1500, 40, 4, 5, 60, 0.9
"""Stems; those of a topic; its quotations; sites; words of a site's block; the share of plain words in a
text.
"""


@dataclass(frozen=True, slots=True)
class Article:
    """The words of every field, and whether the extraction of the text failed."""

    fields: tuple[Ints, ...]
    failed: bool


@lru_cache(maxsize=1)
def vocabulary() -> tuple[tuple[str, ...], Ints]:
    """All words, `len(SUFFIXES)` forms of each stem in turn, and the number of each word's stem."""
    short, long = (["".join(parts) for parts in product(SYLLABLES, repeat=r)] for r in (2, 3))
    stems = [*short, *long[:: len(long) // (STEMS - len(short))]][:STEMS]
    words = tuple(each + suffix for each in stems for suffix in SUFFIXES)
    return words, stems_of(words)


def news(
    n: int = 6, n_test: int = 6, topics: int = 6, articles: int = 8, failures: float = 0.3, seed: int = 0
) -> tuple[Dataset, Dataset]:
    """Training and test days with a constant feature; a topic has between half of `articles` and all."""
    _check(n + n_test if min(n, n_test) > 0 else 0, topics, articles, failures)
    about = "Made-up articles of one day, compared by their words; some texts are only a site's own block."
    return halves(
        _days(
            "news", [f"day {d + 1}" for d in range(n + n_test)], topics, articles, failures, seed, True, about
        ),
        n,
    )


def news_areas(
    fold: int = 1, topics: int = 10, articles: int = 8, failures: float = 0.3, seed: int = 0
) -> tuple[Dataset, Dataset]:
    """The articles of seven areas on one day, without a constant; one area is for testing."""
    return left_out(all_areas(topics, articles, failures, seed), fold)


def all_areas(topics: int = 10, articles: int = 8, failures: float = 0.3, seed: int = 0) -> Dataset:
    """All seven areas of one day."""
    _check(len(AREAS), topics, articles, failures)
    about = f"Made-up articles of one area of the news on one day, in {topics} topics."
    return _days("news areas", AREAS, topics, articles, failures, seed, False, about)


def _days(
    name: str, titles: Any, topics: int, articles: int, failures: float, seed: int, constant: bool, about: str
) -> Dataset:
    rng = np.random.default_rng(seed)
    blocks = [_plain(rng, BLOCK) for _ in range(SITES)]
    drawn = [_day(rng, blocks, topics, articles, failures) for _ in titles]
    inputs = [_set(each, topics, constant) for each, _ in drawn]
    each = {
        "sets": tuple(titles),
        "texts": [tuple(_shown(article) for article in day) for day, _ in drawn],
        "failed": [np.array([article.failed for article in day]) for day, _ in drawn],
    }
    return item_sets(
        name, inputs, [y for _, y in drawn], (*FEATURES, *(("1",) if constant else ())), about, each
    )


def _day(
    rng: np.random.Generator, blocks: list[Ints], topics: int, articles: int, failures: float
) -> tuple[list[Article], Ints]:
    """The articles of one day in any order, and their topics."""
    sizes = rng.integers((articles + 1) // 2, articles + 1, size=topics)
    y = rng.permutation(np.repeat(np.arange(topics), sizes))
    own = rng.permutation(STEMS)[: topics * OWN].reshape(topics, OWN)
    said = [[_about(rng, own[t], 12, 0.6) for _ in range(QUOTES)] for t in range(topics)]
    titles = [_about(rng, own[t], int(rng.integers(5, 10)), 0.3) for t in range(topics)]
    return [_article(rng, own[t], titles[t], said[t], blocks, failures) for t in y], y


def _article(
    rng: np.random.Generator, own: Ints, story: Ints, said: list[Ints], blocks: list[Ints], failures: float
) -> Article:
    title = _retold(rng, story, own, 0.7)
    headlines = [_retold(rng, title, own), _retold(rng, title, own) if rng.random() < 0.6 else title[:0]]
    quoted = np.concatenate([said[q] for q in np.flatnonzero(rng.random(QUOTES) < 0.25)] or [title[:0]])
    text = np.concatenate([_about(rng, own, int(rng.integers(60, 140)), PLAIN), quoted])
    failed = bool(rng.random() < failures)
    if failed:
        block = blocks[int(rng.integers(len(blocks)))]
        text = np.concatenate([text[: int(rng.integers(5, 25))], block])
    return Article((title, *headlines, text, quoted), failed)


def _plain(rng: np.random.Generator, count: int) -> Ints:
    """Words of the language at large, in any of their forms."""
    rank = np.minimum(rng.zipf(1.3, size=count) - 1, STEMS - 1)
    return _formed(rng, rank)


def _formed(rng: np.random.Generator, stems: Ints) -> Ints:
    """Stems as words, each in one of its forms."""
    return stems * len(SUFFIXES) + np.searchsorted(FORMS, rng.random(len(stems)))


def _about(rng: np.random.Generator, own: Ints, count: int, plain: float) -> Ints:
    """Words of which a share is plain and the others are a topic's own."""
    return np.where(rng.random(count) < plain, _plain(rng, count), _formed(rng, rng.choice(own, size=count)))


def _retold(rng: np.random.Generator, title: Ints, own: Ints, share: float = 0.3) -> Ints:
    """A title with a share of its words replaced."""
    return np.where(rng.random(len(title)) < share, _about(rng, own, len(title), 0.5), title)


def _set(day: list[Article], topics: int, constant: bool) -> ItemSet:
    words, _ = vocabulary()
    columns = similarities(day)
    if constant:
        columns = np.column_stack([columns, np.ones(len(columns))])
    names = [" ".join(words[w] for w in article.fields[0][:3]) for article in day]
    return item_set(len(day), pairs=columns, names=names, groups=topics, where="a day of news")


def similarities(day: list[Article]) -> Array:
    """The 30 cosines of all pairs."""
    words, stems = vocabulary()
    found = []
    for f in range(len(FIELDS)):
        raw = [article.fields[f] for article in day]
        stemmed = [stems[text] for text in raw]
        found += [cosines(texts, run, len(words)) for run in RUNS for texts in (raw, stemmed)]
    return np.column_stack(found)


def _shown(article: Article) -> str:
    """The title, and how the text begins."""
    words, _ = vocabulary()
    title, text = (" ".join(words[w] for w in part) for part in (article.fields[0], article.fields[3][:12]))
    return f"{title}: {text} ..."


def _check(sets: int, topics: int, articles: int, failures: float) -> None:
    if sets < 1 or not 2 <= topics <= STEMS // OWN or articles < 2:
        raise Refused(
            f"there are {topics} topics of {articles} articles in {sets} sets; choose 1 set or more of 2 to "
            f"{STEMS // OWN} topics with 2 articles or more"
        )
    if not 0.0 <= failures <= 1.0:
        raise Refused(f"failures is {failures}; it is a share, choose 0 to 1")


@settings
class News:
    """Made-up articles of one day in topics, compared by 30 cosines of their words; some texts are a site's
    own block.
    """

    n: int = knob(6, "Training days; the source has 15.", low=1, high=30)
    n_test: int = knob(6, "Test days; the source has 15.", low=1, high=30)
    topics: int = knob(6, "Topics of a day; the source has up to 10.", low=2, high=10)
    articles: int = knob(8, "Most articles of a topic; the source has up to 15.", low=2, high=15)
    failures: float = knob(
        0.3, "How often the extraction of a text ends in the site's own block.", low=0.0, high=1.0
    )
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> tuple[Dataset, Dataset | None]:
        """Training and test days, with a constant feature."""
        return news(self.n, self.n_test, self.topics, self.articles, self.failures, self.seed)


@settings
class NewsAreas:
    """Made-up articles of seven areas of the news on one day, in ten topics each."""

    topics: int = knob(10, "Topics of an area.", low=2, high=10)
    articles: int = knob(8, "Most articles of a topic; the source has up to 15.", low=2, high=15)
    failures: float = knob(
        0.3, "How often the extraction of a text ends in the site's own block.", low=0.0, high=1.0
    )
    fold: int = knob(1, "Which of the seven areas is for testing.", low=1, high=7)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> tuple[Dataset, Dataset | None]:
        """Six areas, and the seventh."""
        return news_areas(self.fold, self.topics, self.articles, self.failures, self.seed)
