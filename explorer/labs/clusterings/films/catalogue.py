"""Every clusterer's way to its answer, as a film."""

from collections.abc import Callable
from typing import Any

import numpy as np

from explorer.labs.clusterings.comparison import Answer, Comparison
from explorer.labs.clusterings.film import Bars, Film, Request, Step
from explorer.labs.clusterings.films.lists import answer_film, partitions_film
from explorer.labs.clusterings.films.moves import batch_film, greedy_film, moves_film
from explorer.labs.clusterings.films.relaxed import branches_film, relaxed_film, rounded_film
from explorer.labs.clusterings.films.spectrum import discrete_film, spectral_film
from explorer.labs.clusterings.instance import Instance

FILMS: dict[str, Callable[[Request], Film]] = {
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
"""By title; a clusterer that is not here shows its answer."""


def film(case: Instance, compared: Comparison, answer: Answer, oracle: Any) -> Film:
    """The film of one answer; of a refusal, its reason."""
    if answer.refused:
        labels = np.arange(case.m)
        step = Step(f"It cannot answer: {answer.refused}.", labels, float("nan"))
        nothing = Bars(
            "", "", (), np.zeros(0), 0, "Nothing to show: the clusterer does not answer this question."
        )
        return Film(answer.title, (step,), nothing, "")
    asked = Request(oracle, compared.question, case.names, answer, compared.top, compared.proven)
    return FILMS.get(answer.title, answer_film)(asked)
