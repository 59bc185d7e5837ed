"""Hook modules for tests: the four stages of the tutorial, and small ones made of functions."""

from pathlib import Path
from typing import Any

from explorer.engine.hooks import svmapi
from explorer.engine.hooks.module import Hooks, load_hooks

FOLDER = Path(__file__).parents[3] / "assets" / "hooks"
TRAIN, TEST = str(FOLDER / "train.dat"), str(FOLDER / "test.dat")


def stage(number: int) -> Hooks:
    """The tutorial's module of this stage."""
    return load_hooks(FOLDER / f"binary{number}.py")


def smallest(**more: Any) -> Hooks:
    """What every module needs, and an oracle: three points on a line, whose label is their side."""

    def read_examples(filename: str, sparm: Any) -> list[tuple[float, int]]:
        return [(-2.0, -1), (1.0, 1), (3.0, 1)]

    def init_model(sample: Any, sm: Any, sparm: Any) -> None:
        sm.size_psi = 2

    def psi(x: float, y: int, sm: Any, sparm: Any) -> Any:
        return svmapi.Sparse([(0, x * y / 2), (1, y / 2)])

    def classify_example(x: float, sm: Any, sparm: Any) -> int:
        return 1 if sm.w[0] * x + sm.w[1] >= 0 else -1

    def find_most_violated_constraint(x: float, y: int, sm: Any, sparm: Any) -> int:
        return max((-1, 1), key=lambda guess: (guess != y) + guess * (sm.w[0] * x + sm.w[1]) / 2)

    needed = {k: v for k, v in locals().items() if k != "more"}
    return Hooks({**needed, **more}, "smallest")


__all__ = ["FOLDER", "TEST", "TRAIN", "smallest", "stage"]
