"""Files on the pages: those that the server was started with, and no others; in a notebook, any."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from explorer.__main__ import main
from explorer.dashboards import notebook
from explorer.dashboards.app import open_files
from explorer.dashboards.controls import Controls
from explorer.dashboards.past_runs import show_past_run
from explorer.dashboards.race import link as race_link
from explorer.dashboards.race.page import RacePage
from explorer.dashboards.studio import link as studio_link
from explorer.dashboards.studio.page import Studio
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.tasks import Task
from explorer.engine.contracts import Dataset
from explorer.engine.learners import NSlack
from explorer.engine.refusals import Refused
from explorer.engine.runs import saved
from explorer.engine.runs.streams import Until, train
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.classes.own import Listed
from explorer.session.runner import InThread
from explorer.session.state import Session
from tests.waiting import wait_until

SAMPLES = Path(__file__).parents[2] / "sample_data"
FILES = [
    str(SAMPLES / name)
    for name in ("kitchen.svmlight", "karate.graphml", "letters.pairs.csv", "animals.conllu", "weather.csv")
]
MINE = Path(__file__).parents[1] / "earlier" / "mine.py"
pytestmark = pytest.mark.filterwarnings("ignore:Both .variant. and .button_style.:PendingDeprecationWarning")


@pytest.fixture
def runner() -> Iterator[InThread]:
    made = InThread()
    yield made
    made.close()


@pytest.fixture
def kitchen() -> Task:
    ((task,), _) = open_files(FILES[:1])
    return task


def line() -> Listed:
    data = Dataset("line", [-2.0, -1.0, 1.0, 2.0], [-1, -1, 1, 1])
    return Listed(
        data, lambda x, y: np.array([y * x / 2]), lambda y, z: float(y != z), lambda x: (-1, 1), dim=1
    )


def wait(session: Session) -> None:
    """Train to the end."""
    wait_until(lambda: session.status != "running", session.collect)


# links


@pytest.mark.parametrize(
    "name", [FILES[0], "kitchen.svmlight", f"{MINE}:line", "mine.py:line", "line (Python)"]
)
@pytest.mark.parametrize("page", [studio_link, race_link])
def test_a_link_opens_no_file_and_runs_none(page: SimpleNamespace, name: str) -> None:
    found = page.read(f"task={name}&seed=4")
    assert len(found.problems) == 1
    assert "is not open here; start the explorer with it" in found.problems[0]


@pytest.mark.parametrize("file", FILES)
def test_a_link_to_a_file_that_the_server_has_shows_the_same_run(file: str) -> None:
    opened, _ = open_files([file])
    recipe = Recipe(opened[0], settings={"C": 3.0}, oracle=opened[0].oracles[-1])
    text = studio_link.query(recipe, {})
    assert str(SAMPLES) not in text, "visitors do not learn in which folder the file is"
    found = studio_link.read(text, opened)
    assert (found.recipe, found.problems) == (recipe, ())


def test_a_link_that_wishes_for_nothing_shows_the_first_file(kitchen: Task) -> None:
    assert studio_link.read("", [kitchen]).recipe.task is kitchen
    assert studio_link.read("theme=dark", [kitchen]).recipe.task is kitchen
    assert studio_link.read("task=circle", [kitchen]).recipe.task.name == "circle"


def test_two_files_of_one_name_are_refused() -> None:
    with pytest.raises(Refused, match=r"two files are called kitchen.svmlight; rename one"):
        open_files([FILES[0], FILES[0]])


# the studio and the race


@pytest.mark.parametrize("file", [*FILES, f"{MINE}:line"])
def test_every_view_that_fits_shows_a_file(runner: InThread, file: str) -> None:
    ((task,), _) = open_files([file])
    session = Session(Recipe(task, rule={"steps": 3}), runner)
    session.play()
    wait(session)
    studio = Studio(session=session)
    for kind in studio.kinds:
        studio.stage.bring(kind)
    assert set(studio.views) == set(studio.kinds)
    studio.shell.close()


def test_a_server_that_was_started_with_a_saved_run_shows_it_and_goes_on(
    runner: InThread, tmp_path: Path
) -> None:
    place = tmp_path / "model.zip"
    assert main(["train", FILES[0], "--test", "0.25", "--C", "3", "--steps", "2", "--out", str(place)]) == 0
    (task,), runs = open_files([str(place)])
    assert task.name == "kitchen.svmlight"
    link = studio_link.read("", [task], runs[0].recipe)
    session = Session(link.recipe, runner, [task])
    show_past_run(session, runs)
    assert (len(session.trace), session.recipe().settings["C"], len(session.test or ())) == (2, 3.0, 5)
    session.choices.rule.steps = 0
    session.play()
    wait(session)
    assert len(session.trace) > 2
    assert len(runs[0].trace) == 2, "the next visitor sees what was saved"
    other = Session(Recipe("circle"), runner, [task])
    show_past_run(other, runs)
    assert len(other.trace) == 0


def test_a_saved_run_of_python_needs_its_file_beside_it(tmp_path: Path) -> None:
    place = tmp_path / "run.zip"
    assert main(["train", f"{MINE}:line", "--steps", "1", "--out", str(place)]) == 0
    with pytest.raises(Refused, match="which no saved run may start by itself"):
        open_files([str(place)])
    opened, runs = open_files([str(place), f"{MINE}:line"])
    assert (len(opened), len(runs[0].trace)) == (1, 1)


def test_the_menu_offers_the_file_and_its_structures_choices(runner: InThread, kitchen: Task) -> None:
    session = Session(Recipe("circle"), runner, [kitchen])
    controls = Controls(session)
    assert controls.shown["data"]["task"].options["kitchen.svmlight"] == "kitchen.svmlight"
    session.choices.task = "kitchen.svmlight"
    assert controls.shown["data"]["about"].object == "Data from the file kitchen.svmlight."
    assert "model.edges" in controls.shown["model"]
    assert set(session.choices.param.loss.objects) == {
        "hamming",
        "hamming-normalised",
        "hamming-percent",
        "f-score",
    }
    session.close()


def test_of_a_problem_in_python_only_the_learner_can_be_chosen(runner: InThread) -> None:
    session = Session(Recipe.of(line()), runner)
    assert [name for name, widgets in Controls(session).shown.items() if widgets] == ["data", "set", "rule"]
    session.close()


def test_learners_race_on_a_file(runner: InThread, kitchen: Task) -> None:
    parts = "&learners=n-slack,one-slack&passes=3&relative_gap=0.5"
    link = race_link.read(f"task=kitchen.svmlight{parts}", [kitchen])
    assert link.problems == ()
    page = RacePage(runner, link, [kitchen])
    wait_until(lambda: page.race.status != "running", page.race.collect)
    assert page.race.status == "stopped", page.race.message
    assert {name for name, trace in page.race.traces.items() if len(trace)} == {"n-slack", "one-slack"}
    assert "task=kitchen.svmlight" in page.query()
    page.shell.close()


# saved runs


@pytest.fixture
def run(tmp_path: Path) -> Path:
    out = tmp_path / "run.zip"
    assert main(["train", FILES[0], "--steps", "2", "--out", str(out)]) == 0
    return out


def bring(studio: Studio, content: bytes) -> None:
    """Upload a bundle, and wait until it has been read."""
    studio.sharing.upload.value = content
    wait_until(lambda: not (studio.sharing.reading or studio.sharing.making), studio.session.collect)


def test_bundles_that_are_empty_damaged_or_put_together_are_refused_and_change_nothing(
    runner: InThread,
) -> None:
    circle, points = Trace(), Recipe("two-gaussians", {"per_class": 3, "swapped": 0})
    for event in train(Recipe("circle").problem()[0], rule=Until(steps=2)):
        circle.append(event)
    damaged = saved.to_bytes(Recipe("circle", settings={"C": 2.0}).plain(), circle)
    mixed = saved.to_bytes(points.plain(), circle)
    wrong = saved.to_bytes(Recipe("circle").plain() | {"settings": {"C": "ten"}}, circle)
    studio = Studio(session=Session(Recipe("four-points"), runner))
    said: list[str] = []
    studio.sharing.notice = lambda text, *_: said.append(text)
    for content in (b"", b"PK\x03\x04", damaged[:-80], mixed, wrong):
        bring(studio, content)
    assert studio.session.choices.task == "four-points"
    assert [text.partition(";")[0] for text in said] == [
        "The file is empty",
        "The bundle cannot be opened: this file is not a zip file",
        "The bundle cannot be opened: this file is cut off, or was not written by the explorer",
        "The bundle cannot be opened: its record is of 12 examples and 9 weights, its recipe of 6 and 3",
        "The bundle cannot be opened: C is 'ten'",
    ]
    bring(studio, damaged)
    assert (studio.session.choices.task, len(studio.session.trace)) == ("circle", len(circle))
    assert "proved there and not here" in said[-1]
    studio.shell.close()


def test_the_studio_opens_a_run_of_the_command_line_if_it_has_its_file(
    runner: InThread, kitchen: Task, run: Path
) -> None:
    studio = Studio(session=Session(Recipe("circle"), runner, [kitchen]))
    bring(studio, run.read_bytes())
    assert (studio.session.choices.task, len(studio.session.trace)) == ("kitchen.svmlight", 2)
    studio.session.choices.settings.C = 2.0
    wait(studio.session)
    assert [at for at, _ in studio.session.trace.starts] == [0, 2], "the run goes on from its keyframe"
    studio.shell.close()


def test_without_its_file_the_studio_says_which_one_a_run_needs(runner: InThread, run: Path) -> None:
    said: list[str] = []
    studio = Studio(session=Session(Recipe("circle"), runner))
    studio.sharing.notice = said.append
    bring(studio, run.read_bytes())
    assert studio.session.choices.task == "circle"
    assert len(said) == 1
    assert "kitchen.svmlight is not open here; start the explorer with it" in said[0]
    studio.shell.close()


# notebooks


def test_a_notebook_opens_what_its_user_names() -> None:
    test = Dataset("more", [3.0], [1])
    for what, given, n in (
        (FILES[1], None, 1),
        (Path(FILES[0]), None, 20),
        (f"{MINE}:line", None, 4),
        (line(), test, 4),
    ):
        session = notebook.new_session(what, None, given, 0)
        assert (session.problem.n, session.test, len(session.trace)) == (n, given, 0)
        session.close()


def test_a_notebook_takes_learner_and_seed() -> None:
    session = notebook.new_session(line(), NSlack(C=7.0), None, 3)
    recipe = session.recipe()
    assert (recipe.learner, recipe.settings["C"], recipe.seed) == ("n-slack", 7.0, 3)
    session.close()


def test_a_notebook_opens_a_saved_run_with_its_file_or_the_problem_at_hand(run: Path, tmp_path: Path) -> None:
    session = notebook.saved_session(run, None)
    assert (len(session.trace), session.problem.n) == (2, 20)
    session.close()
    shutil.copy(MINE.with_name("mine.zip"), tmp_path)
    with pytest.raises(
        Refused,
        match=r"is a run of mine.py:line, which no saved run may start by itself; give mine.py:line again",
    ):
        notebook.saved_session(tmp_path / "mine.zip", None)
    session = notebook.saved_session(tmp_path / "mine.zip", f"{MINE}:line")
    assert (len(session.trace), session.problem.n) == (1, 4)
    session.close()


def test_what_is_a_saved_run_and_what_a_data_file() -> None:
    assert notebook.is_run("run.zip")
    assert notebook.is_run(Path("run"))
    assert not any(map(notebook.is_run, ("circle", Path("data.graphml"), Path("x.py:y"), None, line())))
