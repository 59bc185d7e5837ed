"""scikit-learn's conventions: its own checks, copies, grids and pipelines, for every estimator."""

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from sklearn import __version__ as version
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.fixes import parse_version

from explorer.engine.refusals import Refused
from explorer.estimators.chains import SequenceTagger
from explorer.estimators.classes import StructuredClassifier
from explorer.estimators.label_sets import LabelSetClassifier
from tests.estimators.samples import Sample, points, same, samples, tagged

SAMPLES = samples()
STRUCTURED = """Taggers, graph labellers, clusterers and parsers take lists of structures, not matrices, so
scikit-learn's checks, which all fit matrices, do not apply to them; what they can promise is tested below:
untouched constructor, clone, pickle, grids, refusals before a fit, the same results with the same seed."""


OTHER_TARGETS = (
    "before version 1.7 this check makes two classes of the first example's class and the rest, and shuffles "
    "the examples of one of its two fits before: it compares fits to different targets"
)


def expected_failures(estimator: Any) -> dict[str, str]:
    """What an earlier version of scikit-learn asks that cannot hold, and why; of newer ones, nothing."""
    if isinstance(estimator, StructuredClassifier) or parse_version(version) >= parse_version("1.7"):
        return {}
    return {f"check_sample_weight_equivalence_on_{kind}_data": OTHER_TARGETS for kind in ("dense", "sparse")}


