"""The command line: what it prints, what it refuses, and that an interrupted run is kept."""

import contextlib
import json
import os
import pkgutil
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from explorer import __version__, command_line
from explorer.__main__ import main
from explorer.command_line import small_runs
from explorer.command_line.main import COMMANDS
from explorer.command_line.wording import clean
from explorer.engine import compiled
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.tasks import TASKS
from explorer.engine.events import Bounds, Started, Step, Stopped
from explorer.engine.knobs import knobs
from explorer.engine.learners import LEARNERS, name_of
from explorer.engine.runs import saved as bundle
from explorer.engine.runs.trace import Trace
from explorer.progress import LiveFigures
from explorer.studies import STUDIES

EXPLORER = [sys.executable, "-m", "explorer"]
ENDLESS = [
    "train",
    "blocks",
    "--learner",
    "sgd",
    "--data",
    "n=4",
    "--data",
    "length=20",
    "--relative-gap",
    "0",
]

OWN = '''
"""Two classes on a line."""

import signal
import time

import numpy as np

from explorer import Dataset, Listed, Plain, Pricing

data = Dataset("line", [-2.0, -1.0, 1.0, 2.0], [-1, -1, 1, 1])


def psi(x, y):
    return np.array([y * x / 2, y / 2])


def delta(y, z):
    return float(y != z)


problem = Listed(data, psi, delta, lambda x: (-1, 1), dim=2)
smaller = Listed(Dataset("three", data.inputs[:3], data.labels[:3]), psi, delta, lambda x: (-1, 1), dim=2)
number = 3


def with_test():
    return problem, Dataset("test", [-3.0, 3.0], [-1, 1])


def asleep():
    def worst(w, x, y):
        print("in the oracle", flush=True)
        while signal.getsignal(signal.SIGINT) is not signal.SIG_DFL:
            time.sleep(0.01)
        print("asked to stop", flush=True)
        time.sleep(1000.0)
        return y

    return Plain(data, psi, delta, lambda w, x: 1, worst, dim=2)
'''


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A user's file with problems in it."""
    path = tmp_path / "mine.py"
    path.write_text(OWN)
    return path


@pytest.fixture(autouse=True)
def untouched_path() -> Iterator[None]:
    """Loading a user's file puts its folder on the path; tests take it off again."""
    before = list(sys.path)
    yield
    sys.path[:] = before


