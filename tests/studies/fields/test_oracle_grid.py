"""Which oracle to train with: the published grid again, at full size where that takes seconds."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.studies import OracleGrid
from explorer.studies.support import tables
from explorer.studies.support.fitting import Fitted, fit
from explorer.studies.support.rows import row, value
from explorer.studies.support.sets import (
    FIXED_C,
    SETS,
    default_loss,
    examples,
    losses_of,
    predicting,
    problem_of,
)
from explorer.studies.support.study import HELD, NOT_HELD
from tests.studies.fields.synth2_models import trained_on_synth2

OTHERS = ("greedy", "belief propagation", "combine", "exhaustive", "roof duality")


def trained(train: Dataset, oracle: str, C: float, edges: bool = True) -> tuple[Any, Fitted]:
    """The problem and its model."""
    problem = problem_of(train, oracle, "exhaustive", edges)
    return problem, fit(problem, C)


def mean_losses(problem: Any, model: Fitted, data: Dataset, predictors: tuple[str, ...]) -> dict[str, float]:
    """The mean loss under every predictor."""
    return {p: float(np.mean(losses_of(predicting(problem, data, p), model.w)[0])) for p in predictors}


@pytest.mark.spec("D22")
def test_synth1_is_learned_without_a_mistake_but_not_with_belief_propagation() -> None:
    train, test = examples("synth1")
    tested = {}
    for oracle in ("exhaustive", "roof duality", "belief propagation"):
        problem, model = trained(train, oracle, 1e3)
        tested[oracle] = mean_losses(problem, model, test, ("exhaustive",))["exhaustive"]
        if oracle != "belief propagation":
            assert mean_losses(problem, model, train, ("exhaustive",))["exhaustive"] == 0.0
            assert tested[oracle] == pytest.approx(7.5, abs=0.7)
            assert losses_of(predicting(problem, test, "roof duality"), model.w)[1] == 0.0
    assert tested["belief propagation"] >= 1.5 * tested["exhaustive"]


@pytest.mark.spec("D23")
def test_synth2_as_printed_cannot_be_learned() -> None:
    train, test = examples("synth2", constant=False)
    problem, model = trained(train, "belief propagation", 3e4)
    assert mean_losses(problem, model, test, ("exhaustive",))["exhaustive"] == pytest.approx(10.0, abs=1e-9)
    assert problem.dim == 445


@pytest.mark.spec("D23")
def test_synth2_as_printed_stays_at_ten_per_cent_with_exact_training() -> None:
    train, test = examples("synth2", constant=False)
    problem, model = trained(train, "exhaustive", 3e4)
    assert mean_losses(problem, model, test, ("exhaustive",))["exhaustive"] == pytest.approx(10.0, abs=0.3)


@pytest.mark.spec("D23")
def test_the_floor_of_synth2_as_printed_is_explained_and_judged() -> None:
    study = OracleGrid(data="synth2", constant=False)
    cells = [
        row(data="synth2", oracle=t, predictor=p, loss=10.0) for t in tables.METHODS for p in tables.METHODS
    ]
    finding = study.findings(cells)[-1]
    assert "no model gets below 9 %" in finding.claim
    assert finding.verdict == HELD
    below = row(data="synth2", oracle="greedy", predictor="greedy", loss=8.9)
    assert study.findings([*cells, below])[-1].verdict == NOT_HELD
    assert not any("below 9 %" in f.claim for f in OracleGrid(data="synth2").findings(cells))


@pytest.mark.timeout(1800)
@pytest.mark.spec("D24")
def test_synth2_with_a_constant_feature_is_learned_and_relaxed_training_fits_every_predictor() -> None:
    train, test = examples("synth2")
    problem, model = trained_on_synth2("exhaustive")
    assert mean_losses(problem, model, train, ("exhaustive",))["exhaustive"] == pytest.approx(5.0, abs=0.8)
    found = mean_losses(problem, model, test, OTHERS)
    assert found["exhaustive"] == pytest.approx(7.2, abs=0.6)
    assert min(found["belief propagation"], found["roof duality"]) >= found["exhaustive"] + 3.0
    assert 8.0 <= losses_of(predicting(problem, test, "roof duality"), model.w)[1] <= 30.0
    problem, model = trained_on_synth2("roof duality")
    found = mean_losses(problem, model, test, OTHERS)
    assert max(found.values()) - min(found.values()) < 1.0
    assert losses_of(predicting(problem, test, "roof duality"), model.w)[1] < 2.0


@pytest.mark.timeout(1800)
@pytest.mark.spec("D26")
def test_on_synth2_belief_propagation_trains_badly_and_relaxed_answers_suit_only_relaxed_training() -> None:
    _, test = examples("synth2")
    found = {
        oracle: mean_losses(*trained_on_synth2(oracle), test, ("exhaustive", "roof duality"))
        for oracle in ("greedy", "belief propagation", "exhaustive", "roof duality")
    }
    exact = {oracle: losses["exhaustive"] for oracle, losses in found.items()}
    harm = {oracle: losses["roof duality"] - exact[oracle] for oracle, losses in found.items()}
    assert exact["belief propagation"] > max(exact[o] for o in exact if o != "belief propagation") + 2.0
    assert min(harm["greedy"], harm["exhaustive"]) >= 3.0
    assert abs(harm["roof duality"]) < 1.0


@pytest.mark.spec("D24")
def test_on_part_of_synth2_relaxed_training_already_fits_every_predictor_better() -> None:
    train, test = examples("synth2", 0.2)
    spread = {}
    for oracle in ("greedy", "roof duality"):
        problem, model = trained(train, oracle, 1e4)
        found = mean_losses(problem, model, test, OTHERS)
        spread[oracle] = max(found.values()) - min(found.values())
    assert spread["roof duality"] < 1.0
    assert spread["greedy"] > 3.0 * spread["roof duality"]


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.spec("D26")
def test_the_whole_grid_of_synth2_bears_out_the_findings() -> None:
    study = OracleGrid(data="synth2")
    rows = list(study.rows())
    assert len(rows) == study.total == 27
    assert all(finding.verdict == HELD for finding in study.findings(rows)), study.findings(rows)
    poor = value(rows, "loss", oracle="belief propagation", predictor="exhaustive")
    assert poor == pytest.approx(10.0, abs=1e-9)


@pytest.mark.spec("D26", "D29")
def test_a_grid_has_twenty_five_cells_two_baselines_and_both_errors() -> None:
    study = OracleGrid.quick()
    rows = list(study.rows())
    cells = [(r["oracle"], r["predictor"]) for r in rows]
    assert set(cells) >= {(t, p) for t in tables.METHODS for p in tables.METHODS}
    assert ("no edges", "no edges") in cells
    assert ("default", "default") in cells
    assert len(study.published) == len(rows)
    for found in rows[1:]:
        n = len(examples("synth1", study.share)[1])
        p = found.number("loss") / 100.0
        assert found.number("printed_error") == pytest.approx(100.0 * p * (1.0 - p) / np.sqrt(n))
        assert found.number("error") > 0.0


def test_a_published_grid_bears_out_its_own_findings() -> None:
    study = OracleGrid(data="synth2")
    rows = [
        row(**(dict(r) | {"undecided": tables.AMBIGUOUS["synth2"][tables.METHODS.index(str(r["oracle"]))]}))
        if r["predictor"] == "relaxed"
        else r
        for r in study.published
    ]
    verdicts = {f.claim: f.verdict for f in study.findings(rows)}
    # The source's own relaxed row spans 5.83 to 6.63.
    assert set(verdicts.values()) == {HELD}
    changed = [r for r in rows if r["oracle"] != "belief propagation"]
    assert any(f.verdict not in (HELD, NOT_HELD) for f in study.findings(changed))


@pytest.mark.spec("D27")
def test_sets_that_are_not_here_are_quoted_and_run_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXPLORER_DATA", str(tmp_path))
    study = OracleGrid(share=0.05)
    assert study.sets == ("synth1", "synth2")
    assert {found["data"] for found in study.published} == set(SETS)
    assert all(name in study.about for name in ("Yeast", "Reuters", "Mediamill", "not run"))
    assert len(study.published) == 27 * 6
    rng = np.random.default_rng(0)
    x, truth = rng.normal(size=(50, 5)), rng.normal(size=(5, 14))
    y = (x @ truth + rng.normal(size=(50, 14)) > 0.5).astype(np.uint8)  # fourteen labels, as yeast has
    np.savez(tmp_path / "yeast.npz", X_train=x[:25], y_train=y[:25], X_test=x[25:], y_test=y[25:])
    assert study.sets == ("synth1", "synth2", "yeast")
    train, test = examples("yeast")
    for oracle in ("exhaustive", "roof duality"):
        problem, model = trained(train, oracle, 100.0)
        found = mean_losses(problem, model, test, ("exhaustive", "roof duality"))
        assert max(found.values()) < default_loss(train, test)


@pytest.mark.spec("D27")
def test_the_scenes_come_out_as_published(data_dir: Path) -> None:
    if not (data_dir / "scene.npz").is_file():
        pytest.skip("there is no scene.npz in EXPLORER_DATA")
    train, test = examples("scene")
    C = FIXED_C["scene"]
    for oracle, predictor, printed in (
        ("exhaustive", "exhaustive", 10.06),
        ("roof duality", "roof duality", 10.49),
    ):
        problem, model = trained(train, oracle, C)
        assert mean_losses(problem, model, test, (predictor,))[predictor] == pytest.approx(printed, abs=0.8)
    problem, model = trained(train, "independent", C, edges=False)
    assert mean_losses(problem, model, test, ("independent",))["independent"] == pytest.approx(11.43, abs=0.8)
    assert problem.dim == 6 * 294
