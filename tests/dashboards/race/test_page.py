"""The race's page without a browser: its link, what can be copied, its choices, and how often it is drawn."""

import re
import shlex
import time
from collections.abc import Iterator
from dataclasses import fields, replace
from types import SimpleNamespace
from urllib.parse import parse_qsl

import panel as pn
import pytest

from explorer.__main__ import main
from explorer.dashboards.race import page as module
from explorer.dashboards.race.link import LONGEST, Link, Look, command_lines, notebook_cell, query, read
from explorer.dashboards.race.page import MOST_NOTICES, RacePage
from explorer.engine.runs.trace import Trace
from explorer.session.race import FIRST, Setup
from explorer.session.runner import InThread

pytestmark = pytest.mark.filterwarnings("ignore:Both .variant. and .button_style.:PendingDeprecationWarning")

SMALL = Setup("blocks", {"n": 3, "n_test": 2, "length": 12}, ("n-slack", "frank-wolfe"), 5.0, 0.02, 20.0, 3, "seconds")
OTHER = {
    "task": "trees", "data": {"n": 7}, "learners": ("mira", "sgd", "bundle", "n-slack"), "C": 0.25, "relative_gap": 0.5,
    "passes": 7.5, "seed": 12, "clock": "seconds",
}  # fmt: skip
LOOKS = {"objective": "linear", "horizontal": "log", "standings": "hidden", "theme": "projector"}


# Links.


@pytest.mark.parametrize("name", [f.name for f in fields(Setup)])
def test_every_choice_survives_its_link(name: str) -> None:
    setup = replace(FIRST, **{name: OTHER[name]})
    assert setup != FIRST
    assert read(query(setup, Look())) == Link(setup, Look(), ())


@pytest.mark.parametrize("name", [f.name for f in fields(Look)])
def test_every_part_of_the_look_survives_its_link(name: str) -> None:
    look = replace(Look(), **{name: LOOKS[name]})
    assert look != Look()
    assert read("?" + query(FIRST, look)) == Link(FIRST, look, ())


def test_a_link_writes_its_version_and_every_setting() -> None:
    written = dict(parse_qsl(query(FIRST, Look())))
    data = {f"data.{name}" for name in FIRST.data}
    names = {f.name for f in (*fields(Setup), *fields(Look))} - {"data"}
    assert set(written) == {"v", *data, *names}
    assert (written["v"], written["data.n"]) == ("1", "100")


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
def test_what_a_link_says_wrongly_is_told_in_one_sentence_and_left_at_its_default(part: str, said: str) -> None:
    found = read(part)
    assert (found.setup, found.look, len(found.problems)) == (FIRST, Look(), 1)
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
    assert "'mira' was left out: This learner cannot keep extra rules on w; use a cutting-plane learner." in said
    usual = read("task=clouds&data.n=1&data.weights=non-negative")
    assert (usual.setup.learners, usual.problems) == (("one-slack", "n-slack", "sampled-cuts"), ())


def test_data_that_cannot_be_made_together_are_left_out() -> None:
    found = read("task=synth&data.n=2&data.fold=50")
    assert (found.setup.task, found.setup.data) == ("synth", Setup("synth").data)
    assert found.problems == ("The link's data were left out: fold is 50; there are 2 item sets, choose 1 to 2.",)


def test_a_link_that_is_far_too_long_shows_the_first_race() -> None:
    found = read("?C=3&learners=" + "mira," * LONGEST)
    assert (found.setup, len(found.problems)) == (FIRST, 1)
    assert "longer than" in found.problems[0]


# What can be copied.


def test_the_command_lines_run_and_find_the_same_objective_as_the_cell(capsys: pytest.CaptureFixture[str]) -> None:
    found: dict[str, object] = {}
    exec(notebook_cell(SMALL), found)
    said = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in said] == ["n-slack", "frank-wolfe"]
    traces = found["traces"]
    assert isinstance(traces, dict)
    lines = command_lines(SMALL).splitlines()
    assert len(lines) == 2
    for line, (name, trace) in zip(lines, traces.items(), strict=True):
        program, *words = shlex.split(line)
        assert (program, words[0], words[words.index("--learner") + 1]) == ("explorer", "train", name)
        assert main(words) == 0
        told = capsys.readouterr().out
        assert "blocks: 3 examples" in told
        assert "C=5" in told
        assert trace.starts[0][1].seed == 3
        primal = re.search(r"^primal ([\d.]+), ", told, re.MULTILINE)
        assert primal
        assert float(primal[1]) == pytest.approx(trace.column("primal")[-1], rel=1e-6)
        assert f"{len(trace)} steps" in told


def test_the_cell_races_on_the_chosen_clock() -> None:
    assert "by='seconds'" in notebook_cell(SMALL)
    assert "by='oracle_calls'" in notebook_cell(replace(SMALL, clock="oracle calls"))


# The page.


@pytest.fixture
def runner() -> Iterator[InThread]:
    made = InThread()
    yield made
    made.close()


@pytest.fixture
def page(runner: InThread) -> Iterator[RacePage]:
    made = RacePage(runner, Link(SMALL, Look("linear", "log", "hidden", "dark")))
    until(made)
    yield made
    made.shell.close()


def until(page: RacePage, done: str = "stopped") -> None:
    ends = time.monotonic() + 60
    while page.race.status != done:
        page.beat()
        assert time.monotonic() < ends, page.race.message
        time.sleep(0.01)


