"""Families of data: every generator with its settings, as one record of knobs whose `make` gives training and
test data.
"""

from explorer.engine.contracts import Dataset
from explorer.engine.data import blocks, digits, hmm, karate, multilabel, stripes, toys, trees, words
from explorer.engine.knobs import knob, settings

Pair = tuple[Dataset, Dataset | None]


@settings
class FourPoints:
    """Four points on a line, the toy of the objective-surface figure."""

    def make(self) -> Pair:
        """The four points; there is nothing to test on."""
        return toys.four_points(), None


@settings
class Circle:
    """Twelve points on a circle in three classes, one of them mislabelled."""

    def make(self) -> Pair:
        """The twelve points; there is nothing to test on."""
        return toys.circle(), None


@settings
class TwoGaussians:
    """Two clouds in the plane."""

    per_class: int = knob(20, "Points in each class.", low=2, high=500)
    distance: float = knob(5.0, "How far the second centre lies along both axes.", low=0.0, high=10.0)
    swapped: int = knob(
        0, "Labels exchanged in each class; more than 0 makes the classes inseparable.", low=0, high=50
    )
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> Pair:
        """Training and test points of the same draw."""
        return toys.two_gaussians(self.per_class, self.distance, self.swapped, self.seed)


@settings
class Animals:
    """Dogs, cats, buses and cars in the plane; some dogs look like buses."""

    per_class: int = knob(40, "Points in each class.", low=2, high=500)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> Pair:
        """Training and test points of the same draw."""
        return toys.animals_and_cars(self.per_class, self.seed)


@settings
class Digits:
    """Handwritten digits, 8 x 8 pixels."""

    n: int = knob(1200, "Training images; the rest of the 1,797 are for testing.", low=20, high=1700)

    def make(self) -> Pair:
        """The first n images and the others."""
        return digits.digits(self.n)


@settings
class DigitWords:
    """Words whose letters are handwritten digits and whose spelling follows a grammar."""

    n: int = knob(100, "Training words.", low=5, high=2000)
    n_test: int = knob(100, "Test words, from other images.", low=1, high=1000)
    noise: float = knob(0.0, "Standard deviation of the noise added to each pixel.", low=0.0, high=2.0)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> Pair:
        """Training and test words."""
        return digits.digit_words(self.n, self.n_test, noise=self.noise, seed=self.seed)


@settings
class Blocks:
    """Sequences with blocks of a hidden state, seen through flipped and noisy features."""

    n: int = knob(40, "Training sequences.", low=2, high=500)
    n_test: int = knob(20, "Test sequences.", low=1, high=500)
    length: int = knob(100, "Positions of each sequence.", low=10, high=1000)
    distortion: float = knob(
        0.2, "Share of the positions whose sign is flipped, for each feature.", low=0.0, high=0.5
    )
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> Pair:
        """Training and test sequences."""
        return blocks.blocks(self.n, self.n_test, self.length, distortion=self.distortion, seed=self.seed)


@settings
class GaussianHMM:
    """Sequences from a two-state hidden Markov model with ten Gaussian features."""

    n: int = knob(40, "Training sequences.", low=2, high=500)
    n_test: int = knob(20, "Test sequences.", low=1, high=500)
    length: int = knob(100, "Positions of each sequence.", low=2, high=1000)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> Pair:
        """Training and test sequences."""
        return hmm.gaussian_hmm(self.n, self.n_test, self.length, seed=self.seed)


@settings
class Tagging:
    """Sentences with sparse word features, tagged by a hidden grammar."""

    n: int = knob(100, "Training sentences.", low=2, high=20_000)
    n_test: int = knob(50, "Test sentences.", low=1, high=5000)
    vocabulary: int = knob(1000, "Different words.", low=10, high=200_000)
    tags: int = knob(5, "Different tags.", low=2, high=50)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> Pair:
        """Training and test sentences."""
        return words.sparse_tagging(self.n, self.n_test, self.vocabulary, self.tags, seed=self.seed)


PAIRWISE = ("shared", "symmetric", "directional", "none")
"""How pairwise weights are shared on a grid: by all edges, also by (a, b) and (b, a), apart for across and
down, or none.
"""

EDGES = ("full", "tree", "none")
"""Which labels of a multi-label problem depend on each other: all pairs, a spanning tree, or none."""


