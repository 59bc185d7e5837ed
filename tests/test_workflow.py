"""Whole ways of working: a problem of one's own in few lines, and a run that is done again from its file."""

import json
import runpy
from itertools import permutations
from pathlib import Path

import cvxpy as cp
import numpy as np
import pytest

from explorer.__main__ import main
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.events import Step
from explorer.engine.runs import saved
from explorer.engine.runs.streams import train
from explorer.engine.vectors import Array

OWN = '''
"""Put three parcels in the order in which they are to be delivered."""

from itertools import permutations

import numpy as np

from explorer import Dataset, Listed

rng = np.random.default_rng(0)
parcels = [rng.normal(size=(3, 2)) for _ in range(12)]          # urgency and weight of three parcels


def gold(x):
    return tuple(int(i) for i in np.argsort(-(2.0 * x[:, 0] - x[:, 1])))


def candidates(x):
    return tuple(permutations(range(3)))


def construct(x, order):
    return sum((2 - place) * x[item] for place, item in enumerate(order)) / 3.0


def wrong(order, guess):
    return sum(a != b for a, b in zip(order, guess)) / 3.0


data = Dataset("parcels", parcels, [gold(x) for x in parcels])
problem = Listed(data, psi=construct, delta=wrong, outputs=candidates, dim=2)
'''


def program_optimum(data: dict, C: float) -> float:
    """The optimum of the whole program, one constraint for every example and every order, by cvxpy."""
    w, slack = cp.Variable(2), cp.Variable(12, nonneg=True)
    rules = []
    for i, (x, truth) in enumerate(zip(data["parcels"], data["data"].labels, strict=True)):
        for order in permutations(range(3)):
            psi = data["construct"](x, truth) - data["construct"](x, order)
            rules.append(psi @ w >= data["wrong"](truth, order) - slack[i])
    program = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(w) + C * cp.sum(slack) / 12), rules)
    program.solve(solver=cp.CLARABEL)
    return float(program.value)


@pytest.mark.spec("F71")
def test_a_problem_of_ones_own_in_forty_lines_is_trained_to_its_optimum_and_predicts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert len(OWN.strip().splitlines()) <= 40
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(OWN)
    assert main(["check", "own.py:problem"]) == 0
    rule = ["--relative-gap", "1e-8", "--set", "eps=1e-9"]
    assert main(["train", "own.py:problem", "--C", "50", *rule, "--out", "own.zip"]) == 0
    assert "a certificate, the oracle is exact" in capfd.readouterr()[0]
    found = saved.load("own.zip").trace.at(-1).figures["primal"]
    assert found == pytest.approx(program_optimum(runpy.run_path("own.py"), 50.0), rel=1e-6)
    assert main(["predict", "own.zip", "own.py:problem"]) == 0
    labels = [json.loads(line) for line in capfd.readouterr()[0].splitlines()]
    assert all(sorted(label) == [0, 1, 2] for label in labels)
    assert len(labels) == 12


def last_weights(recipe: Recipe) -> Array:
    """What a recipe trains."""
    problem, test = recipe.problem()
    learner, rule = recipe.make_learner(), recipe.make_rule()
    steps = train(problem, learner, seed=recipe.seed, rule=rule, test=test)
    return np.array([event.w for event in steps if isinstance(event, Step)][-1])


@pytest.mark.spec("C55")
@pytest.mark.parametrize(
    ("task", "learner"), [("clouds", "one-slack"), ("clouds", "sgd"), ("circle", "frank-wolfe")]
)
def test_a_saved_setting_and_seed_lead_to_the_same_weights_again(
    task: str, learner: str, tmp_path: Path
) -> None:
    chosen = Recipe(task, learner=learner, seed=7, rule={"passes": 4.0})
    (tmp_path / "setting.json").write_text(json.dumps(chosen.plain()))
    again = Recipe.read(json.loads((tmp_path / "setting.json").read_text()))
    assert again.key() == chosen.key()
    first = last_weights(chosen)
    assert np.any(first != 0.0)
    assert np.abs(first - last_weights(again)).max() <= 1e-12
