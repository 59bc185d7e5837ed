"""Hook modules as tasks: `binary1.py:train.dat` is a Python file with hooks, and the file that they read.

The hooks are run here and in every process that trains, because a user named them. Kernels are for the
learner program and for Python: coefficients of vectors mean nothing in another process.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from explorer.engine.catalogue.files import changed_at
from explorer.engine.catalogue.python import OwnLoss, OwnOracle
from explorer.engine.catalogue.task import NOTHING, NoSettings, Pair, Parts, Task
from explorer.engine.contracts import Dataset, Problem
from explorer.engine.hooks.module import Hooks, load_hooks
from explorer.engine.hooks.objects import MARGIN, SLACK, Sparm
from explorer.engine.hooks.problem import begin, hook_problem
from explorer.engine.knobs import knob, settings
from explorer.engine.learners import name_of
from explorer.engine.learners.n_slack import NSlack
from explorer.engine.refusals import Refused


@settings
class HookModel:
    """What a hook module is told."""

    options: str = knob("", "Options of the module itself, as in '--k 3': sparm.argv.")
    price: float = knob(1.0, "Price of a slack that constraints of its own have.", low=0.0, log=True)


@dataclass(frozen=True, slots=True)
class HookFile:
    """A hook module, the file of its examples and that of its test examples, as they were when they were
    read.
    """

    path: Path
    data: str
    test: str
    stamped: str
    called: str = field(compare=False)

    def stamp(self) -> str:
        """Sizes and times of all three."""
        return self.stamped

    def make(self, data: Any) -> Pair:
        """The examples that the hooks read."""
        return read_pair(self.path, self.data, self.test, self.stamped)

    def memo(self) -> dict[str, str]:
        """Where the test examples are."""
        return {"test": self.test} if self.test else {}

    def remake(self) -> tuple[Any, ...]:
        """How another process makes the same task: by running the module."""
        return hook_task, (self.path, self.data, self.called, self.test or None)


def hook_task(path: Path, data: str | Path, called: str = "", test: str | Path | None = None) -> Task:
    """The task of a hook module and the file of its examples; the module is run."""
    files = [path, *(Path(name) for name in (data, test) if name)]
    for file in files:
        if not file.is_file():
            raise Refused(f"there is no file {file}; give path/to/hooks.py:path/to/examples")
    stamped = changed_at(files)
    called = called or f"{path}:{data}"
    read_pair(path.absolute(), str(data), str(test or ""), stamped)
    return Task(
        called,
        Path(called).name,
        NoSettings,
        name_of(NSlack),
        NOTHING,
        losses={"own loss": OwnLoss()},  # type: ignore[dict-item]
        oracle_types=(OwnOracle,),
        build=lambda train, parts: build(path.absolute(), stamped, train, parts),
        model=HookModel(),
        source=HookFile(path.absolute(), str(data), str(test or ""), stamped, called),
        about="What the hooks of a Python file make of their examples.",
    )


@lru_cache(maxsize=16)
def hooks_in(path: Path, stamped: str) -> Hooks:
    """The hooks of a file, run once for each version of it."""
    found = load_hooks(path)
    found.check()
    return found


@lru_cache(maxsize=16)
def read_pair(path: Path, data: str, test: str, stamped: str) -> Pair:
    """The examples with a label, and the test examples with one."""
    hooks, sparm = hooks_in(path, stamped), Sparm()
    train, held_out = (known_examples(hooks, name, sparm) if name else None for name in (data, test))
    if train is None:
        raise Refused(f"{path.name} needs the file of its examples; give {path.name}:FILE")
    return train, held_out


def known_examples(hooks: Hooks, name: str, sparm: Sparm) -> Dataset:
    """The examples of a file whose label is known."""
    known = [(x, y) for x, y in hooks.call("read_examples", name, sparm) if y is not None]
    return Dataset(Path(name).name, [x for x, _ in known], [y for _, y in known])


def build(path: Path, stamped: str, train: Dataset, parts: Parts[HookModel]) -> Problem:
    """The problem that the hooks make of these examples, with the prices asked for."""
    hooks, pricing, words = hooks_in(path, stamped), parts.pricing, parts.model.options.split()
    sparm = Sparm(
        c=parts.model.price * len(train),
        loss_type=SLACK if pricing.scaling == "slack" else MARGIN,
        slack_norm=2 if pricing.penalty == "squared" else 1,
        argv=list(zip(words[::2], words[1::2], strict=False)),
    )
    hooks.call_if_there("parse_parameters", sparm)
    sample = list(zip(train.inputs, train.labels, strict=True))
    return hook_problem(hooks, sample, begin(hooks, sample, sparm), sparm)


__all__ = ["HookFile", "HookModel", "hook_task", "hooks_in"]
