"""Which film shows which oracle, by title. An oracle without a film of its own shows its answer."""

from collections.abc import Callable

from explorer.engine.catalogue.oracle_names import oracle_named
from explorer.engine.structures.fields.fields import Fields
from explorer.labs.compare import OracleComparison, Reply
from explorer.labs.fields.film import FieldFilm, FieldRequest, FieldStep
from explorer.labs.fields.films.cuts import cut_film
from explorer.labs.fields.films.lists import approximate_film, exhaustive_film
from explorer.labs.fields.films.messages import belief_film
from explorer.labs.fields.films.moves import combine_film, expansion_film, greedy_film, icm_film, swap_film
from explorer.labs.fields.films.relaxed import branch_film, program_film, relaxation_film, relaxed_film
from explorer.labs.fields.films.roof import roof_film
from explorer.labs.fields.films.trees import tree_film
from explorer.labs.fields.instance import FieldCase
from explorer.labs.film import NONE, Film, Request, make_film

FILMS: dict[str, Callable[[FieldRequest], FieldFilm]] = {
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


def film(case: FieldCase, compared: OracleComparison[Fields], reply: Reply) -> FieldFilm:
    """The steps of the oracle that gave this reply."""
    asked: FieldRequest = Request(oracle_named(reply.name), case, reply, compared)
    return make_film(asked, FILMS, answer_film, lambda says: FieldStep(says, NONE, float("nan")))


def answer_film(asked: FieldRequest) -> FieldFilm:
    """Only the answer."""
    if asked.reply.shares is not None:
        return relaxed_film(asked)
    score = asked.reply.score
    step = FieldStep(f"The answer: score {score:.4g}.", asked.labels, score)
    return Film(asked.reply.title, (step,), asked.curves([step], "step"), asked.verdict(score))
