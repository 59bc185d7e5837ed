"""Families of clusterings: every generator with its settings, as one record of knobs whose `make` gives
training and test sets.

The last knobs of each are about the problem, not the data: which weights are allowed, whether the oracle is
told the loss, and which sums of pairs are its features. `similarity` says what is made of the features of a
pair: themselves, coordinates in which a kernel of pairs is an inner product, or all products of two items'
features (Finley 2009, section 6.4).
"""

from typing import Any

from explorer.engine.contracts import Dataset
from explorer.engine.data import (
    clouds,
    cluster_figures,
    cluster_synth,
    coreference,
    item_sets,
    marbles,
    news,
    web_pages,
)
from explorer.engine.data.readers import webkb
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.kernel_features import (
    MOST_NUMBERS,
    MOST_PAIRS,
    full_matrix,
    kernelised,
    matrix_numbers,
)
from explorer.engine.structures.clusterings.pair_kernels import RBF, Polynomial
from explorer.engine.structures.clusterings.partitions import pair_count

LINEAR, DIAGONAL, FULL = "linear", "diagonal", "full matrix"
KERNELS = (Polynomial.title, RBF.title)

Pair = tuple[Dataset, Dataset | None]


def _seed() -> Any:
    return knob(0, "Which random draw.", low=0, high=9999)


def _weights() -> Any:
    return knob(
        "free",
        "Whether weights may be negative; if not, and all features are kernels, so is the similarity.",
        choices=("free", "non-negative"),
    )


def _loss_in_oracle() -> Any:
    return knob(
        True, "Tell the training oracle the loss; the cut that it finds is charged with it in any case."
    )


def _normalise() -> Any:
    return knob(
        True,
        "Divide the sum of features by the squared number of items, so that sets of any size count alike.",
    )


def _similarity() -> Any:
    return knob(
        LINEAR, "A weighted sum of pair features, or of functions of them.", choices=(LINEAR, *KERNELS)
    )


def _degree() -> Any:
    return knob(
        2, "Of a polynomial similarity: how many pair features are multiplied at most.", low=1, high=6
    )


def _sharpness() -> Any:
    return knob(
        1.0,
        "Of an RBF similarity: how fast likeness falls with the squared distance of pair features.",
        low=1e-4,
        high=1e4,
        log=True,
    )


def _kernelised(made: tuple[Dataset, Dataset], family: "Clouds | Marbles", size: str) -> Pair:
    """Both in the coordinates of the training pairs; `size` names the knobs that make fewer of these."""
    (train, test), similarity = made, family.similarity
    if similarity == LINEAR:
        return made
    count = sum(pair_count(x.m) for x in train.inputs)
    if count > MOST_PAIRS:
        raise Refused(
            f"{train.name} has {count:,} training pairs, and similarity {similarity!r} compares every two "
            "of at most "
            f"{MOST_PAIRS:,}; lower {size}, or choose similarity {LINEAR!r}"
        )
    if family.weights != "free":
        raise Refused(
            f"similarity {similarity!r} weighs coordinates whose signs mean nothing; choose free weights"
        )
    kernel = RBF(family.sharpness) if similarity == RBF.title else Polynomial(family.degree)
    bent, found = kernelised(train, kernel)
    return bent, found.dataset(test)


def _diagonal() -> Any:
    return knob(False, "Count every pair in both orders, and items with themselves, as trace(Y' K Y) does.")


@settings
class Figures:
    """Figures of the thesis with their printed similarity as a feature of each pair: w = (1, 0) shows the
    figure.
    """

    which: str = knob("figure 1.1 corrected", "Which figure.", choices=cluster_figures.FIGURES)
    weights: str = _weights()
    loss_in_oracle: bool = _loss_in_oracle()
    normalise: bool = knob(
        False, "Divide the sum of features by the squared number of items; the figures do not."
    )

    def make(self) -> Pair:
        """The one example; there is nothing to test on."""
        return cluster_figures.figure_set(self.which), None