class Ran:
    """What a command printed and returned."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def explorer(capsys: pytest.CaptureFixture[str]):
    """Run a command in this process."""

    def run(*args: object) -> Ran:
        code = main([str(arg) for arg in args])
        return Ran(code, *capsys.readouterr())

    return run


def relative_gap(text: str) -> float:
    """The last relative gap that was printed."""
    return float(re.findall(r"relative gap ([\d.e+-]+)", text)[-1])


# what there is


def test_the_version_is_told_without_loading_anything_large() -> None:
    ran = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "explorer", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == f"explorer {__version__}\n"
    for heavy in ("numpy", "scipy", "numba", "sklearn", "cvxpy", "rich"):
        assert f"{heavy}\n" not in ran.stderr


def test_every_command_is_the_module_of_its_name() -> None:
    here = [found.name for found in pkgutil.iter_modules(command_line.__path__)]
    commands = [name for name in here if hasattr(import_module(f"explorer.command_line.{name}"), "options")]
    assert sorted(commands) == sorted(COMMANDS)


def test_only_the_command_that_is_typed_is_loaded() -> None:
    code = "import sys, explorer.command_line.main as m\nm.parser(['serve'])\nprint(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(ran.stdout.split())
    assert "explorer.command_line.serve" in loaded
    assert not loaded & {"explorer.command_line.train", "explorer.command_line.tasks", "numpy", "panel"}


def test_tasks_lists_every_task_with_its_losses(explorer) -> None:
    ran = explorer("tasks")
    assert ran.code == 0
    for task in TASKS:
        assert task.name in ran.out
        assert task.title in ran.out
        assert task.help in ran.out
        assert all(loss in ran.out for loss in task.losses)


def test_one_task_tells_its_data_settings_and_who_refuses_it(explorer) -> None:
    ran = explorer("tasks", "two-gaussians")
    assert "--data per_class=20: Points in each class. [2 to 500]" in ran.out
    ran = explorer("tasks", "circle")
    assert "12 examples, none to test on, 9 weights" in ran.out
    assert re.search(r"binary-perceptron +refuses: Only a binary problem", ran.out)
    assert re.search(r"n-slack +n-slack cutting plane", ran.out)


def test_learners_are_listed_with_every_setting_and_its_help(explorer) -> None:
    text = " ".join(explorer("tasks", "--learners").out.split())
    for learner in LEARNERS:
        assert f"{name_of(learner)}: {learner.title}" in text
        for name, _, knob in knobs(learner):
            assert re.search(rf"--set {name}=[^:]+: {re.escape(knob.help)}", text)


# training


def test_training_on_the_circle_reaches_its_gap_and_says_that_it_is_a_certificate(explorer) -> None:
    ran = explorer("train", "circle")
    assert ran.code == 0
    assert ran.err == ""
    assert relative_gap(ran.out) <= 1e-3
    assert "stopped: the relative gap" in ran.out
    assert "a certificate, the oracle is exact" in ran.out
    assert "training loss 0.08333 (mean zero-one)" in ran.out  # one of twelve points is mislabelled


def test_digit_words_reach_a_relative_gap_of_a_thousandth_from_a_cold_start(tmp_path: Path) -> None:
    ran = subprocess.run(
        [*EXPLORER, "train", "digit-words"], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert relative_gap(ran.stdout) <= 1e-3
    assert "a certificate" in ran.stdout
    assert re.search(r"training loss [\d.]+, test loss [\d.]+ \(mean hamming\)", ran.stdout)


def test_a_learner_without_bounds_says_that_it_proves_nothing(explorer) -> None:
    ran = explorer(
        *["train", "two-gaussians", "--learner", "perceptron", "--data", "swapped=2", "--set", "passes=3"]
    )
    assert ran.code == 0
    assert "no upper bound is known" in ran.out
    ran = explorer("train", "circle", "--learner", "sgd", "--passes", "20")
    assert "no certificate, this learner knows no lower bound" in ran.out
    assert "stopped: 20 passes over the examples were made" in ran.out


def test_every_choice_of_the_command_line_reaches_the_recipe(explorer, tmp_path: Path) -> None:
    out = tmp_path / "run.zip"
    line = "train blocks --learner n-slack --C 3 --loss zero-one --oracle Viterbi --predictor Viterbi "
    line += "--scaling slack --penalty squared --seed 5 --set order=each --set eps=0.01 "
    line += "--data n=3 --data length=12 --steps 2"
    ran = explorer(*line.split(), "--gap", "0.5", "--seconds", "9", "--passes", "7", "--out", out)
    assert ran.code == 0
    recipe = bundle.load(out).recipe
    assert (recipe["learner"], recipe["loss"], recipe["seed"]) == ("n-slack", "zero-one", 5)
    assert (recipe["scaling"], recipe["penalty"]) == ("slack", "squared")
    assert (recipe["settings"]["C"], recipe["settings"]["order"], recipe["settings"]["eps"]) == (
        3.0,
        "each",
        0.01,
    )
    assert (recipe["data"]["n"], recipe["data"]["length"]) == (3, 12)
    assert recipe["rule"] == {"relative_gap": 1e-3, "gap": 0.5, "passes": 7.0, "seconds": 9.0, "steps": 2}


def test_settings_of_the_model_are_taken_by_their_own_option_and_by_that_of_the_data(
    explorer, tmp_path: Path
) -> None:
    out = tmp_path / "run.zip"
    few = ["train", "clouds", "--data", "n=2", "--data", "points=5", "--steps", 1, "--out", out]
    assert explorer(*few, "--data", "normalise=no", "--model", "loss_in_oracle=no").code == 0
    recipe = bundle.load(out).recipe
    assert (recipe["model"]["normalise"], recipe["model"]["loss_in_oracle"]) == (False, False)
    assert "normalise" not in recipe["data"]
    assert (
        explorer("train", "--resume", out, "--model", "normalise=yes").err.count("is of another model") == 1
    )
    assert "--model pairwise=symmetric: How neighbours are scored" in explorer("tasks", "blobs").out


def test_yes_and_no_are_read_as_such(explorer, tmp_path: Path) -> None:
    out = tmp_path / "run.zip"
    explorer(
        "train", "circle", "--learner", "frank-wolfe", "--set", "averaged=yes", "--steps", 2, "--out", out
    )
    assert bundle.load(out).recipe["settings"]["averaged"] is True


def test_a_saved_run_is_shown_and_goes_on_bit_for_bit(explorer, tmp_path: Path) -> None:
    part, whole, again = tmp_path / "part.zip", tmp_path / "whole.zip", tmp_path / "again.zip"
    digits = ["train", "digit-words", "--data", "n=12", "--relative-gap", "0"]
    assert explorer(*digits, "--steps", 9, "--out", whole).code == 0
    assert explorer(*digits, "--steps", 4, "--out", part).code == 0
    ran = explorer("train", "--resume", part, "--steps", 5, "--out", again)
    assert ran.code == 0
    a, b = bundle.load(whole).trace, bundle.load(again).trace
    assert len(a) == len(b) == 9
    assert a.at(-1).w.tobytes() == b.at(-1).w.tobytes()

    shown = explorer("show", again)
    assert shown.code == 0
    assert "9 steps, made by version" in shown.out
    assert "task: digit-words" in shown.out
    assert shown.out.count("stopped at step") == 2
    assert len(re.findall(r"^ +\d+ +\d+ ", shown.out, re.MULTILINE)) == 9

    tree = json.loads(explorer("show", again, "--json").out)
    assert tree["recipe"]["task"] == "digit-words"
    assert [row["k"] for row in tree["table"]] == list(range(9))
    assert tree["table"][-1]["certificate"] is True
    assert tree["stops"][0]["reason"] == "steps"


def test_a_saved_run_goes_on_under_another_price(explorer, tmp_path: Path) -> None:
    out = tmp_path / "run.zip"
    explorer("train", "circle", "--out", out)
    ran = explorer("train", "circle", "--resume", out, "--C", 2, "--out", out)
    assert relative_gap(ran.out) <= 1e-3
    fresh = explorer("train", "circle", "--C", 2)
    primal = [re.findall(r"primal ([\d.]+)", text)[-1] for text in (ran.out, fresh.out)]
    assert float(primal[0]) == pytest.approx(float(primal[1]), rel=1e-3)


def test_a_run_of_ones_own_problem_trains_saves_and_goes_on(explorer, own: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.zip"
    ran = explorer("train", f"{own}:problem", "--out", out)
    assert ran.code == 0
    # By hand: 1/2 w^2 + (1 - w) / 2, the mean of two hinges 1 - w and two that are 0, is least at w = 1/2.
    assert re.search(r"primal 0\.375, dual 0\.375", ran.out)
    assert bundle.load(out).recipe["task"] == f"{own}:problem"
    assert f"task: {own}:problem" in explorer("show", out).out
    assert explorer("train", f"{own}:problem", "--resume", out, "--C", 2).code == 0
    assert "test loss 0 " in explorer("train", f"{own}:with_test", "--learner", "n-slack").out


# refusals


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("train nope", "there is no task 'nope'; choose one of digit-words"),
        ("train circle --learner nope", "there is no learner 'nope'; choose one of"),
        ("train circle --set nope=1", "NSlack has no setting 'nope'; it has C, eps"),
        ("train circle --set eps=abc", "--set eps is 'abc'; give a number"),
        ("train circle --set prune_after=1.5", "--set prune_after is '1.5'; give a whole number"),
        ("train circle --set eps", "--set eps has no value; write --set name=value"),
        ("train circle --set eps=99", "eps is 99.0; it must be"),
        ("train circle --set order=x", "order is 'x'; choose one of batch"),
        ("train circle --learner frank-wolfe --set averaged=maybe", "averaged is 'maybe'; write yes or no"),
        ("train circle --learner perceptron --C 1", "Perceptron has no setting 'C'"),
        ("train circle --C -3", "C is -3.0; it must be"),
        ("train circle --C nan", "C is nan; it must be"),
        ("train circle --loss x", "circle has no loss 'x'; choose one of zero-one"),
        ("train circle --scaling x", "scaling is 'x'; choose one of margin, slack"),
        ("train circle --oracle x", "circle has no oracle 'x'"),
        ("train circle --seed -1", "seed is -1; it must be"),
        ("train circle --gap -1", "gap is -1.0; it must be"),
        ("train blocks --data n=1", "n is 1; it must be 2 to 500"),
        ("train blocks --data m=1", "Blocks has no setting 'm'; it has n"),
        ("train circle --data n=1", "Circle has no setting 'n'; it has none"),
        ("train stripes --model n=1", "GraphModel has no setting 'n'; it has pairwise"),
        ("train circle --learner binary-perceptron", "Only a binary problem has a line between two classes"),
        ("train circle --learner one-slack --penalty squared", "use the n-slack learner"),
        ("train circle --out nowhere/run.zip", "to save to; make it first"),
        ("train circle --out .", "is a folder"),
        ("train", "name a task"),
        ("train --resume none.zip", "there is no file none.zip"),
        ("train mine.py:nothing", "has nothing called nothing"),
        ("train mine.py:number", "is of type int, without name"),
        ("train mine.py:data", "is of type Dataset, without n"),
        ("train none.py:problem", "there is no file none.py"),
        (
            "train mine.py:problem --loss hamming",
            "mine.py:problem has a loss of its own, not 'hamming'; it is",
        ),
        (
            "train mine.py:problem --oracle greedy",
            "has an oracle of its own, not 'greedy'; it is a problem in",
        ),
        ("train mine.py:problem --scaling slack", "has margin scaling and linear slacks; it is a problem in"),
        ("train mine.py:problem --data n=3", "has no setting 'n'; it has none"),
        ("tasks nope", "there is no task 'nope'"),
        ("show none.zip", "there is no file none.zip"),
        ("show mine.py", "this file is not a zip file"),
    ],
)
def test_a_refusal_is_one_sentence_and_exit_code_two(
    explorer, own: Path, monkeypatch: pytest.MonkeyPatch, line: str, sentence: str
) -> None:
    monkeypatch.chdir(own.parent)
    ran = explorer(*line.split())
    assert ran.code == 2
    assert ran.out == ""
    assert sentence in ran.err
    assert ran.err.startswith("explorer: ")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("line", ["", "nope", "train circle --gap abc", "train circle --nope", "show"])
def test_a_wrong_command_line_is_refused_in_one_line(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(line.split())
    assert caught.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("train blocks --resume run.zip", "is a run of two-gaussians, another task than blocks"),
        ("train --resume run.zip --learner one-slack", "is of another learner"),
        ("train --resume run.zip --seed 1", "is of another seed"),
        ("train two-gaussians --resume run.zip --data per_class=5", "is of another data"),
        (
            "train mine.py:problem --resume run.zip",
            "is a run of two-gaussians, another task than mine.py:problem",
        ),
        ("train --resume own.zip", "give mine.py:problem again"),
        ("train circle --resume own.zip", "is a run of mine.py:problem, another task than circle"),
        (
            "train mine.py:smaller --resume own.zip",
            "is a run of mine.py:problem, another task than mine.py:smaller",
        ),
        ("train mine.py:problem --resume own.zip --learner one-slack", "is of another learner"),
        ("train --resume empty.zip", "holds no keyframe"),
    ],
)
def test_a_run_does_not_go_on_as_another(
    explorer, own: Path, monkeypatch: pytest.MonkeyPatch, line: str, sentence: str
) -> None:
    monkeypatch.chdir(own.parent)
    explorer("train", "two-gaussians", "--out", "run.zip")
    explorer("train", "mine.py:problem", "--out", "own.zip")
    bundle.save("empty.zip", bundle.load("run.zip").recipe, Trace())
    ran = explorer(*line.split())
    assert ran.code == 2
    assert sentence in ran.err
    assert ran.err.count("\n") == 1


def test_a_run_whose_problem_has_changed_does_not_go_on(
    explorer, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(own.parent)
    explorer("train", "mine.py:problem", "--out", "own.zip")
    own.write_text(OWN.replace("problem = Listed(data", "problem = Listed(Dataset('x', [1.0], [1])"))
    ran = explorer("train", "mine.py:problem", "--resume", "own.zip")
    assert ran.code == 2
    assert "the saved run has 4 examples and 2 weights, this problem 1 and 2" in ran.err


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("task", 3),
        ("task", "nope"),
        ("data", {"per_class": "5"}),
        ("data", [1]),
        ("settings", {"C": "x"}),
        ("settings", {"C": [1]}),
        ("rule", {"steps": "1"}),
        ("learner", None),
        ("seed", "0"),
    ],
)
def test_a_saved_recipe_with_values_of_a_wrong_type_is_refused(
    explorer, tmp_path: Path, name: str, value: object
) -> None:
    out = tmp_path / "run.zip"
    explorer("train", "two-gaussians", "--out", out)
    found = bundle.load(out)
    bundle.save(out, found.recipe | {name: value}, found.trace)
    for line in (["train", "--resume", out], ["train", "two-gaussians", "--resume", out]):
        ran = explorer(*line)
        assert ran.code == 2
        assert ran.err.count("\n") == 1


def test_a_fault_in_the_middle_ends_the_run_and_keeps_it(explorer, tmp_path: Path) -> None:
    path, out = tmp_path / "faulty.py", tmp_path / "run.zip"
    path.write_text(
        OWN + "\ncount = 0\n"
        "def worst(w, x, y):\n"
        "    global count\n"
        "    count += 1\n"
        "    if count > 6:\n"
        "        raise ZeroDivisionError('the oracle divided by zero')\n"
        "    return -y\n"
        "faulty = Plain(data, psi, delta, lambda w, x: 1, worst, dim=2)\n"
    )
    ran = explorer("train", f"{path}:faulty", "--learner", "sgd", "--out", out)
    assert ran.code == 2
    assert "stopped: the oracle divided by zero" in ran.out
    assert len(bundle.load(out).trace) == 1


def test_text_from_a_file_cannot_command_the_terminal(explorer, tmp_path: Path) -> None:
    trace = Trace()
    trace.append(Started("p", "l", 1, 1, 0, True))
    trace.append(Step(0, np.zeros(1)))
    trace.append(Stopped("steps", "\x1b[2Jgone\nand more", 0))
    out = tmp_path / "run.zip"
    bundle.save(out, {"task": "\x1b]0;title\x07", "\x1b[31m": {"\x9b": "\u202e"}}, trace)
    shown = explorer("show", out).out
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", shown)
    assert clean("plain text") == "plain text"


# interruptions


def started(*args: object, folder: Path, until: str) -> subprocess.Popen[str]:
    """A command in a process of its own, once it has printed something."""
    child = subprocess.Popen(
        [*EXPLORER, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder
    )
    assert child.stdout is not None
    for line in child.stdout:
        if until in line:
            return child
    raise AssertionError(child.communicate()[1])


def test_ctrl_c_stops_cleanly_keeps_the_run_and_exits_with_130(explorer, tmp_path: Path) -> None:
    out = tmp_path / "run.zip"
    child = started(*ENDLESS, "--out", out, folder=tmp_path, until="oracle calls/s")
    child.send_signal(signal.SIGINT)
    text, error = child.communicate()
    assert child.returncode == 130, error
    assert error == ""
    assert "stopped: the run was cancelled" in text
    assert f"saved to {out}" in text
    kept = bundle.load(out)
    assert len(kept.trace) >= 1
    assert kept.trace.stops[-1][1].reason == "cancelled"
    assert explorer("train", "--resume", out, "--steps", 2).code == 0


def test_a_second_ctrl_c_kills(own: Path) -> None:
    child = started("train", f"{own}:asleep", folder=own.parent, until="in the oracle")
    child.send_signal(signal.SIGINT)
    assert child.stdout is not None
    assert child.stdout.readline() == "asked to stop\n"
    child.send_signal(signal.SIGINT)
    child.communicate()
    assert child.returncode == -signal.SIGINT


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    child = subprocess.Popen([*EXPLORER, "tasks"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.close()
    assert child.stderr is not None
    assert child.stderr.read() == b""
    child.stderr.close()
    assert child.wait() == 1


def test_a_command_may_run_outside_the_main_thread(capsys: pytest.CaptureFixture[str]) -> None:
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(main(["train", "four-points"])))
    thread.start()
    thread.join()
    assert codes == [0]


# progress


def test_the_bar_is_the_share_of_the_way_in_orders_of_magnitude() -> None:
    figures = LiveFigures(n=10, goal=1e-3)
    assert figures.done == 0.0
    figures.see(Step(0, np.zeros(1), bounds=Bounds(1.0, 0.0)))
    assert figures.done == 0.0
    figures.see(
        Step(1, np.zeros(1), bounds=Bounds(1.0, 0.9), detail={"planes": 3}, oracle_calls=20, seconds=2.0)
    )
    assert figures.done == pytest.approx(1 / 3)
    assert figures.items()["oracle calls/s"] == "10"
    assert figures.items()["pass"] == "2.0"
    assert figures.items()["planes"] == "3"
    figures.see(Step(2, np.zeros(1), bounds=Bounds(1.0, 1.0)))
    assert figures.done == 1.0


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_in_a_terminal_there_is_a_live_panel(tmp_path: Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    command = [*EXPLORER, *ENDLESS, "--seconds", "1"]
    child = subprocess.Popen(command, stdout=theirs, stderr=theirs, cwd=tmp_path, env=env)
    os.close(theirs)
    text = b""
    with contextlib.suppress(OSError):
        while piece := os.read(ours, 65536):
            text += piece
    os.close(ours)
    assert child.wait() == 0
    assert b"way to the gap" in text
    assert b"stopped: " in text


# the rest


def test_warming_up_leaves_nothing_to_compile(explorer) -> None:
    kernels = pytest.importorskip("explorer.engine.structures.chains.kernels.viterbi")
    if not hasattr(kernels.viterbi, "nopython_signatures"):
        pytest.skip("kernels are not compiled in this run")
    ran = explorer("warmup")
    assert re.fullmatch(r"all kernels are compiled: [\d.]+ s\n", ran.out)
    assert compiled.is_compiled("first")
    assert compiled.is_compiled("all")
    before = compilations()
    for task in TASKS:
        least = {name: knob.low for name, _, knob in knobs(task.data)}
        small = {"n": 4, "n_test": 2, "points": 8, "entities": 4, "topics": 2, "articles": 3, "pages": 8}
        data = {name: max(value, int(least[name])) for name, value in small.items() if name in least}
        for learner in LEARNERS:
            small_runs.try_run(Recipe(task.name, data, learner=name_of(learner)))
    assert compilations() == before


def test_what_is_compiled_first_is_all_that_the_first_page_needs(tmp_path: Path) -> None:
    env = {**os.environ, "EXPLORER_RUNS": str(tmp_path)}
    script = Path(__file__).parent / "first_page.py"
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, env=env)
    assert (ran.stdout, ran.stderr) == ("", "")


def compilations() -> dict[str, int]:
    """How often this process has compiled a kernel that it calls, instead of loading it."""
    found = {}
    for name, module in list(sys.modules.items()):
        if name.startswith("explorer.engine."):
            for kernel in vars(module).values():
                if hasattr(kernel, "nopython_signatures"):
                    found[f"{name}.{kernel.py_func.__name__}"] = sum(kernel.stats.cache_misses.values())
    return {name: count for name, count in found.items() if count}


def test_the_demo_trains_digit_words_and_says_what_to_try_next(
    explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    monkeypatch.setattr("explorer.command_line.train.run", lambda args, say: seen.append(args.task) or 0)
    ran = explorer("demo")
    assert ran.code == 0
    assert seen == ["digit-words"]
    assert "explorer tasks" in ran.out


# a saved run looked at again ---------------------------------------------------------------------------


def test_a_saved_run_is_looked_at_again(explorer, tmp_path: Path) -> None:
    out = tmp_path / "run.zip"
    explorer("train", "circle", "--out", out)
    ran = explorer("check", out)
    lines = ran.out.splitlines()
    assert ran.code == 0
    assert lines[0] == "circle: 12 examples; n-slack cutting plane, step 2"
    assert "  agrees  objective: 5.0886413 by a new pass of the oracle, 5.0886413 in the file" in lines
    # C = 10 on the mean of 12 slacks: 10 / 12 on their sum, 1 / 10 and 1 / 20 on the squared norm, 12 / 10.
    assert (
        "C = 10 on the mean slack is 0.833333 on the sum of slacks, lambda = 0.1 on |w|^2 / 2 or 0.05"
        in ran.out
    )
    assert "DIFFERS" not in ran.out


def test_a_saved_run_is_given_to_another_solver_and_its_program_is_written_as_code(
    explorer, tmp_path: Path
) -> None:
    out, program = tmp_path / "run.zip", tmp_path / "program.py"
    explorer("train", "circle", "--out", out)
    ran = explorer("check", out, "--code", program)
    rows = [line.split() for line in ran.out.splitlines()]
    assert ran.code == 0
    assert rows.count(["Objective", "5.0886413", "5.0886413"]) == 2  # over the cuts, and over all labellings
    assert rows.count(["Dual", "5.0886413", "5.0886413"]) == 2
    alone = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    assert alone.stdout == "optimum 5.088641265\n"


def test_a_run_without_an_objective_has_no_program(explorer, tmp_path: Path) -> None:
    out = tmp_path / "run.zip"
    explorer("train", "circle", "--learner", "perceptron", "--passes", "3", "--out", out)
    assert "cvxpy: this learner minimises no objective" in explorer("check", out).out
    refused = explorer("check", out, "--code", tmp_path / "program.py")
    assert refused.code == 2
    assert "leave out --code" in refused.err


def test_a_run_that_was_tampered_with_differs(explorer, tmp_path: Path) -> None:
    out = tmp_path / "run.zip"
    explorer("train", "circle", "--out", out)
    run = bundle.load(out)
    run.trace.weights.kept[len(run.trace) - 1] = np.zeros(9)
    bundle.save(out, run.recipe, run.trace)
    ran = explorer("check", out)
    assert ran.code == 1
    assert (
        " DIFFERS  objective: 10 by a new pass of the oracle, 5.0886413 in the file" in ran.out.splitlines()
    )


def test_a_run_of_ones_own_problem_is_looked_at_with_its_file(explorer, own: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.zip"
    explorer("train", f"{own}:problem", "--out", out)
    assert explorer("check", out).code == 2
    ran = explorer("check", out, f"{own}:problem")
    assert ran.code == 0
    assert ran.out.startswith(f"{own}:problem: 4 examples; n-slack cutting plane")


# the path over C --------------------------------------------------------------------------------------------


def test_a_path_is_printed_and_saved_as_a_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "path.json"
    asked = ["path", "circle", "--from", "0.5", "--to", "20", "--eps", "0.05", "--out", str(out)]
    assert main(asked) == 0
    lines = capsys.readouterr().out.splitlines()
    table = json.loads(out.read_text())
    assert lines[0].startswith("circle: 12 examples; n-slack cutting plane, C from 0.5 to 20 within 0.05")
    assert lines[1].split()[0] == "C"
    assert lines[-2].startswith(f"{len(table['C'])} points, ")
    assert min(table["low"]) <= 0.5
    assert max(table["high"]) >= 20.0
    assert all(gap <= 0.025 for gap in table["gap"])
    assert table["test_loss"] == [None] * len(table["C"])


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (["circle", "--from", "0"], "0 < from"),
        (["circle", "--learner", "perceptron"], "no lower bound"),
        (["nowhere"], "there is no task"),
        (["circle", "--out", "/no/such/folder/p.json"], "no folder"),
    ],
)
def test_a_path_that_cannot_be_had_is_refused_in_one_sentence(
    asked: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["path", *asked]) == 2
    assert why in capsys.readouterr().err


# published experiments run again ----------------------------------------------------------------------------


def test_studies_are_listed_with_their_sources_and_settings(explorer) -> None:
    text = " ".join(explorer("reproduce").out.split())
    for kind in STUDIES:
        assert f"{kind.name} {kind.title} ({kind.source}) {kind.about}" in text
        assert all(f"{name}=" in text for name, _, _ in knobs(kind))
    ran = explorer("reproduce", "inference-quality", "--settings")
    assert "--set count=1000: Random fields. [1 to 100000]" in ran.out


def test_a_study_prints_its_table_beside_the_published_numbers_and_its_findings(
    explorer, tmp_path: Path
) -> None:
    out, table = tmp_path / "study.json", tmp_path / "study.csv"
    ran = explorer("reproduce", "rho-sweep", "--quick", "--set", "seed=3", "--json", out, "--csv", table)
    assert ran.code == 0
    assert ran.err == ""
    assert "settings: data=synth2, " in ran.out
    assert "seed=3" in ran.out
    assert re.search(r"rho +training loss, % +\(published\) +test loss, % +\(published\)", ran.out)
    assert re.search(r"held: At rho = 0 nothing is learned", ran.out)
    saved = json.loads(out.read_text())
    assert saved["complete"] is True
    assert saved["settings"]["seed"] == 3
    assert len(saved["rows"]) == len(saved["published"]) == 11
    assert {finding["verdict"] for finding in saved["findings"]} <= {"held", "not held"}
    lines = table.read_text().splitlines()
    assert lines[0].startswith("rho,train_loss,test_loss,")
    assert len(lines) == 12


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (["nothing"], "there is no study 'nothing'"),
        (["stripes", "--set", "speed=1"], "StripesStudy has no setting 'speed'"),
        (["stripes", "--set", "n=0"], "n is 0; it must be 1 to 500"),
        (["stripes", "--csv", "/no/such/folder/rows.csv"], "no folder"),
    ],
)
def test_a_study_that_cannot_be_run_is_refused_in_one_sentence(explorer, asked: list[str], why: str) -> None:
    ran = explorer("reproduce", *asked)
    assert (ran.code, ran.out) == (2, "")
    assert why in ran.err
    assert ran.err.count("\n") == 1


def test_ctrl_c_keeps_the_rows_of_a_study(tmp_path: Path) -> None:
    out = tmp_path / "rows.json"
    endless = ["reproduce", "inference-quality", "--set", "count=100000", "--json", out]
    child = started(*endless, folder=tmp_path, until=" rows  field ")
    child.send_signal(signal.SIGINT)
    text, error = child.communicate()
    assert child.returncode == 130, error
    kept = json.loads(out.read_text())
    assert kept["complete"] is False
    assert 0 < len(kept["rows"]) < 500_000
    assert f"interrupted: {len(kept['rows'])} rows are kept" in text
