"""A user's hook module, and what is done where it leaves a hook out.

    needed                     read_examples  init_model  psi  classify_example
    left out                   what is done instead
    loss                       0 where labels are equal, else 1
    find_most_violated_constraint_margin, _slack      find_most_violated_constraint
    find_most_violated_constraint                     classify_example, which knows no loss
    init_constraints           no constraints
    write_label                str(y), one per line
    write_model, read_model    a file of plain data (`model_file.py`)
    parse_parameters, parse_parameters_classify, print_iteration_stats, print_learning_stats, eval_prediction,
    print_testing_stats        nothing

Names and arguments are those of SVM-python (Finley 2009, appendix A). A module is Python and is run: only
because its user names it. Everything else that it defines is its own.
"""

import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from explorer.engine.hooks import svmapi
from explorer.engine.hooks.calls import CallLog
from explorer.engine.hooks.objects import SLACK, Sparm, StructModel
from explorer.engine.refusals import Refused

NEEDED = ("read_examples", "init_model", "psi", "classify_example")
ORACLES = ("find_most_violated_constraint_margin", "find_most_violated_constraint_slack")
ORACLE = "find_most_violated_constraint"
OTHERS = (
    "parse_parameters",
    "parse_parameters_classify",
    "print_help",
    "print_help_classify",
    "init_constraints",
    "loss",
    *ORACLES,
    ORACLE,
    "print_iteration_stats",
    "print_learning_stats",
    "eval_prediction",
    "print_testing_stats",
    "write_label",
    "write_model",
    "read_model",
)
NAMES = (*NEEDED, *OTHERS)
"""Every hook there is."""


class Hooks:
    """The hooks of a module by name; every call is noted in the log."""

    def __init__(self, functions: Mapping[str, Any], name: str = "hooks") -> None:
        self.name, self.log = name, CallLog()
        self.functions: dict[str, Callable[..., Any]] = {
            hook: functions[hook] for hook in NAMES if callable(functions.get(hook))
        }
        self.exact = bool(functions.get("oracle_is_exact", False))

    def has(self, hook: str) -> bool:
        """Whether the module defines it."""
        return hook in self.functions

    def call(self, hook: str, *args: Any) -> Any:
        """What the module answers; refused where it has no such hook."""
        if hook not in self.functions:
            raise Refused(f"Could not find function {hook}! Define it in {self.name}.")
        with self.log.note(hook):
            return self.functions[hook](*args)

    def call_if_there(self, hook: str, *args: Any) -> Any:
        """The same; None where the module has no such hook."""
        return self.call(hook, *args) if self.has(hook) else None

    def check(self) -> None:
        """Refuse a module that lacks what every module needs."""
        for hook in NEEDED:
            if not self.has(hook):
                raise Refused(f"Could not find function {hook}! Define it in {self.name}.")

    def oracle_name(self, loss_type: int) -> str:
        """The hook that answers for an oracle under this kind of loss scaling."""
        wanted = ORACLES[loss_type == SLACK]
        return next((hook for hook in (wanted, ORACLE) if self.has(hook)), "classify_example")

    def most_violated(self, x: Any, y: Any, sm: StructModel, sparm: Sparm) -> Any:
        """The label that the module's oracle finds; its prediction where it has no oracle."""
        hook = self.oracle_name(sparm.loss_type)
        return (
            self.call(hook, x, sm, sparm)
            if hook not in (*ORACLES, ORACLE)
            else self.call(hook, x, y, sm, sparm)
        )

    def loss(self, y: Any, ybar: Any, sparm: Sparm) -> float:
        """The module's loss, or 0 for equal labels and 1 for others."""
        return float(self.call("loss", y, ybar, sparm) if self.has("loss") else not same(y, ybar))

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "log": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, log=CallLog())


def same(y: Any, ybar: Any) -> bool:
    """Whether two labels are equal, arrays entry by entry."""
    arrays = isinstance(y, np.ndarray) or isinstance(ybar, np.ndarray)
    return bool(np.array_equal(y, ybar)) if arrays else bool(y == ybar)


def is_hook_module(module: ModuleType) -> bool:
    """Whether a module looks like one of hooks."""
    return all(callable(getattr(module, hook, None)) for hook in ("read_examples", "psi"))


def load_hooks(path: Path) -> Hooks:
    """The hooks in a file, run now; `import svmapi` finds the objects of this package there."""
    if not path.is_file():
        raise Refused(f"there is no file {path}; give the path of a Python file with hooks")
    return Hooks(vars(load_module(path)), path.name)


def tutorial_folder() -> Path:
    """Where the four stages of the tutorial are: in the package, or beside it in a clone."""
    package = Path(__file__).parents[2]
    places = (package / "assets" / "hooks", package.parent / "assets" / "hooks")
    return next(place for place in places if place.is_dir())


def load_module(path: Path) -> Any:
    """The module in a user's file, run now."""
    spec = importlib.util.spec_from_file_location(f"own_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise Refused(f"{path} cannot be imported; give the path of a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    with svmapi_there():
        spec.loader.exec_module(module)
    return module


@contextmanager
def svmapi_there() -> Iterator[None]:
    """Let `import svmapi` find our objects, unless a module of that name is there already."""
    mine = sys.modules.setdefault("svmapi", svmapi) is svmapi
    try:
        yield
    finally:
        if mine:
            sys.modules.pop("svmapi", None)