@parametrize_with_checks(
    [StructuredClassifier(), LabelSetClassifier()], expected_failed_checks=expected_failures
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scikit_learns_own_checks_pass(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.fixture(params=sorted(SAMPLES))
def sample(request: pytest.FixtureRequest) -> Sample:
    return SAMPLES[request.param]


def test_the_constructor_stores_its_arguments_untouched(sample: Sample) -> None:
    marks = {name: object() for name in sample.estimator.get_params(deep=False)}
    made = type(sample.estimator)(**marks)
    assert made.get_params(deep=False) == marks


def test_a_clone_has_the_parameters_and_none_of_what_was_learned(sample: Sample) -> None:
    fitted = clone(sample.estimator).fit(sample.X, sample.y)
    twin = clone(fitted)
    assert repr(twin) == repr(fitted)
    assert not hasattr(twin, "weights_")


def test_what_was_not_fitted_is_refused(sample: Sample) -> None:
    for method in ("predict", "decision_function"):
        with pytest.raises(NotFittedError):
            getattr(clone(sample.estimator), method)(sample.X)


def test_the_same_seed_gives_the_same_weights_with_one_thread_or_two(sample: Sample) -> None:
    one = clone(sample.estimator).set_params(n_jobs=1).fit(sample.X, sample.y)
    two = clone(sample.estimator).set_params(n_jobs=2).fit(sample.X, sample.y)
    assert np.array_equal(one.weights_, two.weights_)


def test_a_pickled_estimator_predicts_the_same(sample: Sample) -> None:
    fitted = clone(sample.estimator).fit(sample.X, sample.y)
    assert same(pickle.loads(pickle.dumps(fitted)).predict(sample.X), fitted.predict(sample.X))


def test_every_estimator_says_what_was_proved_and_how_it_came_about(sample: Sample) -> None:
    fitted = clone(sample.estimator).fit(sample.X, sample.y)
    proved = fitted.certificate_
    assert proved.gap == pytest.approx(proved.primal - proved.dual, abs=1e-9)
    assert proved.exact == fitted.problem(sample.X, sample.y).oracle_is_exact
    assert ("proved" in proved.words) == proved.exact
    if proved.exact:
        assert proved.relative_gap <= 1e-3
    assert len(fitted.trace_) >= 1
    assert 0.0 <= fitted.score(sample.X, sample.y) <= 1.0


def test_unknown_names_are_refused_with_those_there_are(sample: Sample) -> None:
    for wrong in ({"learner": "magic"}, {"scaling": "both"}, {"learner_settings": {"magic": 1}}, {"C": "1"}):
        with pytest.raises(Refused):
            clone(sample.estimator).set_params(**wrong).fit(sample.X, sample.y)


def test_an_example_of_weight_two_is_two_examples() -> None:
    for name in ("classes", "chains", "label_sets", "trees-plain"):
        estimator, X, y = SAMPLES[name]
        weights = np.ones(len(y))
        weights[:2] = 2.0, 0.0
        again = [0, 0, *range(2, len(y))]
        tight = clone(estimator).set_params(tol=1e-7, learner="n-slack", max_iter=0)
        given = clone(tight).fit(X, y, sample_weight=weights)
        if isinstance(X, np.ndarray):
            twice = clone(tight).fit(X[again], np.asarray(y)[again])
        else:
            every = clone(tight).fit(X, y)  # a feature that only the dropped example has keeps its column
            assert every.weights_.shape == given.weights_.shape
            continue
        assert given.certificate_.primal == pytest.approx(twice.certificate_.primal, rel=1e-6)
        assert given.weights_ == pytest.approx(twice.weights_, abs=1e-3)


def test_weights_where_the_objective_has_no_place_for_them_are_refused() -> None:
    X, y = points()
    with pytest.raises(Refused, match="margin"):
        StructuredClassifier(scaling="slack").fit(X, y, sample_weight=np.ones(30))
    estimator, X, y = SAMPLES["trees"]
    with pytest.raises(Refused, match="kernel='none'"):
        clone(estimator).fit(X, y, sample_weight=np.ones(4))


def test_a_grid_search_and_a_pipeline_take_them() -> None:
    X, y = points()
    search = GridSearchCV(
        make_pipeline(StandardScaler(), StructuredClassifier()),
        {"structuredclassifier__C": [0.1, 10.0]},
        cv=3,
    )
    assert search.fit(X, y).best_score_ > 0.5
    tagger = GridSearchCV(SequenceTagger(), {"C": [0.1, 10.0]}, cv=2).fit(*tagged())
    assert tagger.best_params_["C"] in (0.1, 10.0)


def test_c_per_example_is_c_divided_by_the_number_of_examples() -> None:
    X, y = points()
    mean, each = StructuredClassifier(C=6.0).fit(X, y), StructuredClassifier(C_per_example=0.2).fit(X, y)
    assert np.array_equal(mean.weights_, each.weights_)
    with pytest.raises(Refused, match="give one"):
        StructuredClassifier(C=6.0, C_per_example=0.2).fit(X, y)


def test_a_warm_start_goes_on_from_the_last_fit_of_the_same_data_only() -> None:
    X, y = tagged()
    warm = SequenceTagger(C=10.0, learner="sequential-dual", warm_start=True, tol=1e-6).fit(X, y)
    calls = warm.trace_.column("oracle_calls")[-1]
    warm.set_params(C=11.0).fit(X, y)
    cold = SequenceTagger(C=11.0, learner="sequential-dual", tol=1e-6).fit(X, y)
    assert warm.trace_.column("oracle_calls")[-1] - calls < cold.trace_.column("oracle_calls")[-1]
    assert warm.certificate_.primal == pytest.approx(cold.certificate_.primal, rel=1e-5)
    fewer = warm.fit(X[:3], y[:3])
    assert fewer.trace_.starts[0][1].n == 3


def test_a_run_that_is_cut_short_warns_and_says_what_to_do() -> None:
    X, y = points()
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        StructuredClassifier(C=1e4, learner="sequential-dual", max_iter=2, tol=1e-9).fit(X, y)


def test_importing_the_estimators_loads_no_user_interface_and_nothing_heavy() -> None:
    heavy = "('sklearn', 'numba', 'pandas', 'panel')"
    code = f"import explorer.estimators, sys; print([m for m in {heavy} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_a_fitted_estimator_shows_its_parameters_and_what_was_proved() -> None:
    fitted = StructuredClassifier(C=10.0).fit(*points())
    for shown in (fitted._repr_mimebundle_()["text/html"], fitted._repr_html_()):
        assert "the oracle is exact" in shown
        assert "StructuredClassifier" in shown
    assert "the oracle is exact" not in StructuredClassifier()._repr_html_()


def test_the_problem_of_other_data_leaves_a_fitted_estimator_as_it_is(sample: Sample) -> None:
    fitted = clone(sample.estimator).fit(sample.X, sample.y)
    before = fitted.predict(sample.X)
    fitted.problem(sample.X[1:], sample.y[1:])
    assert same(fitted.predict(sample.X), before)


def test_help_says_that_c_is_the_price_of_the_mean_slack(sample: Sample) -> None:
    words = type(sample.estimator).__doc__
    assert "C : price of the mean slack" in words
    assert "{" not in words.replace("{0, 1}", "")
    for name in sample.estimator.get_params(deep=False):
        assert name in words
