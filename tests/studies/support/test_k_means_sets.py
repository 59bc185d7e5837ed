"""Leave-one-out inside leave-one-out: what is chosen, that it repeats, and what happens to a single training
set.
"""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from explorer.engine.contracts import Dataset
from explorer.engine.data.cluster_synth import make_synth
from explorer.engine.data.item_sets import take_sets
from explorer.engine.data.web_pages import all_pages
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Cancelled
from explorer.engine.structures.clusterings.item_sets import pair_rows, similarity
from explorer.engine.structures.clusterings.oracles import Iterative, Spectral
from explorer.engine.structures.clusterings.partitions import together
from explorer.studies.clusterings.feature_ablation import LINKS, WORDS, FeatureAblation
from explorer.studies.clusterings.news_areas import NewsAreasStudy
from explorer.studies.clusterings.synth_table import SynthTable
from explorer.studies.support.k_means_sets import (
    PREDICTORS,
    ChosenC,
    SetTraining,
    choice_of,
    fit_planes,
    halves_of,
    inner_losses,
    losses,
    outcome_of,
    pair_weights,
    part_of,
    prices,
    printed_prices,
    problem_of,
    train_weights,
)
from explorer.studies.support.published_clusterings import ITERATIVE, METHODS, NONE, PAIR, SPECTRAL

SMALL = make_synth(3, 3, 5, 10, 3, noise=0.2, seed=1)
RECIPE = SetTraining(prices(-1, 1), most=20, restarts=3)


@pytest.mark.spec("C46")
def test_every_study_chooses_from_the_printed_grid_of_its_data() -> None:
    words, links = (FeatureAblation().prices_of(features) for features in (WORDS, LINKS))
    assert links == pytest.approx((0.1, 1.0, 10.0, 100.0, 1e3, 1e4)), "WebKB-L"
    assert words == pytest.approx((1.0, 10.0, 100.0, 1e3, 1e4, 1e5)), "WebKB-N"
    assert NewsAreasStudy().recipe.prices == pytest.approx((1.0, 10.0, 100.0, 1e3, 1e4, 1e5))
    assert SynthTable().recipe.prices == pytest.approx((0.01, 0.1, 1.0, 10.0, 100.0, 1000.0))


def test_part_of_a_printed_grid_is_what_lies_between_two_powers() -> None:
    assert printed_prices("WebKB-N", -3, 1) == (1.0, 10.0)
    assert printed_prices("WebKB-L", 4, 6) == (1e4,)
    with pytest.raises(Refused, match="from 1e0 to 1e5 for News"):
        printed_prices("News", -3, -1)


@pytest.mark.spec("C46")
def test_the_smallest_mean_loss_is_chosen_and_of_equals_the_smallest_price_then_the_first_predictor() -> None:
    flat = dict.fromkeys(((C, title) for C in (10.0, 0.1, 1.0) for title in reversed(PREDICTORS)), 5.0)
    assert choice_of(flat) == ChosenC(0.1, Iterative.title, 5.0)
    assert choice_of({**flat, (10.0, Spectral.title): 4.9}) == ChosenC(10.0, Spectral.title, 4.9)
    assert choice_of({**flat, (10.0, Spectral.title): 5.0 - 1e-13}).C == 0.1, "rounding decides nothing"


@pytest.mark.spec("C46")
@pytest.mark.parametrize("method", METHODS)
def test_the_choice_repeats_with_the_seed(method: str) -> None:
    first, again = (outcome_of(SMALL, 2, method, RECIPE) for _ in range(2))
    assert (first.choice, first.loss, first.test) == (again.choice, again.loss, again.test)
    assert first.model.w.tolist() == again.model.w.tolist()
    assert first.choice.C in RECIPE.prices
    assert first.choice.predictor in PREDICTORS


