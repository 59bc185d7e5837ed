"""A link to the studio holds the whole page, and says what it cannot hold."""

import pytest

from explorer.dashboards.studio.link import FIRST, LAYOUT, query, read
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.tasks import TASKS

RECIPES = [Recipe(task=task.name) for task in TASKS] + [
    Recipe(
        task="blocks",
        data={"n": 7, "distortion": 0.3},
        scaling="slack",
        learner="frank-wolfe",
        settings={"C": 3.0},
    ),
    Recipe(
        task="two-gaussians", learner="perceptron", settings={"averaged": True}, seed=5, rule={"passes": 9.0}
    ),
]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda r: f"{r.task}-{r.learner}")
def test_a_link_gives_back_every_choice_and_the_layout(recipe: Recipe) -> None:
    layout = {
        "cursor": 12,
        "example": 3,
        "split": "test",
        "view": "weights",
        "theme": "dark",
        "clock": "seconds",
        "log": False,
        "phase": 2,
        "speed": 4.0,
        "hide": "",
    }
    see = {"trellis.k_best": "3", "path.decades": "-1.0:2.0"}
    found = read("?" + query(recipe, layout, see))
    assert found.problems == ()
    assert found.see == see
    assert found.recipe == recipe
    assert found.layout == layout


def test_a_link_writes_defaults_out_so_that_it_survives_a_change_of_defaults() -> None:
    text = query(Recipe(), LAYOUT)
    assert "set.C=20.0" in text
    assert "seed=0" in text
    assert "cursor=-1" in text


@pytest.mark.parametrize(
    ("part", "says"),
    [
        ("task=nothing", "there is no task 'nothing'"),
        ("learner=newton", "there is no learner 'newton'"),
        ("set.C=lots", "C is 'lots'; give a number"),
        ("set.C=-1", "C is -1.0"),
        ("set.Q=1", "has no setting 'Q'"),
        ("data.n=1e9", "n is '1e9'; give a whole number"),
        ("rule.passes=-5", "passes is -5.0"),
        ("loss=hinge", "has no loss 'hinge'"),
        ("scaling=both", "scaling is 'both'"),
        ("color=red", "'color' is not known"),
        ("v=7", "version 7"),
    ],
)
def test_a_wrong_part_is_reported_and_the_rest_is_used(part: str, says: str) -> None:
    found = read(f"{part}&seed=4")
    assert len(found.problems) == 1
    assert says in found.problems[0]
    assert found.recipe.seed == 4


def test_a_link_of_absurd_length_is_not_read() -> None:
    found = read("task=" + "x" * 10_000)
    assert found.recipe == FIRST
    assert "longer" in found.problems[0]


@pytest.mark.parametrize("part", ["cursor=soon", "example=first"])
def test_a_place_that_is_no_number_is_reported_and_left_at_its_default(part: str) -> None:
    link = read(f"v=1&task=circle&{part}")
    name, _, text = part.partition("=")
    assert link.layout[name] == LAYOUT[name]
    assert any(name in problem and text in problem for problem in link.problems)