def test_a_page_opened_by_its_link_runs_the_same_race_and_looks_the_same(page: RacePage, runner: InThread) -> None:
    search = page.query()
    other = RacePage(runner, read(search))
    assert other.race.status == "running"
    until(other)
    assert other.query() == search == query(SMALL, Look("linear", "log", "hidden", "dark"))
    ends = [{n: trace.column("primal")[-1] for n, trace in one.race.traces.items()} for one in (page, other)]
    assert ends[0] == ends[1]
    assert (other.view.log_objective, other.view.log_clock, other.view.table_open) == (False, True, False)
    assert other.shell.theme == "dark"
    other.shell.close()


def test_the_link_follows_every_control(page: RacePage) -> None:
    page.chosen.value = ["n-slack", "one-slack", "mira"]
    page.race.param.update(C=2.0, seed=8)
    page.race.data.n = 4
    page.view.log_objective = True
    page.shell.theme = "light"
    found = read(page.query())
    assert found == Link(
        replace(SMALL, learners=("n-slack", "one-slack", "mira"), C=2.0, seed=8, data=SMALL.data | {"n": 4}),
        Look("log", "log", "hidden", "light"),
    )


def test_a_fifth_learner_gives_a_sentence_and_changes_nothing_else(page: RacePage) -> None:
    search, traces = page.query(), page.race.traces
    page.chosen.value = ["n-slack", "one-slack", "mira", "sgd", "bundle"]
    assert page.says.object == "Cannot start: choose two to four learners, not 5."
    assert page.query() == search
    assert page.race.traces is traces
    assert [one.name for one in page.view.lanes] == ["n-slack", "frank-wolfe"]
    page.sharing.take("Copy as command lines")
    assert page.sharing.clipboard.text == command_lines(SMALL)


def test_faults_of_a_link_are_told_on_the_page_but_not_without_end(runner: InThread) -> None:
    page = RacePage(runner, replace(read("<i>=1&" + "&".join(f"x{j}=1" for j in range(50))), setup=SMALL))
    told = [notice.object for notice in page.shell.notices]
    assert len(told) == MOST_NOTICES + 1
    assert "&lt;i&gt;" in told[0]
    assert told[-1] == f"{51 - MOST_NOTICES} more parts of the link were left out."
    page.shell.close()


def test_every_visitor_without_choices_watches_the_first_race(
    runner: InThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = SimpleNamespace(status="stopped", message="over", traces={"n-slack": Trace(), "mira": Trace()})
    monkeypatch.setattr(module, "first_race", lambda _: shared)
    for setup in (FIRST, FIRST, replace(FIRST, clock="seconds")):
        page = RacePage(runner, Link(setup))
        assert page.race.traces is shared.traces
        page.shell.close()
    shared.status = "running"
    page = RacePage(runner, Link(replace(FIRST, clock="seconds")))
    assert page.race.watched is None
    page.shell.close()


def test_learners_that_refuse_the_task_are_listed_with_their_reasons(page: RacePage) -> None:
    assert "binary-perceptron" not in page.chosen.options.values()
    assert "Only a binary problem" in page.reasons.object
    page.race.task = "two-gaussians"
    assert "binary-perceptron" in page.chosen.options.values()
    assert page.reasons.object == ""


def test_another_task_brings_the_widgets_of_its_data(page: RacePage) -> None:
    assert "Distortion" in [part.label for part in page.knobs]
    page.race.task = "trees"
    labels = [part.label for part in page.knobs]
    assert "Nodes" in labels
    assert "Distortion" not in labels
    page.race.task = "circle"
    assert [part.object for part in page.knobs] == ["These data have no settings."]


def test_an_impossible_size_is_refused_with_a_sentence(page: RacePage) -> None:
    page.race.task = "synth"
    page.race.data.fold = 50
    assert page.says.object.startswith("Cannot start: fold is 50; there are 5 item sets")


def test_keys_play_pause_reset_and_explain(page: RacePage) -> None:
    page.press(" ")
    assert page.race.status == "running"
    page.press(" ")
    assert page.race.status == "paused"
    page.press("r")
    assert (page.race.status, page.race.traces) == ("idle", {})
    page.press("x")
    assert page.race.status == "idle"
    page.press("?")
    assert page.help.open


def test_a_page_that_has_not_rested_is_not_drawn_until_the_race_is_over(
    page: RacePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[int] = []
    monkeypatch.setattr(page.view, "show", lambda lanes, clock: shown.append(sum(len(one.x) for one in lanes)))
    monkeypatch.setattr(page.pacing, "rested", lambda: False)
    ended = [False]
    monkeypatch.setattr(type(page.race), "ended", property(lambda _: ended[0]))
    page.press(" ")
    begun = len(shown)
    ends = time.monotonic() + 60
    while not page.race.runner.ended(page.race.key):
        page.beat()
        assert time.monotonic() < ends
        time.sleep(0.01)
    assert len(shown) == begun
    ended[0] = True
    page.beat()
    assert len(shown) == begun + 1
    assert page.race.status == "stopped"


def test_the_address_line_follows_the_choices(page: RacePage, monkeypatch: pytest.MonkeyPatch) -> None:
    where = SimpleNamespace(search="", protocol="http:", hostname="here", port="80", pathname="/race")
    monkeypatch.setattr(type(pn.state), "location", where)
    page.race.relative_gap = 0.5
    page._beaten = 0.0
    page.beat()
    assert read(where.search).setup.relative_gap == 0.5
    page.sharing.take("Copy link")
    assert page.sharing.clipboard.text == f"http://here:80/race{where.search}"
