"""The run of a fit in the studio: the steps that were trained, not new ones."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from explorer.dashboards.notebook import fitted_session, session_of
from explorer.engine.refusals import Refused
from explorer.estimators.models import load, model_bytes
from tests.estimators.samples import samples

SAMPLES = samples()


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_the_studio_shows_the_run_of_a_fit_and_trains_nothing(name: str) -> None:
    estimator, X, y = SAMPLES[name]
    fitted = clone(estimator).fit(X, y)
    session = session_of(fitted)
    assert session.problem is fitted.problem_
    assert len(session.trace) == len(fitted.trace_)
    assert session.trace is not fitted.trace_
    assert np.array_equal(session.trace.at(-1).w, fitted.weights_)
    assert session.status == "stopped"
    assert session.message == fitted.trace_.stops[-1][1].sentence
    assert session.recipe().make_learner() == fitted.learner_
    session.close()
    assert len(fitted.trace_) > 0


def test_a_model_without_its_run_is_refused_with_the_way_out() -> None:
    estimator, X, y = SAMPLES["classes"]
    fitted = clone(estimator).fit(X, y)
    for copy in (load(model_bytes(fitted)), pickle.loads(pickle.dumps(fitted))):
        with pytest.raises(Refused, match=r"problem\(X, y\)"):
            fitted_session(copy)
