"""What theorems promise of a run: by hand on the circle toy, never exceeded, and silent where no theorem
speaks.
"""

import math
from typing import Any

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Dataset, Learner, Problem, oracle_kind
from explorer.engine.data.toys import circle
from explorer.engine.events import Cut
from explorer.engine.learners import NSlack, OneSlack, SequentialDual
from explorer.engine.losses import CostMatrix, Hamming
from explorer.engine.pricing import Pricing, Scaling
from explorer.engine.runs.promises import Promise, promise
from explorer.engine.runs.streams import Until, train
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.structures.fields.fields import is_relaxed
from explorer.engine.structures.fields.label_map import LabelMap, all_pairs
from explorer.engine.structures.fields.oracles import RoofDuality
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.theory.bounds import extent
from explorer.engine.theory.relaxed_extent import known_extent
from tests.engine.learners.toys import noisy, tiny_clustering

CIRCLE = Multiclass(circle(), 3)


def run(problem: Problem, learner: Learner, trace: Trace | None = None, steps: int = 2000) -> Trace:
    """The learner to its own end, going on from a trace where there is one."""
    trace = trace or Trace()
    state = trace.keyframe()[1] if len(trace) else None
    for event in train(
        problem, learner, rule=Until(relative_gap=0.0, steps=steps), state=state, look_every=0.0
    ):
        trace.append(event)
    return trace


def promised(problem: Problem, trace: Trace) -> Promise | None:
    known = known_extent(problem) if oracle_kind(problem) == "over" else extent(problem)
    return promise(problem, trace, len(trace) - 1, known)


def test_the_circle_toy_is_promised_what_the_theorems_say_by_hand() -> None:
    # R = 2, D = 1, max |Psi|^2 = 2, n = 12, C = 10, eps = 0.1:
    # Theorem 4  max(2 * 12 / 0.1, 8 * 10 * 4 / 0.01) = max(240, 32,000)
    # Theorem 8  (10 * 2 + 12) / 0.01 = 3,200
    # Theorem 7  ceil(log2(1 / 160)) + ceil(16 * 4 * 10 / 0.1) = -7 + 6,400
    each = promised(CIRCLE, run(CIRCLE, NSlack(C=10.0, eps=0.1, order="each")))
    assert each is not None
    assert (each.theorem, each.unit, each.most, each.older) == ("Theorem 4", "cuts", 32_000, 3_200)
    batch = promised(CIRCLE, run(CIRCLE, NSlack(C=10.0, eps=0.1)))
    assert batch is not None
    assert (batch.unit, batch.most, batch.last_step) == ("passes with new cuts", 32_000, 32_000)
    assert np.isnan(batch.older)
    one = promised(CIRCLE, run(CIRCLE, OneSlack(C=10.0, eps=0.1)))
    assert one is not None
    assert (one.theorem, one.unit, one.most) == ("Theorem 7", "planes", 6_393)
    assert one.sentence == f"Theorem 7 promises an end after at most 6,393 planes; so far {one.so_far}."


def test_so_far_counts_what_was_added() -> None:
    trace = run(CIRCLE, NSlack(C=10.0, eps=0.1, order="each"))
    found = promise(CIRCLE, trace, 0, extent(CIRCLE))
    assert found is not None
    assert found.so_far == len(trace.cuts.kept[0])
    whole = promised(CIRCLE, trace)
    assert whole is not None
    assert whole.so_far == sum(len(cuts) for cuts in trace.cuts.kept.values())
    batch = run(CIRCLE, NSlack(C=10.0, eps=0.1))
    passes = promised(CIRCLE, batch)
    assert passes is not None
    assert passes.so_far == len(batch) - 1  # the last pass finds nothing


def test_another_price_begins_another_count() -> None:
    trace = run(CIRCLE, OneSlack(C=1.0, eps=0.1))
    first = len(trace)
    before = promised(CIRCLE, trace)
    run(CIRCLE, OneSlack(C=10.0, eps=0.1), trace)
    found = promised(CIRCLE, trace)
    assert before is not None
    assert found is not None
    assert before.most == -4 + 640
    assert found.most == 6_393
    assert found.last_step == first + 6_393
    assert found.so_far == int(trace.column("added")[first:].sum())
    assert promise(CIRCLE, trace, first - 1, extent(CIRCLE)) is None  # its loss may have been another one


@pytest.mark.spec("C17")
def test_the_tiny_clustering_problem_is_promised_its_number() -> None:
    problem = tiny_clustering()
    found = promised(problem, run(problem, OneSlack(C=1000.0, eps=0.1)))
    assert found is not None
    assert found.most == 31_514
    assert 0 < found.so_far <= 31_514


