"""A run as a film: what it shows at each step, and files that play it without a server."""

import asyncio
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from explorer import Recipe
from explorer.dashboards.sharing import film_page
from explorer.engine.catalogue.tasks import every_task
from explorer.engine.contracts import Problem
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import train
from explorer.engine.runs.trace import Trace, recorded
from explorer.player import film
from explorer.player.moving_image import svg_of
from explorer.player.web_page import figure, standalone
from explorer.session.problem_cache import problem_of
from explorer.session.state import Session
from explorer.views.kit.depiction import depiction_of


def run_of(recipe: Recipe) -> tuple[Problem, Trace]:
    problem, _ = problem_of(recipe)
    trace = Trace()
    for _ in recorded(train(problem, recipe.make_learner(), rule=recipe.make_rule()), trace):
        pass
    return problem, trace


@pytest.fixture(scope="module")
def ran() -> tuple[Problem, Trace]:
    return run_of(Recipe("circle", settings={"C": 10.0}))


def test_a_film_shows_the_prediction_and_the_oracles_answer_of_every_step(ran: tuple[Problem, Trace]) -> None:
    problem, trace = ran
    made = film(problem, trace, 4, title="A film")
    draw, x = depiction_of(problem).portrait, problem.dataset.inputs[4]
    assert [step.k for step in made.steps] == list(range(len(trace)))
    assert made.pictures[made.truth] == draw(problem, 4, problem.dataset.labels[4])
    for step in made.steps:
        w = trace.at(step.k).w
        assert made.pictures[step.guess] == draw(problem, 4, problem.predict(w, x))
        assert step.right == (problem.predict(w, x) == problem.dataset.labels[4])
        tempting = problem.oracle(w, 4).label
        if step.tempting is None:
            assert tempting == problem.dataset.labels[4]
        else:
            assert made.pictures[step.tempting] == draw(problem, 4, tempting)
        figures = trace.at(step.k).figures
        assert step.primal == pytest.approx(figures["primal"], rel=1e-5)
        assert step.dual == pytest.approx(figures["dual"], rel=1e-5)
    assert len(set(made.pictures)) == len(made.pictures)


def test_a_long_run_is_thinned_to_its_first_and_last_step_and_some_between(
    ran: tuple[Problem, Trace],
) -> None:
    problem, trace = ran
    assert [step.k for step in film(problem, trace, most=2).steps] == [0, len(trace) - 1]


@pytest.mark.parametrize("example", [-1, 12])
def test_an_example_that_is_not_there_is_refused(ran: tuple[Problem, Trace], example: int) -> None:
    with pytest.raises(Refused, match="choose one from 0 to 11"):
        film(*ran, example)


def test_a_film_of_nothing_is_refused(ran: tuple[Problem, Trace]) -> None:
    with pytest.raises(Refused, match="train it first"):
        film(ran[0], Trace())


@pytest.mark.parametrize("task", [task.name for task in every_task()])
def test_every_task_has_a_portrait_whose_wrong_parts_stand_out(task: str) -> None:
    problem, _ = problem_of(Recipe(task))
    draw, truth = depiction_of(problem).portrait, problem.dataset.labels[0]
    wrong = problem.oracle(np.zeros(problem.dim), 0).label
    seen, right, other = draw(problem, 0), draw(problem, 0, truth), draw(problem, 0, wrong)
    for picture in (seen, right, other):
        assert picture.startswith("<svg xmlns=")
        assert picture.endswith("</svg>")
        assert re.search(
            r"viewBox='0 0 \d+ \d+' width='\d+' height='\d+' role='img' aria-label='[^']+'", picture
        )
    assert problem.loss(0, wrong) > 0
    assert right != other


def test_the_page_needs_nothing_from_elsewhere_and_escapes_what_it_is_told(
    ran: tuple[Problem, Trace],
) -> None:
    page = standalone(film(*ran, title="</script><img src=x onerror=alert(1)>"))
    assert "<img" not in page
    assert not re.search(r"(?:src|href)=['\"]?(?:https?:)?//", page)
    held = re.search(r"<script type='application/json'>(.*?)</script>", page)
    assert held is not None
    assert json.loads(held[1])["title"] == "</script><img src=x onerror=alert(1)>"


def test_panels_stand_side_by_side_and_rows_below_each_other(ran: tuple[Problem, Trace]) -> None:
    assert figure(film(*ran)).startswith("<figure class='film'")
    grid = run_of(Recipe("stripes", data={"n": 2, "size": 6}, rule={"passes": 2.0}))
    assert figure(film(*grid)).startswith("<figure class='film panels'")


def test_a_moving_image_has_a_picture_for_every_step(ran: tuple[Problem, Trace], tmp_path: Path) -> None:
    made = film(*ran, title="Points on a circle")
    made.save(tmp_path / "film.gif")
    shown = Image.open(io.BytesIO((tmp_path / "film.gif").read_bytes()))
    assert (shown.size, shown.n_frames) == ((960, 540), len(made.steps))
    assert "var(" not in svg_of(made, made.steps[0])
    made.save(tmp_path / "film.html")
    assert (tmp_path / "film.html").read_text(encoding="utf-8") == standalone(made)
    with pytest.raises(Refused, match=r"\.html or \.gif"):
        made.save(tmp_path / "film.mp4")


def test_the_studios_film_is_of_the_example_that_is_looked_at(ran: tuple[Problem, Trace]) -> None:
    session = Session(Recipe("circle", settings={"C": 10.0}))
    session.replay(ran[1])
    session.example = 4
    page = asyncio.run(film_page(session)).getvalue()
    assert page == standalone(film(*ran, 4, title=session.recipe().task.title))
    session.close()
