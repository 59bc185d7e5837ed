"""What is drawn of a sequence whose rows were made of something else."""

import numpy as np

from explorer.engine.catalogue.recipe import Recipe
from explorer.views.sequence.frame import observe


def test_what_was_observed_is_drawn_and_not_the_shares_of_nodes_that_are_scored() -> None:
    data = {"n": 3, "length": 20}
    plain, _ = Recipe("blocks", data=data).problem()
    pieces, _ = Recipe("blocks", data=data, model={"emissions": "pieces"}).problem()
    for i in range(3):
        assert np.array_equal(observe(pieces, i).cells, observe(plain, i).cells)
