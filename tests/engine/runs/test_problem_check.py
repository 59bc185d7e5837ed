"""A trial finds every mistake that users make, says it in one sentence, and accuses nobody else."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import explorer
from explorer.command_line.main import main
from explorer.engine.contracts import Dataset
from explorer.engine.events import Cut
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.runs.problem_check import check
from explorer.engine.runs.second_look import Look
from explorer.engine.structures.classes.convex_risk import ConvexRisk
from explorer.engine.structures.classes.own import Listed, Plain
from tests.catalogue import PROBLEMS, listed, plain
from tests.contracts.test_watched_oracles import MISTAKES, RIGHT, problem_with


def wrong(problem: Any) -> dict[str, str]:
    """What is said to be wrong, by title."""
    return {look.title: look.sentence for look in check(problem) if look.holds is False}


@pytest.mark.parametrize("name", PROBLEMS)
def test_nothing_is_wrong_with_the_problems_of_the_catalogue(name: str) -> None:
    assert wrong(PROBLEMS[name]()) == {}


@pytest.mark.parametrize("claimed", [True, False])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_every_mistake_of_an_oracle_is_found(mistake: str, claimed: bool) -> None:
    found = wrong(problem_with(MISTAKES[mistake], claimed))
    if mistake == "forgets the loss" and not claimed:
        assert set(found) <= {"oracle"}, "an approximate oracle may answer so"
    else:
        assert set(found) == {"oracle"}
        assert "although" in found["oracle"]


def test_an_oracle_that_nobody_claims_is_told_when_nothing_speaks_against_it() -> None:
    assert any("nothing speaks against" in look.sentence for look in check(replace(RIGHT, exact=False)))
    poor = problem_with(MISTAKES["forgets the loss"], exact=False)
    assert not any("nothing speaks against" in look.sentence for look in check(poor))


def test_a_predictor_that_is_no_argmax_is_found() -> None:
    found = wrong(replace(RIGHT, argmax=lambda w, x: 0))
    assert set(found) == {"predictor"}
    assert "must agree with an oracle whose loss is 0" in found["predictor"]


class Broken:
    """A user's own class around a right problem, with one thing changed."""

    def __init__(self, **changed: Any) -> None:
        self.inner, self.changed = RIGHT, changed

    def __getattr__(self, name: str) -> Any:
        return self.changed[name] if name in self.changed else getattr(self.inner, name)


def changing(w: Any, i: int) -> Cut:
    cut = RIGHT.oracle(w, i)
    w += 1.0
    return cut


@pytest.mark.parametrize(
    ("changed", "title", "sentence"),
    [
        ({"loss": lambda i, y: 1.0}, "loss", "the truth of example 0 loses 1.0, not 0"),
        ({"loss": lambda i, y: -RIGHT.loss(i, y)}, "loss", "0 or more"),
        ({"loss": lambda i, y: RIGHT.loss(i, y) and np.nan}, "loss", "is nan"),
        ({"features": lambda i, y: np.zeros(3)}, "features", "have 3 entries; 8 finite ones are needed"),
        ({"features": lambda i, y: np.full(8, np.nan)}, "features", "a NaN or infinite number"),
        ({"features": lambda i, y: 1 / 0}, "features", "cannot be asked: ZeroDivisionError"),
        ({"oracle": changing}, "oracle", "the oracle changes w"),
        ({"oracle": lambda w, i: replace(RIGHT.oracle(w, i), i=i + 1)}, "oracle", "is of example 1"),
        (
            {"oracle": lambda w, i: replace(RIGHT.oracle(w, i), psi=-RIGHT.oracle(w, i).psi)},
            "oracle",
            "off by",
        ),
        (
            {"oracle": lambda w, i: replace(RIGHT.oracle(w, i), loss=0.5)},
            "oracle",
            "is 0.5, its label loses",
        ),
        ({"predict": lambda w, x: 1 / 0}, "predictor", "cannot be asked: ZeroDivisionError"),
    ],
)
def test_what_is_wrong_is_said_under_its_title(changed: Any, title: str, sentence: str) -> None:
    assert sentence in wrong(Broken(**changed))[title]


def test_what_is_no_problem_or_has_no_examples_is_told() -> None:
    assert check(object()) == [Look("contract", "a object has no `name`; add it", False)]  # type: ignore[arg-type]
    assert [look.holds for look in check(ConvexRisk())] == [None]


def test_a_truth_that_its_outputs_lack_is_no_reason_to_answer_below_it() -> None:
    good = listed(Pricing())
    without = replace(good, outputs=lambda x: [y for y in good.outputs(x) if y != good.dataset.labels[0]])
    w = 100.0 * good.features(0, good.dataset.labels[0])
    assert without.oracle(w, 0).label == good.dataset.labels[0]


def test_a_loss_of_the_truth_is_refused_when_the_problem_is_made() -> None:
    with pytest.raises(Refused, match="the loss of the truth must be 0"):
        replace(RIGHT, delta=lambda y, z: 1.0)
    with pytest.raises(Refused, match="dim says 5"):
        Listed(Dataset("one", [np.ones(2)], [0]), lambda x, y: x, lambda y, z: 0.0, lambda x: (0,), 5)


def test_it_is_found_where_users_look() -> None:
    assert explorer.check is check
    assert isinstance(plain(Pricing()), explorer.Plain)
    assert explorer.Plain is Plain


OWN = """
import numpy as np
from explorer import Dataset, Plain

data = Dataset("line", [-2.0, -1.0, 1.0, 2.0], [-1, -1, 1, 1])
psi = lambda x, y: np.array([y * x / 2, y / 2])
delta = lambda y, z: float(y != z)
best = lambda w, x: max((-1, 1), key=lambda z: w @ psi(x, z))
worst = lambda w, x, y: max((-1, 1), key=lambda z: delta(y, z) + w @ psi(x, z))
right = Plain(data, psi, delta, best, worst, 2)
truth = Plain(data, psi, delta, best, lambda w, x, y: y, 2)
"""


def test_the_command_tries_a_problem_in_a_file_and_a_task(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "own.py").write_text(OWN)
    assert main(["check", f"{tmp_path / 'own.py'}:right"]) == 0
    out = capsys.readouterr().out
    assert "4 examples, 2 weights" in out
    assert out.count("fine  ") == 4
    assert main(["check", f"{tmp_path / 'own.py'}:truth"]) == 2
    out = capsys.readouterr().out
    assert "WRONG  oracle: the oracle answers" in out
    assert "does it add the loss?" in " ".join(out.split())
    assert main(["check", "circle"]) == 0
    assert main(["check", f"{tmp_path / 'own.py'}:nothing"]) == 2
