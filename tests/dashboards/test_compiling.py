"""What is compiled behind an open page: the line that says so, and when it falls silent."""

import sys

import pytest

from explorer.dashboards import compiling
from explorer.dashboards.compiling import Compiling, CompilingLine


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> Compiling:
    fresh = Compiling()
    monkeypatch.setattr(compiling, "COMPILING", fresh)
    monkeypatch.setattr(compiling, "is_compiled", lambda what: False)
    return fresh


def process(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    monkeypatch.setattr(compiling, "COMMAND", [sys.executable, "-c", code])


def test_where_everything_is_compiled_nothing_is_started_or_said(
    state: Compiling, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling, "is_compiled", lambda what: what == "all")
    monkeypatch.setattr(
        compiling.subprocess, "Popen", lambda *_, **__: pytest.fail("nothing is to be compiled")
    )
    state.announce()
    state.finish()
    assert CompilingLine().pane.object == ""


def test_a_page_says_what_is_compiled_and_falls_silent_when_that_is_done(
    state: Compiling, monkeypatch: pytest.MonkeyPatch
) -> None:
    process(monkeypatch, "print('sequences (1 of 2)', flush=True)\nprint('graphs (2 of 2)')")
    state.announce()
    line = CompilingLine()
    assert line.pane.object == "Compiling for other tasks:<br>in a moment"
    said: list[str] = []
    watching(state, said)
    state.finish()
    assert said == ["sequences (1 of 2)", "graphs (2 of 2)", ""]
    line.look()
    assert line.pane.object == ""


def watching(state: Compiling, said: list[str]) -> None:
    """Keep every word that the state takes on."""

    class Watched(Compiling):
        def __setattr__(self, name: str, value: str) -> None:
            said.append(value)
            object.__setattr__(self, name, value)

    state.__class__ = Watched


def test_a_process_that_ends_early_is_told_to_the_log_and_not_waited_for(
    state: Compiling, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    process(monkeypatch, "raise SystemExit(3)")
    state.announce()
    state.finish()
    assert state.words == ""
    assert "ended early" in caplog.text
