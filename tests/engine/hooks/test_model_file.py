"""Models of hooks in files of plain data."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.engine.hooks.classifying import classify
from explorer.engine.hooks.learning import LearnerProgram
from explorer.engine.hooks.model_file import model_bytes, read_model
from explorer.engine.hooks.objects import Sparm, StructModel
from explorer.engine.hooks.svmapi import Document, Kernel, Sparse
from explorer.engine.refusals import Refused
from tests.engine.hooks.modules import TEST, TRAIN, smallest, stage

KEPT: dict[str, Any] = {
    "k": 7,
    "name": "größe",
    "ratio": 0.1,
    "ids": {"a": [1, 2], "b": (3, None)},
    "by_number": {1: "one", (2, 3): "two"},
    "mean": np.array([[1.0, 2.0]]),
    "centre": Sparse([(4, 0.5)], factor=-2.0, kernel_id=3),
    "sum": Document([Sparse([(1, 1.0)]), Sparse([(2, 2.0)])], slackid=9),
}


@pytest.mark.spec("D43")
@pytest.mark.parametrize("kernel", [Kernel(), Kernel("rbf", g=0.5)], ids=lambda k: k.kind)
def test_a_model_is_the_same_after_reading(kernel: Kernel, tmp_path: Path) -> None:
    hooks, place = stage(4), tmp_path / "model"
    sparm = Sparm(c=10.0, epsilon=1e-3, kernel=kernel, argv=[("--k", "7")])
    found = LearnerProgram(hooks, sparm, 1).run(TRAIN, place)
    again, options = read_model(place)
    assert options == sparm
    if kernel.kind == "linear":
        assert again.w.tobytes() == found.sm.w.tobytes()
    scores = [(found.sm.svm_model.classify(x), again.svm_model.classify(x)) for x, _ in found.sample]
    assert all(a == pytest.approx(b, abs=1e-12) for a, b in scores)
    inputs = [x for x, _ in hooks.call("read_examples", TEST, sparm)]
    expected = [hooks.call("classify_example", x, found.sm, sparm) for x in inputs]
    assert classify(hooks, TEST, place).predictions == expected


@pytest.mark.spec("D43")
def test_what_hooks_keep_on_a_model_survives(tmp_path: Path) -> None:
    def init_model(sample: Any, sm: Any, sparm: Any) -> None:
        sm.size_psi = 2
        vars(sm).update(KEPT)

    LearnerProgram(smallest(init_model=init_model), Sparm(c=10.0), 1).run("train", tmp_path / "model")
    again, _ = read_model(tmp_path / "model")
    assert {name: type(getattr(again, name)) for name in KEPT} == {name: type(v) for name, v in KEPT.items()}
    for name, value in KEPT.items():
        assert (
            np.array_equal(getattr(again, name), value) if name == "mean" else getattr(again, name) == value
        )


@pytest.mark.spec("D43")
def test_a_model_can_be_pickled_by_its_user() -> None:
    for kernel in (Kernel(), Kernel("rbf", g=0.5)):
        found = LearnerProgram(stage(4), Sparm(c=10.0, kernel=kernel), 1).run(TRAIN)
        found.sm.k = 7
        again = pickle.loads(pickle.dumps(found.sm))
        assert (again.k, again.size_psi) == (7, found.sm.size_psi)
        for x, _ in found.sample[:5]:
            assert again.svm_model.classify(x) == pytest.approx(found.sm.svm_model.classify(x), abs=1e-12)


@pytest.mark.spec("D43")
def test_what_is_no_plain_data_is_refused_by_its_attribute() -> None:
    sm = StructModel()
    sm.w, sm.size_psi = np.zeros(2), 2
    sm.helper = lambda: 1  # type: ignore[attr-defined]
    with pytest.raises(Refused, match=r"sm\.helper holds a value of type function"):
        model_bytes(sm, Sparm())


@pytest.mark.parametrize("content", [b"", b"junk", b"PK\x03\x04" + b"0" * 200])
def test_what_is_no_model_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "model").write_bytes(content)
    with pytest.raises(Refused):
        read_model(tmp_path / "model")
    with pytest.raises(Refused, match="there is no file"):
        read_model(tmp_path / "other")
