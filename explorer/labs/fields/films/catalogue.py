"""Which film shows which oracle: a catalogue by title. An oracle without a film of its own shows its answer.

A film ends with the oracle's answer, so that its last step and the table of answers say the same.
"""

from collections.abc import Callable

from explorer.engine.catalogue.oracle_names import oracle_named
from explorer.labs.fields.comparison import Answer, Comparison
from explorer.labs.fields.film import NONE, Film, Request, Step, missing, score_track
from explorer.labs.fields.films.cuts import cut_film
from explorer.labs.fields.films.lists import approximate_film, exhaustive_film
from explorer.labs.fields.films.messages import belief_film
from explorer.labs.fields.films.moves import combine_film, expansion_film, greedy_film, icm_film, swap_film
from explorer.labs.fields.films.relaxed import branch_film, program_film, relaxation_film, relaxed_film
from explorer.labs.fields.films.roof import roof_film
from explorer.labs.fields.films.trees import tree_film


def answer_film(asked: Request) -> Film:
    """Only the answer."""
    if asked.shares is not None:
        return relaxed_film(asked)
    step = Step(f"The answer: score {asked.score:.4g}.", asked.labels, asked.score)
    return Film(asked.name, (step,), score_track([step], asked.top, "step"), missing(asked.score, asked.top))


FILMS: dict[str, Callable[[Request], Film]] = {
    "exhaustive": exhaustive_film,
    "tree max-product": tree_film,
    "graph cut": cut_film,
    "roof duality": roof_film,
    "linear program": program_film,
    "fast relaxation": relaxation_film,
    "branch and bound": branch_film,
    "alpha-expansion": expansion_film,
    "alpha-beta swap": swap_film,
    "belief propagation": belief_film,
    "greedy": greedy_film,
    "combine": combine_film,
    "ICM": icm_film,
    "known approximation": approximate_film,
}


def film(compared: Comparison, answer: Answer) -> Film:
    """The steps of the oracle that gave this answer; an oracle that gave none has a film of one step that
    says why.
    """
    if answer.labels is None:
        return Film(answer.name, (Step(f"{answer.refused}.", NONE, float("nan")),), None, "")
    asked = Request(
        answer.name,
        oracle_named(answer.name),
        compared.case,
        answer.labels,
        answer.shares,
        answer.score,
        answer.bound,
        compared.top,
        compared.target(answer.labels),
    )
    return FILMS.get(answer.title, answer_film)(asked)