@settings
class Stripes:
    """Pictures of three coloured stripes in any order, seen through noise: every cell gets a colour."""

    n: int = knob(20, "Training pictures.", low=1, high=500)
    n_test: int = knob(20, "Test pictures.", low=1, high=500)
    sigma: float = knob(
        0.5, "Standard deviation of the noise on each of the three features.", low=0.0, high=3.0
    )
    size: int = knob(12, "Rows and columns of a picture, a multiple of 3.", low=3, high=60)
    pairwise: str = knob(
        "shared", "How neighbours are scored; none leaves only the cells' own weights.", choices=PAIRWISE
    )
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> Pair:
        """Training and test pictures."""
        across = self.pairwise == "directional"
        return stripes.stripes(self.n, self.n_test, self.sigma, self.seed, across, self.size, self.size)


@settings
class Blobs:
    """Pictures of ink blobs seen through noise: every cell is ink or blank."""

    n: int = knob(20, "Training pictures.", low=1, high=500)
    n_test: int = knob(20, "Test pictures.", low=1, high=500)
    size: int = knob(16, "Rows and columns of a picture.", low=2, high=100)
    noise: float = knob(
        1.0, "Standard deviation of the noise; 1 is half the distance of ink and blank.", low=0.0, high=5.0
    )
    pairwise: str = knob("symmetric", "How neighbours are scored.", choices=("shared", "symmetric", "none"))
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> Pair:
        """Training and test pictures."""
        return stripes.two_states(self.n, self.n_test, self.size, self.noise, self.seed)


@settings
class Trees:
    """Trees whose labels tend to stay the same from parent to child, seen through noise."""

    n: int = knob(40, "Training trees.", low=1, high=1000)
    n_test: int = knob(40, "Test trees.", low=1, high=1000)
    nodes: int = knob(15, "Nodes of each tree.", low=1, high=200)
    states: int = knob(3, "Different labels.", low=2, high=8)
    noise: float = knob(0.7, "Standard deviation of the noise on each feature.", low=0.0, high=5.0)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> Pair:
        """Training and test trees."""
        return trees.trees(self.n, self.n_test, self.nodes, self.states, self.noise, seed=self.seed)


@settings
class Clubs:
    """Friendship networks like Zachary's karate club: every member follows one of two leaders."""

    n: int = knob(20, "Training networks, drawn like the club.", low=1, high=500)
    n_test: int = knob(20, "Test networks; the first one is the club itself.", low=1, high=500)
    noise: float = knob(
        1.0, "Standard deviation of the noise on each member's voiced opinion.", low=0.0, high=5.0
    )
    pairwise: str = knob("symmetric", "How friends are scored.", choices=("shared", "symmetric", "none"))
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> Pair:
        """Training and test networks."""
        return karate.karate(self.n, self.n_test, noise=self.noise, seed=self.seed)


@settings
class Synth1:
    """Six labels, each on only if the one before is, with a thousand sparse features of its own."""

    n: int = knob(471, "Training examples.", low=5, high=10_000)
    n_test: int = knob(1000, "Test examples; the source has 5,045.", low=1, high=10_000)
    edges: str = knob("full", "Which labels depend on each other.", choices=EDGES)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> Pair:
        """Training and test examples."""
        return multilabel.synth1(self.n, self.n_test, self.seed)


@settings
class Synth2:
    """One of ten labels is on; label i turns on 4 i of the 40 features, any of them."""

    n: int = knob(1000, "Training examples.", low=5, high=10_000)
    n_test: int = knob(1000, "Test examples; the source has 10,000.", low=1, high=10_000)
    constant: bool = knob(True, "Add a feature that is always 1; without it at most one label can ever win.")
    edges: str = knob("full", "Which labels depend on each other.", choices=EDGES)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> Pair:
        """Training and test examples."""
        return multilabel.synth2(self.n, self.n_test, self.seed, self.constant)


AnyData = (
    FourPoints
    | Circle
    | TwoGaussians
    | Animals
    | Digits
    | DigitWords
    | Blocks
    | GaussianHMM
    | Tagging
    | Stripes
    | Blobs
    | Trees
    | Clubs
    | Synth1
    | Synth2
)
