"""A link to a race gives back every choice, and says what it cannot take."""

from dataclasses import fields, replace
from urllib.parse import parse_qsl

import pytest

from explorer.dashboards.race.link import RaceLink, RaceLook, query, read
from explorer.session.links.codec import LONGEST
from explorer.session.race import FIRST, Setup

OTHER = {
    "task": "trees", "data": {"n": 7}, "learners": ("mira", "sgd", "bundle", "n-slack"), "C": 0.25,
    "relative_gap": 0.5, "passes": 7.5, "seed": 12, "clock": "seconds", "model": {"pairwise": "none"},
}  # fmt: skip
LOOKS = {"objective": "linear", "horizontal": "log", "standings": "hidden", "theme": "projector"}
LOOKS |= {"at": 0.25, "example": 2}


@pytest.mark.parametrize("name", [f.name for f in fields(Setup)])
def test_every_choice_survives_its_link(name: str) -> None:
    first = Setup("stripes") if name == "model" else FIRST
    anew = {"data": {}, "model": {}} if name == "task" else {}  # they belong to the task
    setup = replace(first, **anew, **{name: OTHER[name]})
    assert setup != first
    assert read(query(setup, RaceLook())) == RaceLink(setup, RaceLook(), ())


@pytest.mark.parametrize("name", [f.name for f in fields(RaceLook)])
def test_every_part_of_the_look_survives_its_link(name: str) -> None:
    look = replace(RaceLook(), **{name: LOOKS[name]})
    assert look != RaceLook()
    assert read("?" + query(FIRST, look)) == RaceLink(FIRST, look, ())


def test_a_link_writes_its_version_and_every_setting() -> None:
    setup = Setup("stripes")
    written = dict(parse_qsl(query(setup, RaceLook())))
    problem = {*(f"data.{name}" for name in setup.data), *(f"model.{name}" for name in setup.model)}
    names = {f.name for f in (*fields(Setup), *fields(RaceLook))} - {"data", "model"}
    assert set(written) == {"v", *problem, *names}
    assert (written["v"], written["data.n"], written["model.pairwise"]) == ("1", "20", "shared")


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("task=moonshot", "The link's task was left out: there is no task 'moonshot'"),
        ("data.n=3", "The link's n was left out: n is 3; it must be 5 to 2000."),
        ("data.colour=3", "The link's colour was left out: DigitWords has no setting 'colour'"),
        ("seed=-1", "The link's seed was left out: seed is -1; it must be 0 to 9999."),
        ("C=nan", "The link's C cannot be 'nan'; 10.0 is used."),
        ("relative_gap=2", "The link's relative_gap cannot be '2'; 0.01 is used."),
        ("passes=many", "The link's passes cannot be 'many'; 100.0 is used."),
        ("clock=moon", "The link's clock cannot be 'moon'; oracle calls is used."),
        ("horizontal=round", "The link's horizontal cannot be 'round'; linear is used."),
        ("theme=pink", "The link's theme cannot be 'pink'; light is used."),
        ("v=9", "The link is of version 9, this program reads version 1; what fits is used."),
        ("cursor=3", "The link's part 'cursor' is not known and was left out."),
    ],
)
def test_what_a_link_says_wrongly_is_told_in_one_sentence_and_left_at_its_default(
    part: str, said: str
) -> None:
    found = read(part)
    assert (found.setup, found.look, len(found.problems)) == (FIRST, RaceLook(), 1)
    assert found.problems[0].startswith(said)


def test_a_bad_part_leaves_the_others_as_they_are() -> None:
    found = read("C=-1&passes=12&learners=mira,oracle of Delphi,mira,sgd&theme=dark")
    assert found.setup == replace(FIRST, passes=12.0, learners=("mira", "sgd"))
    assert found.look.theme == "dark"
    assert len(found.problems) == 2
    assert "'oracle of Delphi' was left out: there is no such learner." in found.problems[0]


@pytest.mark.parametrize(("names", "count"), [("mira", 1), ("mira,sgd,bundle,n-slack,one-slack", 5)])
def test_a_link_with_too_few_or_too_many_learners_races_the_usual_ones(names: str, count: int) -> None:
    found = read(f"learners={names}")
    assert found.setup == FIRST
    assert found.problems[0].startswith(f"The link has {count} learners that can race, not two to four;")


def test_learners_that_refuse_the_links_problem_are_left_out_with_their_reason() -> None:
    found = read("task=clouds&data.n=1&data.weights=non-negative&learners=n-slack,mira,one-slack")
    assert found.setup.learners == ("n-slack", "one-slack")
    (said,) = found.problems
    assert (
        "'mira' was left out: This learner cannot keep extra rules on w; use a cutting-plane learner." in said
    )
    usual = read("task=clouds&data.n=1&data.weights=non-negative")
    assert (usual.setup.learners, usual.problems) == (("one-slack", "n-slack", "sampled-cuts"), ())


def test_data_that_cannot_be_made_together_are_left_out() -> None:
    found = read("task=synth&data.n=2&data.fold=50")
    assert (str(found.setup.task), found.setup.data) == ("synth", Setup("synth").data)
    assert found.problems == (
        "The link's data were left out: fold is 50; there are 2 item sets, choose 1 to 2.",
    )


def test_a_link_that_is_far_too_long_shows_the_first_race() -> None:
    found = read("?C=3&learners=" + "mira," * LONGEST)
    assert (found.setup, len(found.problems)) == (FIRST, 1)
    assert "longer than" in found.problems[0]
