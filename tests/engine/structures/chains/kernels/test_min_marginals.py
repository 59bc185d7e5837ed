"""Max-marginals against enumeration."""

import numpy as np
import pytest

from explorer.engine.structures.chains.kernels.min_marginals import max_marginals
from explorer.engine.structures.chains.kernels.viterbi import viterbi
from tests import brute
from tests.brute import Array, Chain


def through(chain: Chain) -> Array:
    out = np.full(chain.unary.shape, np.nan)
    max_marginals(*chain, out)
    return out


@pytest.mark.parametrize("share_forbidden", [0.0, 0.4])
def test_every_entry_is_the_best_enumerated_path_through_that_state(share_forbidden: float) -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        chain = brute.random_chain(rng, rng.integers(1, 6), rng.integers(1, 5))
        chain = brute.forbid(rng, chain, share_forbidden)
        assert np.allclose(through(chain), brute.max_marginals(chain), atol=1e-12)


def test_every_row_has_the_best_score_as_its_maximum_at_the_best_path() -> None:
    chain = brute.random_chain(np.random.default_rng(1), 50, 6)
    path = np.empty(50, dtype=np.int64)
    value = viterbi(*chain, path)
    out = through(chain)
    assert np.allclose(out.max(axis=1), value)
    assert out.argmax(axis=1).tolist() == path.tolist()


def test_a_chain_of_one_position_has_the_sum_of_its_three_scores() -> None:
    chain = brute.random_chain(np.random.default_rng(2), 1, 5)
    assert np.allclose(through(chain)[0], chain.start + chain.unary[0] + chain.stop)


def test_the_empty_chain_has_no_entries() -> None:
    assert through(brute.random_chain(np.random.default_rng(3), 0, 3)).shape == (0, 3)
