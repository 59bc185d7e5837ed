"""A fit that is watched: step by step in the caller's loop, and by scikit-learn's callbacks."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from explorer.estimators.classes import StructuredClassifier
from tests.estimators.samples import Sample, points, same, samples

pytest.importorskip("sklearn.callback", reason="this version of scikit-learn has no callbacks")
SAMPLES = samples()


class Watcher:
    """A callback that takes down what it sees, and may say when it has seen enough."""

    max_propagation_depth = None

    def __init__(self, enough: int = 10**9) -> None:
        self.enough, self.begun, self.tasks = enough, 0, []
        self.losses: list[float] = []
        self.torn_down = 0

    def setup(self, estimator: Any, context: Any) -> None:
        self.begun += 1

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        pass

    def on_fit_task_end(self, estimator: Any, context: Any, *, X: Any, y: Any, fitted_estimator: Any) -> bool:
        if isinstance(estimator, StructuredClassifier) and context.task_name == "step":
            self.tasks.append(context.task_id)
            self.losses.append(1.0 - fitted_estimator.score(X, y))
        return len(self.tasks) >= self.enough

    def teardown(self, estimator: Any, context: Any) -> None:
        self.torn_down += 1


@pytest.fixture(params=sorted(SAMPLES))
def sample(request: pytest.FixtureRequest) -> Sample:
    return SAMPLES[request.param]


def test_the_steps_of_a_fit_end_at_the_fit(sample: Sample) -> None:
    whole, stepped = (clone(sample.estimator) for _ in range(2))
    whole.fit(sample.X, sample.y)
    bounds = []
    for step in stepped.fit_steps(sample.X, sample.y):
        bounds.append(step.bounds.dual)
        assert same(stepped.predict(sample.X[:2]), stepped.predict(sample.X[:2]))
    assert len(bounds) == len(whole.trace_) == len(stepped.trace_)
    assert np.array_equal(stepped.weights_, whole.weights_)
    assert stepped.certificate_ == whole.certificate_


def test_a_loop_that_is_left_ends_the_fit_there() -> None:
    X, y = points()
    estimator = StructuredClassifier(C=1e3, learner="sequential-dual", tol=1e-9)
    for step in estimator.fit_steps(X, y):
        if step.k == 2:
            break
    del step
    estimator.predict(X)
    assert len(estimator.trace_) == 3
    assert estimator.certificate_.words


def test_callbacks_see_every_step_and_the_estimator_as_it_is_there() -> None:
    X, y = points()
    watcher = Watcher()
    estimator = StructuredClassifier(C=10.0).set_callbacks(watcher).fit(X, y)
    assert watcher.tasks == list(range(len(estimator.trace_)))
    assert (watcher.begun, watcher.torn_down) == (1, 1)
    assert watcher.losses[-1] == pytest.approx(1.0 - estimator.score(X, y))
    assert np.array_equal(estimator.weights_, StructuredClassifier(C=10.0).fit(X, y).weights_)


def test_a_callback_that_has_seen_enough_ends_the_fit() -> None:
    X, y = points()
    estimator = StructuredClassifier(C=1e3, learner="sequential-dual", tol=1e-9)
    estimator.set_callbacks(Watcher(enough=2)).fit(X, y)
    assert len(estimator.trace_) == 2
    assert estimator.predict(X).shape == y.shape


def test_callbacks_of_a_grid_search_see_the_steps_of_every_fit_inside() -> None:
    X, y = points()
    watcher = Watcher()
    within = make_pipeline(StandardScaler(), StructuredClassifier(learner="sequential-dual"))
    search = GridSearchCV(within, {"structuredclassifier__C": [0.1, 10.0]}, cv=3)
    search.set_callbacks(watcher).fit(X, y)
    assert watcher.tasks.count(0) == 2 * 3 + 1
    assert (watcher.begun, watcher.torn_down) == (1, 1)


def test_callbacks_are_told_that_a_fit_is_over_when_it_fails() -> None:
    X, y = points()
    watcher = Watcher()
    with pytest.raises(ValueError, match="scaling"):
        StructuredClassifier(scaling="slack").set_callbacks(watcher).fit(X, y, sample_weight=np.ones(30))
    assert watcher.begun == watcher.torn_down
