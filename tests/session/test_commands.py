"""What can be copied from a page runs, and gives the same."""

import re
import shlex
from dataclasses import replace

import pytest

from explorer.__main__ import main
from explorer.engine.catalogue.recipe import Recipe
from explorer.session.commands import race_cell, race_commands, studio_cell, study_command, train_command
from explorer.session.race import Setup
from explorer.session.study_store import settings
from explorer.studies import Temperature

SMALL = Setup(
    "blocks", {"n": 3, "n_test": 2, "length": 12}, ("n-slack", "frank-wolfe"), 5.0, 0.02, 20.0, 3, "seconds"
)


def test_the_notebook_cell_builds_the_same_recipe() -> None:
    recipe = Recipe(task="two-gaussians", learner="perceptron", settings={"averaged": True}, seed=5)
    seen = {}

    class Fake:
        Recipe = Recipe

        @staticmethod
        def explore(made: Recipe) -> None:
            seen["recipe"] = made

    exec(studio_cell(recipe).replace("import explorer", ""), {"explorer": Fake})
    assert seen["recipe"] == recipe


def test_the_command_line_names_every_choice() -> None:
    words = train_command(
        Recipe("blocks", data={"n": 7, "distortion": 0.3}, scaling="slack", learner="frank-wolfe")
    ).split()
    assert words[:3] == ["explorer", "train", "blocks"]
    assert "distortion=0.3" in words
    assert words[words.index("--scaling") + 1] == "slack"


def test_the_command_lines_run_and_find_the_same_objective_as_the_cell(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found: dict[str, object] = {}
    exec(race_cell(SMALL), found)
    said = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in said] == ["n-slack", "frank-wolfe"]
    traces = found["traces"]
    assert isinstance(traces, dict)
    lines = race_commands(SMALL).splitlines()
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
    assert "by='seconds'" in race_cell(SMALL)
    assert "by='oracle_calls'" in race_cell(replace(SMALL, clock="oracle calls"))


def test_the_command_of_a_study_names_what_differs() -> None:
    usual = settings(Temperature())
    assert study_command("temperature", usual) == "explorer reproduce temperature"
    assert (
        study_command("temperature", usual | {"length": 9}) == "explorer reproduce temperature --set length=9"
    )
