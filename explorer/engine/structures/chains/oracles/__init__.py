"""Decoders, one file each: best labelling and most violated labelling. ORACLES is in menu order."""

from explorer.engine.structures.chains.oracles.enumerate import Enumerate
from explorer.engine.structures.chains.oracles.viterbi import Viterbi

AnyOracle = Viterbi | Enumerate

ORACLES: tuple[type[AnyOracle], ...] = (Viterbi, Enumerate)


__all__ = ["ORACLES", "AnyOracle", "Enumerate", "Viterbi"]
