"""Web pages of universities: words of every page, who links to whom, and who is cited together.

    words       each of 6 kinds of page has words of its own, each university too, and most words say nothing
    links       a page links to others by chance p(kind, kind'): courses to faculty, projects to staff, ...
    hubs        for every kind some pages that list its pages, so that two pages cited together are often of
                one kind

    psi_ij = [x_i * x_j ; linked_ij [x_i * x_j ; 1] ; co-cited_ij [x_i * x_j ; 1]],     x = TFIDF of the words

A stand-in for WebKB as used in Finley 2009, section 4.5.1 (4 universities, 6 kinds, 1,041 pages on average):
WebKB-L with links, WebKB-N without. The number of weights is V, or 3 V + 2 with links. Cost: one draw for
each word of a page and for each pair of pages.
"""

import numpy as np
from scipy.sparse import csr_array

from explorer.engine.contracts import Dataset
from explorer.engine.data.item_sets import item_sets, left_out, related_names
from explorer.engine.data.text_cosines import tfidf_rows
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.item_sets import ItemSet, item_set
from explorer.engine.vectors import Array, Ints

KINDS = ("course", "department", "faculty", "project", "staff", "student")
PLACES = ("Cornell", "Texas", "Washington", "Wisconsin")
TOPICAL, LOCAL, LENGTH = 0.12, 0.25, 40
"""Shares of the words of a page that belong to its kind and to its university, and how many words it has on
average.
"""


def web_pages(
    sets: int = 4, pages: int = 60, words: int = 200, links: bool = True, fold: int = 1, seed: int = 0
) -> tuple[Dataset, Dataset]:
    """All universities but one to train on, and that one to test on; a sixth of the pages is of each kind."""
    return left_out(all_pages(sets, pages, words, links, seed), fold)


def all_pages(sets: int = 4, pages: int = 60, words: int = 200, links: bool = True, seed: int = 0) -> Dataset:
    """Every university of one draw."""
    if sets < 1 or pages < len(KINDS) or words < 20:
        raise Refused(
            f"sets is {sets}, pages {pages} and words {words}; choose at least 1, {len(KINDS)} and 20"
        )
    rng = np.random.default_rng(seed)
    of_kind = rng.dirichlet(np.full(words, 0.05), size=len(KINDS))
    chance = rng.uniform(0.0, 0.06, size=(len(KINDS), len(KINDS)))
    drawn = [_university(rng, of_kind, chance, pages, links) for _ in range(sets)]
    names = tuple(f"word {v + 1}" for v in range(words))
    features = related_names(names, ("linked", "co-cited") if links else ())
    about = "Made-up pages of one university, of six kinds, told by their words" + (
        " and by links." if links else "."
    )
    places = tuple(PLACES[s] if s < len(PLACES) else f"university {s + 1}" for s in range(sets))
    texts = [tuple(f"{KINDS[k]} page" for k in y) for _, y in drawn]
    each = {"sets": places, "texts": texts}
    return item_sets(
        "web pages", [x for x, _ in drawn], [y for _, y in drawn], features, about, each, kinds=KINDS
    )


def _university(
    rng: np.random.Generator, of_kind: Array, chance: Array, pages: int, links: bool
) -> tuple[ItemSet, Ints]:
    """The pages of one university, and their kinds."""
    y = rng.permutation(np.arange(pages) % len(KINDS))
    local = rng.dirichlet(np.full(of_kind.shape[1], 0.05))
    share = TOPICAL * of_kind[y] + LOCAL * local + (1.0 - TOPICAL - LOCAL) / of_kind.shape[1]
    counts = np.stack(
        [rng.multinomial(size, p) for size, p in zip(rng.poisson(LENGTH, pages), share, strict=True)]
    )
    rows = tfidf_rows(csr_array(counts.astype(np.float64)))
    cites = (rng.random((pages, pages)) < chance[y][:, y]).astype(np.int64)
    relations = (
        (linked_pairs(np.argwhere(cites)), cited_pairs(np.vstack([cites, _hubs(rng, y)]))) if links else ()
    )
    names = [f"{KINDS[k]} {i + 1}" for i, k in enumerate(y)]
    return item_set(pages, rows, relations, names=names, groups=len(KINDS), where="a university"), y


def _hubs(rng: np.random.Generator, y: Ints) -> Ints:
    """Lists of pages from outside: two for every kind, each with half of its pages and a few others."""
    kind = np.repeat(np.arange(len(KINDS)), 2)
    return (rng.random((len(kind), len(y))) < np.where(kind[:, None] == y[None, :], 0.5, 0.02)).astype(
        np.int64
    )


def linked_pairs(cites: Ints) -> Ints:
    """The pairs of which one cites the other, whatever the direction."""
    ends = np.sort(np.asarray(cites, dtype=np.int64).reshape(-1, 2), axis=1)
    return np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)


def cited_pairs(cites: Ints) -> Ints:
    """The pairs of columns that some row cites both."""
    return np.argwhere(np.triu(cites.T @ cites, 1) > 0)


@settings
class WebPages:
    """Made-up pages of universities in six kinds, told by their words, by links and by being cited
    together.
    """

    sets: int = knob(4, "Universities; one of them is for testing.", low=2, high=12)
    pages: int = knob(60, "Pages of each.", low=6, high=1000)
    words: int = knob(200, "Different words.", low=20, high=5000)
    links: bool = knob(True, "Use links and co-citations, not only words.")
    fold: int = knob(1, "Which university is for testing, from 1 to their number.", low=1, high=12)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> tuple[Dataset, Dataset | None]:
        """All universities but one, and that one."""
        return web_pages(self.sets, self.pages, self.words, self.links, self.fold, self.seed)
