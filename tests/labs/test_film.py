"""What both labs' films share: their length, how they judge an answer, and how long they are kept."""

import math
from dataclasses import dataclass, replace

import numpy as np

from explorer.labs.clusterings.comparison import MEANS
from explorer.labs.clusterings.state import ClusterLab
from explorer.labs.compare import OracleComparison, Reply
from explorer.labs.fields.state import FieldLab
from explorer.labs.film import MOST_STEPS, Curves, Film, Request, ValueBars, make_film, shorten, step_sentence


@dataclass(frozen=True)
class Still:
    """A step."""

    says: str
    value: float = math.nan


def request(reply: Reply, proven: bool = True) -> "Request[None, int]":
    return Request(None, None, reply, OracleComparison(3, (reply,), None, 9.0, 9.0, proven, 1e-9))


def test_long_films_keep_their_beginning_and_their_end() -> None:
    rows, skipped = shorten(list(range(500)))
    assert (len(rows), rows[-2:], skipped) == (MOST_STEPS, [MOST_STEPS - 2, 499], 500 - MOST_STEPS)
    assert shorten([1, 2]) == ([1, 2], 0)


def test_an_answer_is_judged_by_the_best_known_one() -> None:
    asked = request(Reply("a", "under"))
    assert asked.verdict(9.0) == "Nothing better exists: the best score is 9."
    assert asked.verdict(7.5) == "The best score is 9, 1.5 higher."
    unsure = request(Reply("a", "under"), proven=False)
    assert unsure.verdict(9.0) == "Nothing better is known."
    assert unsure.verdict(7.5) == "The best known score is 9, 1.5 higher."


def test_an_oracle_has_its_own_film_or_a_plain_one_and_a_refusal_says_why() -> None:
    plain = lambda asked: Film("plain", (Still("The answer."),), asked.curves([Still("", 2.0)], "step"))  # noqa: E731
    own = lambda asked: replace(plain(asked), title="own")  # noqa: E731
    assert make_film(request(Reply("a", "under")), {"a": own}, plain, Still).title == "own"
    shown = make_film(request(Reply("b(k=2)", "under")), {"a": own}, plain, Still)
    assert (shown.title, isinstance(shown.over, Curves)) == ("plain", True)
    refused = make_film(request(Reply("a", "under", refused="too large")), {"a": own}, plain, Still)
    assert refused.steps[0].says == "It cannot answer: too large."
    assert isinstance(refused.over, ValueBars)
    waits = make_film(request(Reply("a", "under", refused="slow", waits=True)), {"a": own}, plain, Still)
    assert waits.steps[0].says == "It waits: slow."


def test_a_step_says_where_the_film_stands_and_the_last_one_what_is_learnt() -> None:
    film = Film("greedy", (Still("First."), Still("Then.")), Curves("x", "y", (), np.zeros((2, 0))), "Done.")
    assert step_sentence(film, 0) == "Greedy. Step 0 of 1. First."
    assert step_sentence(film, 1) == "Greedy. Step 1 of 1. Then. Done."


def test_a_film_that_was_seen_is_kept_until_a_reply_changes() -> None:
    lab = FieldLab()
    first = lab.film
    lab.look_at("greedy")
    lab.look_at("belief propagation")
    assert lab.film is first
    lab.configure(replace(lab.oracle(), damping=0.5))
    assert lab.film is not first
    clusters = ClusterLab()
    first_clusters = clusters.film
    clusters.look_at(MEANS, "spectral")
    clusters.look_at("correlation", "greedy merges")
    assert clusters.film is first_clusters
    clusters.choose(groups=2)
    assert clusters.film is not first_clusters