@pytest.mark.spec("C46")
def test_inner_losses_are_means_over_training_sets_that_were_left_out() -> None:
    train = take_sets(SMALL, [0, 2], "two")
    found = inner_losses(train, PAIR, replace(RECIPE, prices=(1.0,)))
    by_hand = [
        losses(
            take_sets(train, [held], "held"),
            train_weights(take_sets(train, [1 - held], "rest"), PAIR, 1.0, RECIPE).w,
            PREDICTORS,
            RECIPE,
        )
        for held in (0, 1)
    ]
    for title in PREDICTORS:
        assert found[1.0, title] == pytest.approx(np.mean([each[title] for each in by_hand]))


def test_the_set_that_is_left_out_never_takes_part_in_the_choice() -> None:
    spoiled = replace(SMALL, labels=(np.roll(SMALL.labels[0], 1), *SMALL.labels[1:]))
    clean, other = (outcome_of(data, 1, ITERATIVE, RECIPE) for data in (SMALL, spoiled))
    assert clean.choice == other.choice
    assert clean.model.w.tolist() == other.model.w.tolist()


def test_without_training_there_is_one_price_and_every_weight_is_one() -> None:
    assert {C for C, _ in inner_losses(take_sets(SMALL, [0, 1], "two"), NONE, RECIPE)} == {RECIPE.prices[0]}
    assert set(train_weights(SMALL, NONE, 1.0, RECIPE).w) == {1.0}


@pytest.mark.parametrize("method", [ITERATIVE, SPECTRAL])
def test_training_ends_at_eps_or_says_that_its_steps_ran_out(method: str) -> None:
    whole = train_weights(SMALL, method, 10.0, SetTraining((10.0,), most=500))
    short = train_weights(SMALL, method, 10.0, SetTraining((10.0,), most=2))
    assert whole.ended
    assert whole.steps > 2
    assert (short.ended, short.steps) == (False, 2)


def test_a_pulse_ends_training() -> None:
    def enough(note: str) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        fit_planes(problem_of(SMALL, Spectral(), Spectral()), 1.0, RECIPE, enough)


def test_part_of_a_set_has_the_similarities_of_the_items_that_were_kept() -> None:
    for x in (*all_pages(1, 12, 20).inputs, SMALL.inputs[0]):
        w, kept = np.random.default_rng(0).normal(size=x.dim), np.array([1, 2, 5, 7, 8, 11])
        assert similarity(part_of(x, kept), w) == pytest.approx(
            similarity(x, w)[np.ix_(kept, kept)], abs=1e-12
        )


def test_a_single_training_set_is_halved_for_the_choice() -> None:
    pages = all_pages(2, 24, 30, seed=1)
    two = halves_of(take_sets(pages, [0], "one"), seed=0)
    assert [x.m for x in two.inputs] == [12, 12]
    assert sorted(np.concatenate(two.labels)) == sorted(pages.labels[0])
    found = outcome_of(pages, 1, ITERATIVE, replace(RECIPE, prices=(100.0,)))
    assert found.test == "Cornell"
    assert 0.0 <= found.loss <= 100.0


@pytest.mark.parametrize(("C", "on_sum"), [(1.0, False), (100.0, False), (0.3, True)])
def test_the_pair_classifier_is_liblinears_with_c_on_the_mean_or_the_sum(C: float, on_sum: bool) -> None:
    rows = np.concatenate([pair_rows(x).toarray() for x in SMALL.inputs])
    same = np.concatenate([together(y) for y in SMALL.labels])
    price = C / 2.0 if on_sum else C / (2.0 * len(same))
    peer = LinearSVC(C=price, dual=False, tol=1e-10, max_iter=100_000).fit(rows, np.where(same > 0.5, 1, -1))
    found = pair_weights(SMALL, C, replace(RECIPE, on_sum=on_sum))
    assert found == pytest.approx(peer.coef_.ravel(), abs=1e-3 * np.abs(found).max())


def test_pairs_of_one_kind_give_a_constant_answer() -> None:
    x = SMALL.inputs[0]
    alone, all_together = np.arange(x.m), np.zeros(x.m, dtype=int)
    assert set(pair_weights(Dataset("alone", (x,), (alone,)), 1.0, RECIPE)) == {-1.0}
    assert set(pair_weights(Dataset("together", (x,), (all_together,)), 1.0, RECIPE)) == {1.0}