@settings
class Synth:
    """Pairs of points that tell, through noise, from which two of five clusters they come."""

    n: int = knob(5, "Sets of points; one of them is for testing.", low=2, high=50)
    groups: int = knob(5, "Clusters of a set.", low=2, high=20)
    per_group: int = knob(20, "Points of each cluster.", low=2, high=100)
    features: int = knob(50, "Features for each pair of clusters.", low=1, high=1000)
    active: int = knob(5, "How many of them a pair of points turns on.", low=1, high=50)
    noise: float = knob(
        0.48,
        "How likely a point's cluster is mistaken for a random one; the thesis prints 0.20.",
        low=0.0,
        high=0.8,
    )
    fold: int = knob(1, "Which set is for testing, from 1 to the number of sets.", low=1, high=50)
    seed: int = _seed()
    weights: str = _weights()
    loss_in_oracle: bool = _loss_in_oracle()
    diagonal: bool = _diagonal()

    def make(self) -> Pair:
        """All sets but one, and that one."""
        sizes = (self.n, self.groups, self.per_group, self.features, self.active)
        return item_sets.left_out(cluster_synth.make_synth(*sizes, self.noise, self.seed), self.fold)


@settings
class Clouds:
    """Points in the plane whose groups lie side by side, while the other axis says nothing."""

    n: int = knob(6, "Training sets.", low=1, high=100)
    n_test: int = knob(6, "Test sets.", low=1, high=100)
    points: int = knob(18, "Points of each set.", low=4, high=200)
    groups: int = knob(4, "Most groups; every set has 2 up to this many.", low=2, high=12)
    noise: float = knob(
        0.08, "Standard deviation within a group, whose neighbours are 1 or more away.", low=0.0, high=1.0
    )
    seed: int = _seed()
    weights: str = _weights()
    loss_in_oracle: bool = _loss_in_oracle()
    normalise: bool = _normalise()
    similarity: str = _similarity()
    degree: int = _degree()
    sharpness: float = _sharpness()

    def make(self) -> Pair:
        """Training and test sets of the same draw."""
        drawn = clouds.clouds(self.n, self.n_test, self.points, self.groups, self.noise, self.seed)
        return _kernelised(drawn, self, "n or points")


@settings
class Moons:
    """Two half circles of points that reach into each other, so that only near neighbours tell."""

    n: int = knob(6, "Training sets.", low=1, high=100)
    n_test: int = knob(6, "Test sets.", low=1, high=100)
    points: int = knob(30, "Points of each set.", low=4, high=200)
    noise: float = knob(
        0.04, "Standard deviation around the half circles, which are 0.4 or more apart.", low=0.0, high=0.5
    )
    seed: int = _seed()

    def make(self) -> Pair:
        """Training and test sets of the same draw."""
        return clouds.moons(self.n, self.n_test, self.points, self.noise, self.seed)


@settings
class LinkFigure:
    """Six points in two clusters, which two weightings find through different links."""

    def make(self) -> Pair:
        """The one example; there is nothing to test on."""
        return clouds.link_figure(), None


@settings
class Marbles:
    """Marbles in groups by hue, where testing has other colours than training."""

    n: int = knob(5, "Training sets, in red, green and blue.", low=1, high=100)
    n_test: int = knob(5, "Test sets, in yellow, cyan and magenta.", low=1, high=100)
    per_group: int = knob(20, "Marbles of each colour.", low=2, high=200)
    spread: float = knob(8.0, "Standard deviation of a colour's hue in degrees.", low=0.0, high=20.0)
    nearest: bool = knob(
        False, "Also say which training hue is nearest to each marble; of no use for other colours."
    )
    seed: int = _seed()
    weights: str = _weights()
    loss_in_oracle: bool = _loss_in_oracle()
    normalise: bool = _normalise()
    similarity: str = _similarity()
    degree: int = _degree()
    sharpness: float = _sharpness()

    def make(self) -> Pair:
        """Training and test sets of different colours."""
        drawn = marbles.marbles(self.n, self.n_test, self.per_group, self.spread, self.nearest, self.seed)
        return _kernelised(drawn, self, "n or per_group")


