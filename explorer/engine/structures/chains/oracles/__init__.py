"""Decoders, one file each: best labelling and most violated labelling. ORACLES is in menu order."""

from explorer.engine.structures.chains.oracles.enumerate import Enumerate
from explorer.engine.structures.chains.oracles.viterbi import ChainOracle, Viterbi

ORACLES: tuple[type[ChainOracle], ...] = (Viterbi, Enumerate)
