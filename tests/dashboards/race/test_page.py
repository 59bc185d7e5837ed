"""The race's page without a browser: its choices, how often it is drawn, and its address."""

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace

import panel as pn
import pytest

from explorer.dashboards.race import page as module
from explorer.dashboards.race.link import RaceLink, RaceLook, query, read
from explorer.dashboards.race.page import RacePage
from explorer.dashboards.shell import MOST_NOTICES
from explorer.engine.runs.trace import Trace
from explorer.session.commands import race_commands
from explorer.session.race import FIRST, Setup
from explorer.session.runner import InThread
from tests.waiting import wait_until

pytestmark = pytest.mark.filterwarnings("ignore:Both .variant. and .button_style.:PendingDeprecationWarning")

SMALL = Setup(
    "blocks", {"n": 3, "n_test": 2, "length": 12}, ("n-slack", "frank-wolfe"), 5.0, 0.02, 20.0, 3, "seconds"
)


@pytest.fixture
def runner() -> Iterator[InThread]:
    made = InThread()
    yield made
    made.close()


@pytest.fixture
def page(runner: InThread) -> Iterator[RacePage]:
    made = RacePage(runner, RaceLink(SMALL, RaceLook("linear", "log", "hidden", "dark")))
    until(made)
    yield made
    made.shell.close()


def until(page: RacePage, done: str = "stopped") -> None:
    wait_until(lambda: page.race.status == done, page.beat, lambda: page.race.message)


def test_a_page_opened_by_its_link_runs_the_same_race_and_looks_the_same(
    page: RacePage, runner: InThread
) -> None:
    search = page.query()
    other = RacePage(runner, read(search))
    assert other.race.status == "running"
    until(other)
    assert other.query() == search == query(SMALL, RaceLook("linear", "log", "hidden", "dark"))
    ends = [{n: trace.column("primal")[-1] for n, trace in one.race.traces.items()} for one in (page, other)]
    assert ends[0] == ends[1]
    assert (other.view.log_objective, other.view.log_clock, other.view.standings_shown) == (
        False,
        True,
        False,
    )
    assert other.shell.theme == "dark"
    other.shell.close()


def test_the_link_follows_every_control(page: RacePage) -> None:
    page.chosen.value = ["n-slack", "one-slack", "mira"]
    page.race.param.update(C=2.0, seed=8)
    page.race.data.n = 4
    page.view.log_objective = True
    page.shell.theme = "light"
    found = read(page.query())
    assert found == RaceLink(
        replace(SMALL, learners=("n-slack", "one-slack", "mira"), C=2.0, seed=8, data=SMALL.data | {"n": 4}),
        RaceLook("log", "log", "hidden", "light"),
    )


def test_a_fifth_learner_gives_a_sentence_and_changes_nothing_else(page: RacePage) -> None:
    search, traces = page.query(), page.race.traces
    page.chosen.value = ["n-slack", "one-slack", "mira", "sgd", "bundle"]
    assert page.says.object == (
        "Finished: every learner has stopped. Choose two to four learners, not 5. Until then this race stays."
    )
    assert page.query() == search
    assert page.race.traces is traces
    assert [one.name for one in page.view.lanes] == ["n-slack", "frank-wolfe"]
    page.sharing.take("Copy as command lines")
    assert page.sharing.clipboard.text == race_commands(SMALL)


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
        page = RacePage(runner, RaceLink(setup))
        assert page.race.traces is shared.traces
        page.shell.close()
    shared.status = "running"
    page = RacePage(runner, RaceLink(replace(FIRST, clock="seconds")))
    assert page.race.watched is None
    page.shell.close()


def test_learners_that_refuse_the_task_are_listed_with_their_reasons(page: RacePage) -> None:
    assert "binary-perceptron" not in page.chosen.options.values()
    assert "Only a binary problem" in page.reasons.object
    page.race.task = "two-gaussians"
    assert "binary-perceptron" in page.chosen.options.values()
    assert "Only a binary problem" not in page.reasons.object
    assert "Only label sequences can be counted" in page.reasons.object


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
    assert "Fold is 50; there are 5 item sets" in page.says.object


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
    monkeypatch.setattr(
        page.view, "show", lambda lanes, clock: shown.append(sum(len(one.x) for one in lanes))
    )
    monkeypatch.setattr(page.pacing, "may_draw", lambda: False)
    ended = [False]
    monkeypatch.setattr(type(page.race), "ended", property(lambda _: ended[0]))
    page.press(" ")
    begun = len(shown)
    wait_until(lambda: page.race.runner.has_ended(page.race.key), page.beat)
    assert len(shown) == begun
    ended[0] = True
    page.beat()
    assert len(shown) == begun + 1
    assert page.race.status == "stopped"


def test_the_address_line_follows_the_choices(page: RacePage, monkeypatch: pytest.MonkeyPatch) -> None:
    where = SimpleNamespace(search="", protocol="http:", hostname="here", port="80", pathname="/race")
    monkeypatch.setattr(type(pn.state), "location", where)
    page.race.relative_gap = 0.5
    page.beat()
    written = page.shell.address.query
    assert read(written).setup.relative_gap == 0.5
    page.sharing.take("Copy link")
    assert page.sharing.clipboard.text == f"http://here:80/race{written}"
