"""Decoders, one file each: best labelling and most violated labelling. ORACLES is in menu order."""

from explorer.engine.oracles.enumerate import Enumerate
from explorer.engine.oracles.viterbi import Viterbi
from explorer.engine.protocols import Refused

AnyOracle = Viterbi | Enumerate

ORACLES: tuple[type[AnyOracle], ...] = (Viterbi, Enumerate)


def oracle_named(title: str) -> AnyOracle:
    """The oracle with this menu title."""
    for oracle in ORACLES:
        if oracle.title == title:
            return oracle()
    raise Refused(f"there is no oracle {title!r}; choose one of {', '.join(o.title for o in ORACLES)}")


__all__ = ["ORACLES", "AnyOracle", "Enumerate", "Viterbi", "oracle_named"]
