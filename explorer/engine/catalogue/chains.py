"""Label sequences: their losses and tasks."""

from collections.abc import Mapping
from functools import partial

from explorer.engine.catalogue.task import SHOWN, NoSettings, Parts, Task
from explorer.engine.contracts import Dataset, Loss
from explorer.engine.data.blocks import Blocks
from explorer.engine.data.digits import DigitWords
from explorer.engine.data.hmm import GaussianHMM
from explorer.engine.data.words import Tagging
from explorer.engine.losses import Hamming, ZeroOne
from explorer.engine.structures.chains.oracles import ORACLES
from explorer.engine.structures.chains.problem import Chain

LOSSES: Mapping[str, Loss] = {
    "hamming": Hamming(),
    "hamming-normalised": Hamming(normalised=True),
    "zero-one": ZeroOne(),
}


def chain(data: Dataset, parts: Parts[NoSettings]) -> Chain:
    """One state for every position."""
    states = len(data.meta["states"])
    return Chain(
        data, states, parts.loss, parts.pricing, separator=parts.separator, predictor=parts.predictor
    )


sequences = partial(Task, losses=LOSSES, oracle_types=ORACLES, build=chain)

TASKS = (
    sequences("digit-words", "Digits as words", DigitWords, "sequential-dual", {**SHOWN, "C": 20.0}),
    sequences("blocks", "Blocks with distortion", Blocks, "one-slack", {"C": 20.0}),
    sequences("gaussian-hmm", "Gaussian hidden Markov", GaussianHMM, "one-slack", {"C": 10.0, "eps": 1e-6}),
    sequences("tagging", "Sparse tagging", Tagging, "sequential-dual", {**SHOWN, "C": 10.0}),
)
