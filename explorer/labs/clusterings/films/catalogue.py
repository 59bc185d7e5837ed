"""Which film shows which clusterer, by title. A clusterer without a film of its own shows its answer."""

from collections.abc import Callable
from typing import Any

import numpy as np

from explorer.engine.structures.clusterings.question import Question
from explorer.labs.clusterings.film import ClusterFilm, ClusterRequest, ClusterStep
from explorer.labs.clusterings.films.lists import answer_film, partitions_film
from explorer.labs.clusterings.films.moves import batch_film, greedy_film, moves_film
from explorer.labs.clusterings.films.relaxed import branches_film, relaxed_film, rounded_film
from explorer.labs.clusterings.films.spectrum import discrete_film, spectral_film
from explorer.labs.clusterings.instance import ClusterCase
from explorer.labs.compare import OracleComparison, Reply
from explorer.labs.film import Request, make_film

FILMS: dict[str, Callable[[ClusterRequest], ClusterFilm]] = {
    "all partitions": partitions_film,
    "greedy merges": greedy_film,
    "iterative k-means": moves_film,
    "spectral": spectral_film,
    "discrete spectral": discrete_film,
    "batch k-means": batch_film,
    "triangle relaxation": relaxed_film,
    "rounded relaxation": rounded_film,
    "integer program": branches_film,
}


def film(case: ClusterCase, compared: OracleComparison[Question], reply: Reply, oracle: Any) -> ClusterFilm:
    """The film of one reply."""
    asked: ClusterRequest = Request(oracle, case, reply, compared)
    return make_film(
        asked, FILMS, answer_film, lambda says: ClusterStep(says, np.arange(case.m), float("nan"))
    )