@pytest.mark.spec("D2")
@pytest.mark.parametrize("scaling", ["margin", "slack"])
@pytest.mark.parametrize("learner", [NSlack, OneSlack])
@pytest.mark.parametrize("settings", [{"order": "each"}, {"order": "batch"}, {"cache": 3, "prune_after": 2}])
def test_no_run_exceeds_what_is_displayed(
    scaling: Scaling, learner: type, settings: dict[str, object]
) -> None:
    if not set(settings) <= set(learner.__dataclass_fields__):
        settings = {"prune_after": 2}
    rng = np.random.default_rng(0)
    for seed in range(12):
        costs = CostMatrix(rng.uniform(0.5, 3.0, (3, 3)) * (1.0 - np.eye(3)))
        problem = noisy(int(rng.integers(3, 8)), 3, seed, delta=costs, pricing=Pricing(scaling))
        C, eps = 10.0 ** rng.uniform(-1, 2), 10.0 ** rng.uniform(-2, -0.5)
        trace = run(problem, learner(C=C, eps=eps, **settings))
        found = promised(problem, trace)
        assert found is not None
        assert trace.stops[-1][1].reason in ("no new cut", "eps-violation")
        assert found.so_far <= found.most
        assert len(trace) - 1 <= found.last_step


@pytest.mark.spec("D2")
@pytest.mark.parametrize("oracle", ["greedy", "belief propagation"])
def test_an_oracle_that_misses_labellings_ends_by_the_same_step(oracle: str) -> None:
    settings = {"C": 10.0, "eps": 1.0, "order": "each"}
    recipe = Recipe("synth1", {"n": 12, "n_test": 1}, oracle=oracle, learner="n-slack", settings=settings)
    problem, _ = recipe.problem()
    trace = run(problem, recipe.make_learner())
    found = promised(problem, trace)
    assert found is not None
    assert 0 < found.so_far <= found.most


@pytest.mark.parametrize(
    ("problem", "learner"),
    [
        (CIRCLE, NSlack(C=10.0, eps=0.0)),
        (CIRCLE, NSlack(C=10.0, order="solve first")),
        (CIRCLE, SequentialDual(C=10.0)),
        (CIRCLE, OneSlack(C=0.001, eps=0.1)),  # eps is not below 4 R^2 C = 0.016
        (Multiclass(circle(), 3, pricing=Pricing(penalty="squared")), NSlack(C=10.0)),
    ],
)
def test_where_no_theorem_speaks_nothing_is_promised(problem: Problem, learner: Learner) -> None:
    assert promised(problem, run(problem, learner, steps=5)) is None


def relaxed_toy(rng: np.random.Generator) -> FieldLabelling:
    """A few rows with four labels at random, which an oracle that over-generates leaves half undecided."""
    n = int(rng.integers(2, 5))
    data = Dataset("random labels", rng.normal(size=(n, 3)), rng.integers(2, size=(n, 4)))
    return FieldLabelling(
        data, LabelMap(4, all_pairs(4)), Hamming(normalised=True, times=100.0), separator=RoofDuality()
    )


def answers(cut: Cut) -> tuple[Any, ...]:
    """The answers that a cut is made of: one, or one to each example."""
    return cut.label if isinstance(cut.label, tuple) else (cut.label,)


@pytest.mark.spec("D2")
def test_an_oracle_that_over_generates_ends_by_the_step_of_theorem_11_in_a_hundred_runs() -> None:
    rng = np.random.default_rng(0)
    fractional = 0
    for _ in range(50):
        problem = relaxed_toy(rng)
        C, eps = 10.0 ** rng.uniform(1, 3), 10.0 ** rng.uniform(0, 1)
        for learner in (NSlack(C=C, eps=eps, order="each"), OneSlack(C=C, eps=eps)):
            trace = run(problem, learner)
            found = promised(problem, trace)
            assert found is not None
            assert found.relaxed
            assert trace.stops[-1][1].reason in ("no new cut", "eps-violation")
            assert 0 < found.so_far <= found.most
            assert not found.so_far > found.older, "NaN where Theorem 11 counts other things"
            assert len(trace) - 1 <= found.last_step
            whole = [y for cuts in trace.cuts.kept.values() for cut in cuts for y in answers(cut)]
            fractional += any(map(is_relaxed, whole))
    assert fractional > 25, "half-integral answers took part"


@pytest.mark.spec("D2")
def test_a_relaxed_run_names_theorem_11_beside_theorem_4() -> None:
    problem = relaxed_toy(np.random.default_rng(1))
    found = promised(problem, run(problem, NSlack(C=100.0, eps=5.0, order="each")))
    assert found is not None
    assert found.older_theorem == "Theorem 11"
    # Everything switched on: four labels and six pairs; a loss of 100.
    longest = max(4 * float(x @ x) + 6 for x in problem.dataset.inputs)
    assert found.older == math.ceil((100.0 * 100.0**2 * longest + problem.n * 100.0) / 25.0)
    assert found.sentence.startswith("Theorem 4, over relaxed answers, promises an end after at most")


def test_nothing_is_promised_where_the_extent_is_unknown_or_that_of_labellings_only() -> None:
    problem = relaxed_toy(np.random.default_rng(1))
    relaxed = run(problem, OneSlack(C=10.0), steps=3)
    assert promise(problem, relaxed, 0, extent(problem)) is None
    assert promise(problem, relaxed, 0, known_extent(problem)) is not None
    trace = run(CIRCLE, OneSlack(C=10.0))
    assert promise(CIRCLE, trace, 0, None) is None
    assert promise(CIRCLE, Trace(), 0, extent(CIRCLE)) is None
