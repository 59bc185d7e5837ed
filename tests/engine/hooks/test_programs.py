"""The two programs of SVM-python: when each hook is called, and what is done without it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.engine.hooks.classifying import classify
from explorer.engine.hooks.learning import LearnerProgram
from explorer.engine.hooks.module import NAMES, NEEDED, Hooks
from explorer.engine.hooks.objects import SLACK, Sparm
from explorer.engine.refusals import Refused
from tests.engine.hooks.modules import smallest


def learn(hooks: Hooks, model: Path, way: int = 1, **options: Any) -> Any:
    return LearnerProgram(hooks, Sparm(**{"c": 10.0, **options}), way).run("train", model)


@pytest.mark.spec("D38")
def test_every_hook_of_the_learner_is_called_at_its_moment(tmp_path: Path) -> None:
    quiet = ("parse_parameters", "init_constraints", "print_iteration_stats", "print_learning_stats")
    written = {"write_model": lambda filename, sm, sparm: Path(filename).write_text("mine")}
    hooks = smallest(
        **{name: lambda *args: None for name in quiet},
        **written,
        loss=lambda y, ybar, sparm: float(y != ybar),
    )
    found = learn(hooks, tmp_path / "model")
    start = ["parse_parameters", "read_examples", "init_model", "init_constraints", "psi", "psi", "psi"]
    one_pass = ["find_most_violated_constraint", "psi", "loss"] * 3 + ["solve", "print_iteration_stats"]
    called = hooks.log.hooks()
    assert called[:7] == start
    assert called[-2:] == ["print_learning_stats", "write_model"]
    assert without_psi(called[7:-2]) == without_psi(one_pass * len(found.steps))
    after_psi = {(called[k - 1], called[k + 1]) for k in range(7, len(called)) if called[k] == "psi"}
    assert after_psi == {("find_most_violated_constraint", "loss")}
    assert (tmp_path / "model").read_text() == "mine"


def without_psi(called: list[str]) -> list[str]:
    """psi of a truth is remembered: when an oracle answers the truth, nobody asks for it again."""
    return [hook for hook in called if hook != "psi"]


@pytest.mark.spec("D38")
def test_every_hook_of_the_classifier_is_called_at_its_moment(tmp_path: Path) -> None:
    hooks = smallest(
        parse_parameters_classify=lambda attribute, value: None,
        loss=lambda y, ybar, sparm: float(y != ybar),
        write_label=lambda file, y: file.write(f"{y};"),
        eval_prediction=lambda exnum, example, ypred, sm, sparm, stats: exnum,
        print_testing_stats=lambda sample, sm, sparm, stats: None,
    )
    learn(hooks, tmp_path / "model")
    found = classify(hooks, "test", tmp_path / "model", [("--k", "3"), ("--j", "4")])
    one = ["classify_example", "write_label", "loss", "eval_prediction"]
    assert hooks.log.hooks("classify") == [
        *["parse_parameters_classify"] * 2,
        "read_examples",
        *one * 3,
        "print_testing_stats",
    ]
    assert found.written == "-1;1;1;"


@pytest.mark.spec("D38")
@pytest.mark.parametrize("way", [0, 1, 2, 3, 4])
def test_a_reader_a_model_features_a_predictor_and_an_oracle_are_enough(tmp_path: Path, way: int) -> None:
    hooks = smallest()
    assert set(hooks.functions) == {*NEEDED, "find_most_violated_constraint"}
    found = learn(hooks, tmp_path / "model", way, epsilon=1e-6)
    # By hand: the widest margin between -2 and 1 has w0 * 3 = 2, and the bias that puts both at distance 1.
    # Halved psi ask for a margin of 1: w0 x + w1 is -1 at -2 and 1 at 1, and |w|^2 grows with any other w0.
    assert found.sm.w == pytest.approx([2 / 3, 1 / 3], abs=1e-4)
    done = classify(hooks, "test", tmp_path / "model")
    assert (done.predictions, done.losses, done.written) == ([-1, 1, 1], [0.0, 0.0, 0.0], "-1\n1\n1\n")


@pytest.mark.spec("D38")
def test_the_oracle_of_the_kind_of_scaling_is_asked_first_and_the_predictor_last() -> None:
    both = smallest(
        find_most_violated_constraint_margin=lambda x, y, sm, sparm: y,
        find_most_violated_constraint_slack=lambda x, y, sm, sparm: -y,
    )
    assert both.most_violated(1.0, 1, None, Sparm()) == 1  # type: ignore[arg-type]
    assert both.most_violated(1.0, 1, None, Sparm(loss_type=SLACK)) == -1  # type: ignore[arg-type]
    lone = Hooks({name: lambda *args: 7 for name in NEEDED})
    assert lone.most_violated(1.0, 1, None, Sparm()) == 7  # type: ignore[arg-type]
    assert lone.log.hooks() == ["classify_example"]


@pytest.mark.spec("D39")
@pytest.mark.parametrize("missing", NEEDED)
def test_a_hook_that_is_missing_is_named(missing: str) -> None:
    functions = {name: hook for name, hook in smallest().functions.items() if name != missing}
    with pytest.raises(Refused, match=rf"^Could not find function {missing}!"):
        LearnerProgram(Hooks(functions)).run("train")


def test_every_hook_has_a_name_of_its_own() -> None:
    assert len(set(NAMES)) == len(NAMES) == 20


@pytest.mark.spec("D44")
def test_examples_without_a_label_are_predicted_and_have_no_loss(tmp_path: Path) -> None:
    hooks = smallest()
    learn(hooks, tmp_path / "model")
    some = smallest(read_examples=lambda name, sparm: [(-2.0, -1), (5.0, None), (1.0, -1)])
    found = classify(some, "test", tmp_path / "model")
    assert found.predictions == [-1, 1, 1]
    assert (found.losses, found.mean_loss) == ([0.0, 1.0], 0.5)
    none = smallest(read_examples=lambda name, sparm: [(5.0, None)])
    assert np.isnan(classify(none, "test", tmp_path / "model").mean_loss)
    with pytest.raises(Refused, match="no example with a label"):
        learn(none, tmp_path / "model")


@pytest.mark.spec("D44")
def test_examples_without_a_label_are_left_out_of_training(tmp_path: Path) -> None:
    more = smallest(read_examples=lambda name, sparm: [(-2.0, -1), (9.0, None), (1.0, 1), (3.0, 1)])
    all_known, some = learn(smallest(), tmp_path / "a"), learn(more, tmp_path / "b")
    assert some.sm.w == pytest.approx(all_known.sm.w, abs=1e-12)
    assert len(some.sample) == 4


@pytest.mark.spec("D45")
def test_statistics_begin_with_none_are_handed_on_and_delivered(tmp_path: Path) -> None:
    told: list[Any] = []

    def gather(exnum: int, example: Any, ypred: int, sm: Any, sparm: Any, teststats: Any) -> Any:
        told.append((exnum, example[1], ypred, teststats))
        return (teststats or ()) + (exnum,)

    delivered: list[Any] = []
    hooks = smallest(eval_prediction=gather, print_testing_stats=lambda *args: delivered.append(args[-1]))
    learn(hooks, tmp_path / "model")
    found = classify(hooks, "test", tmp_path / "model")
    assert told == [(0, -1, -1, None), (1, 1, 1, (0,)), (2, 1, 1, (0, 1))]
    assert delivered == [(0, 1, 2)] == [found.teststats]


def test_iteration_statistics_come_with_the_working_set_and_its_multipliers(tmp_path: Path) -> None:
    seen: list[Any] = []
    hooks = smallest(print_iteration_stats=lambda *args: seen.append(args))
    found = learn(hooks, tmp_path / "model", epsilon=1e-6)
    assert len(seen) == len(found.steps)
    _, cached, sample, sm, cset, alpha, _ = seen[-1]
    assert not cached
    assert len(sample) == 3
    # w is the sum of the constraints' documents, each as often as its multiplier says.
    w = np.zeros(2)
    for (document, _), times in zip(cset, alpha, strict=True):
        for term in document:
            for k, v in term:
                w[k] += times * term.factor * v
    assert w == pytest.approx(sm.w, abs=1e-9)


@pytest.mark.parametrize("wrong", [0, -1, None, 2.5, True])
def test_a_model_that_does_not_say_how_long_psi_is_is_refused(wrong: Any, tmp_path: Path) -> None:
    def init_model(sample: Any, sm: Any, sparm: Any) -> None:
        sm.size_psi = wrong

    with pytest.raises(Refused, match="size_psi"):
        learn(smallest(init_model=init_model), tmp_path / "model")


def test_an_index_beyond_size_psi_is_refused(tmp_path: Path) -> None:
    def init_model(sample: Any, sm: Any, sparm: Any) -> None:
        sm.size_psi = 1

    with pytest.raises(Refused, match=r"index 1; set sm\.size_psi to more than that, not 1"):
        learn(smallest(init_model=init_model), tmp_path / "model")
