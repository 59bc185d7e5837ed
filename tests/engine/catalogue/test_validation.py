"""Cross-validation: what is left out, what is chosen, and who has no say in the choice."""

from dataclasses import replace

import numpy as np
import pytest

from explorer.command_line.main import main
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.validation import (
    WHOLE,
    FoldScore,
    Kept,
    Validation,
    best_point,
    curve,
    folds_of,
    nested_scores,
    scores_of,
)
from explorer.engine.learners import SequentialDual
from explorer.engine.objective import mean_loss
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Cancelled, train

SMALL = Recipe(
    "blocks",
    data={"n": 8, "length": 20},
    learner="sequential-dual",
    rule={"relative_gap": 1e-6, "passes": 200.0},
)


def validation(**settings) -> Validation:
    return Validation(SMALL, {"C": [10.0, 1.0]}, **{"folds": 2, **settings})


def test_every_example_is_left_out_once_and_folds_differ_by_at_most_one() -> None:
    for n, folds in ((10, 5), (11, 3), (7, 7)):
        parts = folds_of(n, folds, 0)
        assert sorted(np.concatenate(parts).tolist()) == list(range(n))
        assert max(map(len, parts)) - min(map(len, parts)) <= 1
    with pytest.raises(Refused, match="at most 3"):
        folds_of(3, 4, 0)


def test_scores_are_those_of_runs_by_hand_on_the_other_folds() -> None:
    plan = validation()
    found = [score for job in scores_of(plan) for score in job]
    problem, _ = SMALL.problem()
    data = problem.dataset
    for score in found[::2]:  # from the smallest C, which begins with nothing
        held = folds_of(8, 2, plan.seed + 1 + WHOLE)[score.fold]
        rest = np.setdiff1d(np.arange(8), held)
        parts = [
            replace(data, inputs=[data.inputs[i] for i in at], labels=[data.labels[i] for i in at])
            for at in (rest, held)
        ]
        learner = SequentialDual(**{**SMALL.settings, "C": dict(score.point)["C"]})
        *_, last = (
            e for e in train(problem.on(parts[0]), learner, rule=SMALL.make_rule()) if hasattr(e, "w")
        )
        assert score.loss == pytest.approx(mean_loss(problem.on(parts[1]), last.w), abs=1e-12)
        assert score.wrong == pytest.approx(score.loss / 20)
    assert [dict(s.point)["C"] for s in found] == [1.0, 10.0, 1.0, 10.0], "warm, from small C to large"


def test_the_smallest_mean_loss_is_chosen_and_of_equal_ones_the_smallest_price() -> None:
    def score(fold: int, C: float, loss: float) -> FoldScore:
        return FoldScore(fold, (("C", C),), loss, float("nan"), 0.0)

    scores = [
        score(0, 10.0, 2.0),
        score(1, 10.0, 4.0),
        score(0, 1.0, 3.0),
        score(1, 1.0, 3.0),
        score(0, 0.1, 9.0),
    ]
    assert [(mean, error) for _, mean, error in curve(scores[:4])] == [(3.0, 1.0), (3.0, 0.0)]
    assert best_point(scores) == (("C", 1.0),)


@pytest.mark.spec("A37")
def test_the_outer_fold_has_no_part_in_the_choice() -> None:
    plan = validation(outer=2)
    inner = [score for job in scores_of(plan) for score in job]
    assert {s.outer for s in inner} == {0, 1}
    for job in plan.jobs:
        inside, outside = plan.parts(np.arange(8), 2, job.outer, plan.seed)
        training, left_out = plan.parts(inside, 2, job.fold, plan.seed + 1 + job.outer)
        assert not {*training, *left_out} & {*outside}
        assert sorted([*training, *left_out, *outside]) == list(range(8))
    found = list(nested_scores(plan, inner))
    assert [s.outer for s in found] == [0, 1]
    assert all(s.fold == WHOLE for s in found)
    for score in found:
        assert score.point == best_point([s for s in inner if s.outer == score.outer])


def test_curves_have_their_nodes_where_the_training_folds_say() -> None:
    recipe = Recipe("blocks", data={"n": 6, "length": 20}, rule={"relative_gap": 0.1})
    plan = Validation(recipe, {"model.emissions": ["raw", "pieces"], "model.nodes": [3], "C": [1.0]}, folds=2)
    assert len(plan.points) == 2
    scores = [score for job in scores_of(plan) for score in job]
    assert len(scores) == 4
    assert {dict(s.point)["model.emissions"] for s in scores} == {"raw", "pieces"}


def test_a_validation_is_taken_up_where_it_ended(tmp_path) -> None:
    plan, place = validation(), tmp_path / "cv.jsonl"
    kept = Kept(place, plan)
    jobs = scores_of(plan)
    first = next(jobs)
    kept.add(first)
    assert kept.read() == first
    rest = list(scores_of(plan, kept.read()))
    assert [job[0].fold for job in rest] == [1]
    whole = [score for job in scores_of(plan) for score in job]
    timed = [replace(s, seconds=0.0) for s in [*first, *rest[0]]]
    assert timed == [replace(s, seconds=0.0) for s in whole]
    with place.open("a") as file:
        file.write('[{"fold": 1, "po')  # a line that was cut off is computed again
    assert kept.read() == first
    with pytest.raises(Refused, match="another validation"):
        Kept(place, validation(folds=4)).read()


def test_two_workers_find_the_same_as_one() -> None:
    plan = validation()

    def scores(workers: int) -> list[FoldScore]:
        found = [score for job in scores_of(plan, workers=workers) for score in job]
        return sorted((replace(s, seconds=0.0) for s in found), key=lambda s: (s.fold, s.point))

    assert scores(1) == scores(2)


def test_a_cancelled_validation_ends_at_the_next_oracle_call() -> None:
    with pytest.raises(Cancelled):
        list(scores_of(validation(), cancelled=lambda: True))


def test_a_grid_of_what_does_not_exist_is_refused() -> None:
    with pytest.raises(Refused, match="no setting 'D'"):
        Validation(SMALL, {"D": [1.0]})
    with pytest.raises(Refused, match="at least one"):
        Validation(SMALL, {"C": []})
    with pytest.raises(Refused, match="at least 2"):
        validation(folds=1)


def test_the_command_prints_the_choice_and_goes_on_from_its_file(tmp_path, capsys) -> None:
    args = ["validate", "blocks", "--data", "n=8", "--data", "length=20", "--grid", "C=1,10", "--folds", "2"]
    args += ["--nested", "2", "--out", str(tmp_path / "cv.jsonl")]
    assert main(args) == 0
    first = capsys.readouterr().out
    assert "<- chosen" in first
    assert "nested validation says" in first
    assert main(args) == 0
    again = capsys.readouterr().out
    assert "going on after 2 folds" in again
    assert first.splitlines()[-1] == again.splitlines()[-1]
    assert main(["validate", "blocks", "--grid", "C"]) == 2
