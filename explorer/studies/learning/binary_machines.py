"""Several classes by one machine or by many binary ones: what is lost when classes are learned apart.

    one machine          min 1/2 sum_k |w_k|^2 + C mean_i slack_i, the answer is argmax_k w_k . x
                         (Crammer and Singer)
    one against the rest K machines of two classes, the largest score wins
    one against one      K (K - 1) / 2 machines, the most votes win

Iglesias 2013, section 2.1.4: committees of independent binary machines do "not account for the possible
correlations between the classes", which one machine does. The source prints no experiment; here all three see
the same features, every machine trained to the same relative gap at the same C on its mean slack. Cost: for
each C one multiclass run, K binary runs on all examples, and K (K - 1) / 2 on about 2 n / K examples each.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, final

import numpy as np

from explorer.baselines.binary_machines import one_vs_one, one_vs_rest
from explorer.engine.contracts import Dataset
from explorer.engine.data.digits import digits
from explorer.engine.data.toys import animals_and_cars
from explorer.engine.events import Step
from explorer.engine.knobs import knob, settings
from explorer.engine.learners import OneSlack
from explorer.engine.objective import mean_loss
from explorer.engine.runs.streams import Until, train
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.studies.support.rows import judge, row, where
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, quiet

ONE, REST, PAIRS = "one machine", "one against the rest", "one against one"
WAYS = (ONE, REST, PAIRS)
DIGITS, ANIMALS = "digits", "animals"
PRICES = (0.1, 1.0, 10.0, 100.0, 1000.0)

Fitted = tuple[int, int, Callable[[Dataset], float]]
"""How many machines, how many weights, and the mean loss on any data."""


@final
@settings
class BinaryMachines:
    """One machine for all classes beside committees of binary machines."""

    name: ClassVar[str] = "binary-machines"
    title: ClassVar[str] = "One machine for all classes, or many for two?"
    source: ClassVar[str] = "Iglesias 2013, section 2.1.4"
    about: ClassVar[str] = (
        "Many machines that know two sides each can tell classes apart: one class against the rest, or one "
        "against one. They are trained by themselves and their scores compared, while one machine learns all "
        "classes together."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("way", "way", key=True),
        Column("C", "C", key=True, form="g"),
        Column("machines", "machines", form=",d"),
        Column("weights", "weights", form=",d"),
        Column("train_loss", "training errors, %", form=".2f"),
        Column("test_loss", "test errors, %", form=".2f"),
    )
    plot: ClassVar[Plot] = Plot("lines", "C", ("test_loss",), series="way", log=("x",))

    data: str = knob(
        DIGITS, "Ten handwritten digits, or four classes in the plane.", choices=(DIGITS, ANIMALS)
    )
    n: int = knob(1200, "Training examples (of the animals, at most 500 in each class).", low=40, high=1700)
    gap: float = knob(1e-2, "Relative gap to which every machine is trained.", low=1e-6, high=0.1, log=True)
    seed: int = knob(0, "Which random order, and which draw of the animals.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "BinaryMachines":
        return cls(data=ANIMALS, n=160)

    @property
    def total(self) -> int:
        return len(PRICES) * len(WAYS)

    @property
    def published(self) -> tuple[Row, ...]:
        """The source prints no numbers."""
        return ()

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """The three ways, C by C."""
        known, unknown = self._examples()
        for C in PRICES:
            for way in WAYS:
                pulse(f"{way}, C = {C:g}")
                machines, weights, loss = self._fit(way, C, known)
                errors = {"train_loss": 100.0 * loss(known), "test_loss": 100.0 * loss(unknown)}
                yield row(way=way, C=C, machines=machines, weights=weights, **errors)

    def _examples(self) -> tuple[Dataset, Dataset]:
        """Training and test points; both sets have a constant feature."""
        if self.data == DIGITS:
            return digits(self.n)
        known, unknown = animals_and_cars(min(500, max(2, self.n // 4)), self.seed)
        return with_constant(known), with_constant(unknown)

    def _fit(self, way: str, C: float, known: Dataset) -> Fitted:
        """Train in one of the three ways."""
        classes, learner, rule = (
            len(known.meta["states"]),
            OneSlack(C=C, eps=1e-9),
            Until(relative_gap=self.gap),
        )
        if way == ONE:
            problem = Multiclass(known, classes)
            *_, last = (
                event
                for event in train(problem, learner, seed=self.seed, rule=rule)
                if isinstance(event, Step)
            )
            return 1, problem.dim, lambda data: mean_loss(problem.on(data), last.w)
        make = one_vs_rest if way == REST else one_vs_one
        committee = make(known, classes, learner, bias="none", rule=rule, seed=self.seed)
        size = sum(machine.problem.dim for machine in committee.machines)
        return len(committee.machines), size, committee.mean_loss

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """Every way at the C with the fewest test errors."""
        found = []
        for way in WAYS:
            tried = where(rows, way=way)
            found += [min(tried, key=lambda r: (r.number("test_loss"), r.number("C")))] if tried else []
        return tuple(found)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """Whether learning the classes together pays."""
        whole = len(rows) == self.total
        best = {str(found["way"]): found.number("test_loss") for found in self.table(rows)} if whole else {}
        return (
            judge(
                "With as many weights, each at its best C, one machine makes no more test errors than one "
                "against the rest.",
                tuple(best.values()),
                whole and best[ONE] <= best[REST],
                all_errors(best),
            ),
            judge(
                "Nor does it make more than one against one, which has more weights.",
                tuple(best.values()),
                whole and best[ONE] <= best[PAIRS],
                all_errors(best),
            ),
        )


def all_errors(errors: dict[str, float]) -> str:
    """The errors of all ways."""
    return ", ".join(f"{way} {value:.2f} %" for way, value in errors.items())


def with_constant(data: Dataset) -> Dataset:
    """The data with a feature that is always 1."""
    inputs = np.asarray(data.inputs)
    return Dataset(data.name, np.hstack([inputs, np.ones((len(inputs), 1))]), data.labels, data.meta)
