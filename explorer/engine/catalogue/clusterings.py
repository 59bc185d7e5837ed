"""Clusterings of items: their models, losses and tasks.

`similarity` says what is made of the features of a pair: themselves, coordinates in which a kernel of pairs
is an inner product, or all products of two items' features (Finley 2009, section 6.4).
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from explorer.engine.catalogue.task import NoSettings, Pair, Parts, Task, with_first
from explorer.engine.contracts import Dataset, Loss
from explorer.engine.data.clouds import Clouds, LinkFigure, Moons
from explorer.engine.data.cluster_figures import Figures
from explorer.engine.data.cluster_synth import Synth
from explorer.engine.data.coreference import Coreference
from explorer.engine.data.marbles import Marbles
from explorer.engine.data.news import News, NewsAreas
from explorer.engine.data.web_pages import WebPages
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.kernel_features import full_matrix, with_kernel
from explorer.engine.structures.clusterings.link_oracles import LINK_ORACLES
from explorer.engine.structures.clusterings.losses import Mitre, Normalised, Pairwise
from explorer.engine.structures.clusterings.oracles import CLUSTER_ORACLES
from explorer.engine.structures.clusterings.pair_kernels import RBF, Polynomial
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.structures.clusterings.question import Question
from explorer.engine.structures.clusterings.single_link import SingleLink

LINEAR, DIAGONAL, FULL = "linear", "diagonal", "full matrix"
FREE, NONNEGATIVE = "free", "non-negative"
FREE_LOSSES: Mapping[str, Loss] = {"pairwise": Pairwise(), "mitre": Mitre()}
KNOWN_LOSSES: Mapping[str, Loss] = {"normalised": Normalised(), "pairwise": Pairwise()}


def allowed_weights() -> Any:
    """A knob: which weights a similarity may have."""
    return knob(
        FREE,
        "Whether weights may be negative; if not, and all features are kernels, so is the similarity.",
        choices=(FREE, NONNEGATIVE),
    )


def told_loss() -> Any:
    """A knob: what the training oracle knows."""
    return knob(
        True, "Tell the training oracle the loss; the cut that it finds is charged with it in any case."
    )


@settings
class CorrelationModel:
    """What correlation clustering makes of pairs."""

    weights: str = allowed_weights()
    loss_in_oracle: bool = told_loss()
    normalise: bool = knob(
        True,
        "Divide the sum of features by the squared number of items, so that sets of any size count alike.",
    )
    similarity: str = knob(
        LINEAR,
        "A weighted sum of pair features, or of functions of them.",
        choices=(LINEAR, Polynomial.title, RBF.title),
    )
    degree: int = knob(
        2, "Of a polynomial similarity: how many pair features are multiplied at most.", low=1, high=6
    )
    sharpness: float = knob(
        1.0,
        "Of an RBF similarity: how fast likeness falls with the squared distance of pair features.",
        low=1e-4,
        high=1e4,
        log=True,
    )


@settings
class KMeansModel:
    """What k-means makes of pairs."""

    weights: str = allowed_weights()
    loss_in_oracle: bool = told_loss()
    diagonal: bool = knob(
        False, "Count every pair in both orders, and items with themselves, as trace(Y' K Y) does."
    )
    similarity: str = knob(
        DIAGONAL,
        "Compare every feature of an item with itself only, or with every other too.",
        choices=(DIAGONAL, FULL),
    )


def bent_pairs(train: Dataset, test: Dataset | None, model: CorrelationModel) -> Pair:
    """Both in the coordinates that the kernel has on the training pairs."""
    if model.similarity == LINEAR:
        return train, test
    if model.weights != FREE:
        raise Refused(
            f"{model.similarity} similarities weigh coordinates whose signs mean nothing; choose free weights"
        )
    kernel = RBF(model.sharpness) if model.similarity == RBF.title else Polynomial(model.degree)
    bent, found = with_kernel(train, kernel)
    return bent, None if test is None else found.dataset(test)


def all_products(train: Dataset, test: Dataset | None, model: KMeansModel) -> Pair:
    """Both with the products of any two features of items."""
    if model.similarity == DIAGONAL:
        return train, test
    if model.diagonal:
        raise Refused(
            f"{FULL} has no features of items with themselves; turn diagonal off, or choose {DIAGONAL!r}"
        )
    return full_matrix(train), None if test is None else full_matrix(test)


def correlation(data: Dataset, parts: Parts[CorrelationModel]) -> Clustering:
    """Correlation clustering."""
    model = parts.model
    return Clustering(
        data,
        "correlation",
        parts.loss,
        parts.pricing,
        parts.separator,
        parts.predictor,
        normalise=model.normalise,
        loss_asked=model.loss_in_oracle,
        nonnegative=model.weights == NONNEGATIVE,
    )


def k_means(data: Dataset, parts: Parts[KMeansModel]) -> Clustering:
    """Supervised k-means and spectral clustering."""
    model = parts.model
    return Clustering(
        data,
        "k-means",
        parts.loss,
        parts.pricing,
        parts.separator,
        parts.predictor,
        diagonal=model.diagonal,
        loss_asked=model.loss_in_oracle,
        nonnegative=model.weights == NONNEGATIVE,
    )


def single_link(data: Dataset, parts: Parts[NoSettings]) -> SingleLink:
    """Single-link clustering with fixed links of the truths; prediction is single link, whatever is named."""
    return SingleLink(data, parts.loss, parts.pricing, parts.separator)


def clusterers(groups: int | None) -> tuple[type[Any], ...]:
    """The clusterers that take a known number of clusters, or (None) choose it themselves."""
    two = Question(np.zeros((2, 2)), groups)
    return tuple(oracle for oracle in CLUSTER_ORACLES if oracle().refuses(two) is None)


partitions = partial(
    Task,
    losses=FREE_LOSSES,
    oracle_types=with_first("greedy merges", clusterers(None)),
    build=correlation,
    prepare=bent_pairs,
)
groups = partial(
    Task,
    losses=KNOWN_LOSSES,
    oracle_types=with_first("iterative k-means", clusterers(2)),
    build=k_means,
    prepare=all_products,
    model=KMeansModel(),
)
links = partial(Task, losses=FREE_LOSSES, oracle_types=LINK_ORACLES, build=single_link)
SCALED, PLAIN = CorrelationModel(), CorrelationModel(normalise=False)

TASKS = (
    partitions("clouds", "Point clouds", Clouds, "one-slack", {"C": 1e4, "eps": 0.01}, model=SCALED),
    partitions(
        "clusters", "Figures of clusterings", Figures, "one-slack", {"C": 10.0, "eps": 0.01}, model=PLAIN
    ),
    partitions("marbles", "Marbles by hue", Marbles, "one-slack", {"C": 1e4, "eps": 0.01}, model=SCALED),
    partitions(
        "coreference", "Who is who in a text", Coreference, "one-slack", {"C": 1e6, "eps": 0.1}, model=SCALED
    ),
    partitions("news", "News of a day", News, "one-slack", {"C": 1e7, "eps": 0.1}, model=SCALED),
    groups("synth", "Synth: pairs with noise", Synth, "one-slack", {"C": 100.0, "eps": 1.0}),
    groups("news-areas", "News by area", NewsAreas, "one-slack", {"C": 1e3, "eps": 0.5}),
    groups("web-pages", "Pages of universities", WebPages, "one-slack", {"C": 1e3, "eps": 0.5}),
    links("moons", "Half moons, single link", Moons, "one-slack", {"C": 1e4}),
    links("links", "Six points, two link sets", LinkFigure, "one-slack", {"C": 10.0}),
)