@settings
class Coreference:
    """Made-up mentions in the order of a text, in chains of which only neighbouring links are easy to see."""

    n: int = knob(15, "Training documents; the source has 30.", low=1, high=60)
    n_test: int = knob(15, "Test documents; the source has 30.", low=1, high=60)
    entities: int = knob(
        20, "Entities of a document, with 1.48 mentions on average; the source has 101.", low=2, high=150
    )
    seed: int = _seed()
    weights: str = _weights()
    loss_in_oracle: bool = _loss_in_oracle()
    normalise: bool = _normalise()

    def make(self) -> Pair:
        """Training and test documents."""
        return coreference.coreference(self.n, self.n_test, self.entities, self.seed)


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
    seed: int = _seed()
    weights: str = _weights()
    loss_in_oracle: bool = _loss_in_oracle()
    normalise: bool = _normalise()

    def make(self) -> Pair:
        """Training and test days, with a constant feature."""
        return news.news(self.n, self.n_test, self.topics, self.articles, self.failures, self.seed)


@settings
class NewsAreas:
    """Made-up articles of seven areas of the news on one day, in ten topics each."""

    topics: int = knob(10, "Topics of an area.", low=2, high=10)
    articles: int = knob(8, "Most articles of a topic; the source has up to 15.", low=2, high=15)
    failures: float = knob(
        0.3, "How often the extraction of a text ends in the site's own block.", low=0.0, high=1.0
    )
    fold: int = knob(1, "Which of the seven areas is for testing.", low=1, high=7)
    seed: int = _seed()
    weights: str = _weights()
    loss_in_oracle: bool = _loss_in_oracle()
    diagonal: bool = _diagonal()

    def make(self) -> Pair:
        """Six areas, and the seventh."""
        return news.news_areas(self.fold, self.topics, self.articles, self.failures, self.seed)


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
    seed: int = _seed()
    weights: str = _weights()
    loss_in_oracle: bool = _loss_in_oracle()
    diagonal: bool = _diagonal()
    similarity: str = knob(
        DIAGONAL,
        "Compare every word with itself only, or with every other word too.",
        choices=(DIAGONAL, FULL),
    )

    def make(self) -> Pair:
        """All universities but one, and that one."""
        if self.similarity == FULL:
            self._check_words()
        train, test = web_pages.web_pages(self.sets, self.pages, self.words, self.links, self.fold, self.seed)
        return (full_matrix(train), full_matrix(test)) if self.similarity == FULL else (train, test)

    def _check_words(self) -> None:
        """Refuse before the pages are drawn what would not fit, or would leave items themselves without
        features.
        """
        if self.diagonal:
            raise Refused(
                f"{FULL} has no features of items with themselves; turn diagonal off, or choose {DIAGONAL!r}"
            )
        most = max((v for v in range(1, self.words + 1) if self._numbers(v) <= MOST_NUMBERS), default=0)
        if most < self.words:
            fix = f"choose at most {most} words" if most >= 20 else "lower pages"
            raise Refused(f"{FULL} of {self.words} words has {self._numbers(self.words):,} numbers; {fix}")

    def _numbers(self, words: int) -> int:
        """What all universities together would write out."""
        return self.sets * matrix_numbers(self.pages, words, 3 * words + 2 if self.links else words)


@settings
class WebKB:
    """Real web pages of two computer science departments, from the folder that EXPLORER_DATA names."""

    links: bool = knob(True, "Use links and co-citations, not only words.")
    fold: int = knob(1, "Which department is for testing: 1 Texas, 2 Wisconsin.", low=1, high=3)
    weights: str = _weights()
    loss_in_oracle: bool = _loss_in_oracle()
    diagonal: bool = _diagonal()

    def make(self) -> Pair:
        """All departments but one, and that one."""
        return webkb.webkb(self.links, self.fold)


AnyClusters = (
    Figures
    | Synth
    | Clouds
    | Moons
    | LinkFigure
    | Marbles
    | Coreference
    | News
    | NewsAreas
    | WebPages
    | WebKB
)
