"""Decoders, one file each: best labelling and most violated labelling. ORACLES is in menu order."""

from explorer.engine.structures.chains.oracles.beam import Beam
from explorer.engine.structures.chains.oracles.enumerate import Enumerate
from explorer.engine.structures.chains.oracles.local_search import LocalSearch
from explorer.engine.structures.chains.oracles.viterbi import ChainOracle, Viterbi

ORACLES: tuple[type[ChainOracle], ...] = (Viterbi, Enumerate, Beam, LocalSearch)
