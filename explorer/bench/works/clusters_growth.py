"""How the time to train a clusterer grows: with item sets (10 to 160), and with features that are not zero.

    sets       n Synth sets of 5 clusters of 4 points;    features
        N = 15 regions, of whose features a pair turns on a tenth

1-slack cutting planes, C = 100 on the mean slack, to eps = 1 of losses from 0 to 100, with the Iterative and
the Spectral oracle. Each axis runs in one process, smallest size first, on several draws of which the median
counts; figures are processor seconds and the slope of their logarithm against that of the size. Bar: a slope
of at most 1.1 with sets.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from explorer.bench.work import Clock, Outcome, Record, Verdict, Work, without_score
from explorer.bench.works.growth import slope
from explorer.engine.data.cluster_synth import make_synth
from explorer.studies.clusterings.clustering_time import AXES, FEATURES, SETS, shape_of, shown_size
from explorer.studies.support.k_means_sets import SetTraining, fit_planes, oracle_named, problem_of
from explorer.studies.support.published_clusterings import ITERATIVE, SPECTRAL

STEEPEST, C, DRAWS = 1.1, 100.0, 3
RECIPE = SetTraining((C,), eps=1.0, most=1000)


def train_once(method: str, shape: Mapping[str, int], seed: int) -> tuple[float, int]:
    """Processor seconds and steps of one training."""
    oracle = oracle_named(method, seed)
    problem = problem_of(make_synth(**shape, seed=seed), oracle, oracle)
    with Clock() as clock:
        model = fit_planes(problem, C, RECIPE)
    return clock.cpu, model.steps


def axis(method: str, name: str) -> Callable[[Any], Outcome]:
    """Train at every size."""

    def run(data: Any) -> Outcome:
        train_once(method, shape_of(SETS, 3), 0)
        shapes = [shape_of(name, size) for size in AXES[name]]
        with Clock() as whole:
            runs = [[train_once(method, shape, seed) for seed in range(DRAWS)] for shape in shapes]
        seconds = [float(np.median([spent for spent, _ in each])) for each in runs]
        steps = [float(np.median([count for _, count in each])) for each in runs]
        sizes = [shown_size(name, shape) for shape in shapes]
        facts = {"sizes": sizes, "seconds": [round(s, 3) for s in seconds], "steps": steps}
        return Outcome(whole, facts=facts | {"slope": slope(sizes, seconds)})

    return run


def judge(summary: Mapping[str, Record]) -> list[Verdict]:
    """The slopes against the number of item sets."""
    found = []
    for method in (ITERATIVE, SPECTRAL):
        steep = summary.get(f"{method}, {SETS}", {}).get("facts", {}).get("slope")
        if steep is not None:
            asked = f"{method}: with item sets, a slope of at most {STEEPEST}"
            found.append(Verdict(asked, f"{steep:.2f}", steep <= STEEPEST))
    return found


WORK = Work(
    "clusters-growth",
    "processor seconds to train a clusterer against item sets and features",
    lambda folder: None,
    {
        f"{method}, {name}": axis(method, name)
        for method in (ITERATIVE, SPECTRAL)
        for name in (SETS, FEATURES)
    },
    without_score,
    judge,
    repeats=2,
)
