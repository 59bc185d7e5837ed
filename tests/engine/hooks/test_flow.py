"""The flowchart lights up as hooks are called."""

from itertools import pairwise
from pathlib import Path

import pytest

from explorer.engine.hooks.classifying import classify
from explorer.engine.hooks.flow import ARROWS, CHARTS, light_boxes
from explorer.engine.hooks.learning import LearnerProgram
from explorer.engine.hooks.module import NAMES
from explorer.engine.hooks.objects import Sparm
from tests.engine.hooks.modules import TEST, TRAIN, smallest, stage


def reachable(program: str, lit: set[str]) -> set[tuple[str, str]]:
    """What may follow what, when boxes that are never lit are passed through."""
    found, arrows = set(), ARROWS[program]
    for start in {a for a, _ in arrows}:
        todo, seen = [b for a, b in arrows if a == start], set[str]()
        while todo:
            box = todo.pop()
            found.add((start, box))
            if box not in seen and (box not in lit or box in ("psi", "loss")):
                todo += [b for a, b in arrows if a == box]
            seen.add(box)
    return found


@pytest.mark.spec("D48")
@pytest.mark.parametrize("number", [1, 2, 3, 4])
@pytest.mark.parametrize("way", [0, 1])
def test_boxes_light_up_in_the_order_of_the_calls_along_the_arrows(
    number: int, way: int, tmp_path: Path
) -> None:
    hooks = stage(number)
    LearnerProgram(hooks, Sparm(c=1.0), way).run(TRAIN, tmp_path / "model")
    classify(hooks, TEST, tmp_path / "model", [("--k", "1")])
    lit = light_boxes(hooks.log.calls)
    assert len(lit) == len(hooks.log.calls) > 200
    for program, boxes in CHARTS.items():
        mine = [(c.hook, box) for c, box in zip(hooks.log.calls, lit, strict=True) if c.program == program]
        named = {box.name: box.hooks for box in boxes}
        assert all(hook in named[box] for hook, box in mine)
        may = reachable(program, {box for _, box in mine})
        assert {(a, b) for (_, a), (_, b) in pairwise(mine)} <= may


@pytest.mark.spec("D48")
def test_features_of_truths_have_a_box_of_their_own() -> None:
    hooks = smallest()
    LearnerProgram(hooks, Sparm(c=10.0), 1).run("train")
    lit = light_boxes(hooks.log.calls)
    assert lit[:6] == ["read_examples", "init_model", *["psi of the truth"] * 3, "solve"] or lit[
        5
    ].startswith("find")
    assert lit.count("psi of the truth") == 3


def test_every_hook_but_help_has_a_box() -> None:
    boxes = {hook for chart in CHARTS.values() for box in chart for hook in box.hooks}
    assert set(NAMES) - boxes == {"print_help", "print_help_classify"}
    assert boxes - set(NAMES) == {"solve"}
