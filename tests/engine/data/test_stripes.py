"""Pictures on grids: the stripes of the thesis and blobs of ink, their layout and their noise."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from explorer.engine.contracts import Dataset
from explorer.engine.data.stripes import COLOURS, stripes, two_states
from explorer.engine.refusals import Refused


def alone(sigma: float) -> float:
    """The chance that the true one of three channels shows the largest number."""
    return float(quad(lambda z: norm.pdf(z) * norm.cdf(z + 1.0 / sigma) ** 2, -9.0, 9.0)[0])


def per_node_accuracy(data: Dataset) -> float:
    """The share of nodes whose largest feature is that of their label."""
    return float(
        np.mean([x.nodes.argmax(axis=1) == y for x, y in zip(data.inputs, data.labels, strict=True)])
    )


def test_a_picture_is_a_grid_of_twelve_by_twelve_with_three_features() -> None:
    train, test = stripes()
    assert (len(train), len(test)) == (20, 20)
    for x in (*train.inputs, *test.inputs):
        assert (x.shape, len(x.edges), x.nodes.shape, x.edge_features.shape) == (
            (12, 12),
            264,
            (144, 3),
            (264, 1),
        )
    assert train.meta["states"] == COLOURS


def test_four_columns_in_a_row_have_one_colour_and_every_colour_comes_once() -> None:
    train, _ = stripes(n=50, n_test=1, seed=3)
    for y, order in zip(train.labels, train.meta["orders"], strict=True):
        picture = np.asarray(y).reshape(12, 12)
        assert (picture == picture[0]).all()
        assert [COLOURS[k] for k in picture[0, [0, 4, 8]]] == list(order)
        assert (picture[0] == np.repeat(picture[0, [0, 4, 8]], 4)).all()
        assert set(picture[0]) == {0, 1, 2}


def test_every_order_of_the_colours_comes_up_equally_often() -> None:
    train, _ = stripes(n=1200, n_test=1, rows=1, columns=3)
    _, counts = np.unique(train.meta["orders"], axis=0, return_counts=True)
    assert len(counts) == 6
    assert np.all(np.abs(counts - 200) < 5 * np.sqrt(200))


@pytest.mark.spec("A38")
@pytest.mark.parametrize(("sigma", "printed"), [(0.3, 98.27), (0.5, 86.58), (0.7, 74.87), (1.0, 63.37)])
def test_a_cell_alone_is_told_right_as_often_as_the_integral_says(sigma: float, printed: float) -> None:
    train, _ = stripes(n=200, n_test=1, sigma=sigma, seed=1)
    assert 100.0 * alone(sigma) == pytest.approx(printed, abs=0.005)
    assert 100.0 * per_node_accuracy(train) == pytest.approx(printed, abs=1.0)


def test_without_noise_the_features_are_the_labels() -> None:
    train, _ = stripes(n=3, n_test=1, sigma=0.0)
    for x, y in zip(train.inputs, train.labels, strict=True):
        assert np.array_equal(x.nodes, np.eye(3)[y])


def test_the_ink_is_told_by_its_sign_as_often_as_the_noise_allows() -> None:
    train, test = two_states(n=150, n_test=2, noise=1.0, seed=2)
    seen = np.concatenate([x.nodes[:, 0] for x in train.inputs])
    truth = np.concatenate(train.labels)
    assert 100.0 * np.mean((seen > 0) == truth) == pytest.approx(100.0 * norm.cdf(1.0), abs=1.0)
    assert all((x.nodes[:, 1] == 1.0).all() for x in (*train.inputs, *test.inputs))
    assert train.inputs[0].shape == (16, 16)


def test_neighbours_mostly_agree_and_more_so_with_more_blur() -> None:
    def agreeing(blur: float) -> float:
        train, _ = two_states(n=60, n_test=1, blur=blur)
        pairs = [y[x.edges] for x, y in zip(train.inputs, train.labels, strict=True)]
        return float(np.mean([pair[:, 0] == pair[:, 1] for pair in pairs]))

    assert agreeing(0.0) == pytest.approx(0.5, abs=0.03)
    assert 0.7 < agreeing(1.0) < agreeing(2.0) < 0.97


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: stripes(columns=10), "columns is 10; three stripes of equal width need a multiple of 3"),
        (lambda: stripes(sigma=-1.0), "sigma is -1.0; it is a standard deviation, choose 0 or more"),
        (lambda: stripes(n=0), "n is 0 and n_test is 20; draw at least one picture of each"),
        (lambda: stripes(rows=0), "a picture has 0 rows"),
        (lambda: two_states(noise=float("nan")), "noise is nan"),
        (lambda: two_states(blur=99.0), "blur is 99.0; choose between 0 and the size of the picture, 16"),
    ],
)
def test_impossible_pictures_are_refused(made: object, said: str) -> None:
    with pytest.raises(Refused, match=said):
        made()  # type: ignore[operator]
