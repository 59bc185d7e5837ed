"""Decoders of pairwise fields, one file each; FIELD_ORACLES is in menu order."""

from explorer.engine.field_oracles.exhaustive import Exhaustive
from explorer.engine.field_oracles.independent import Independent
from explorer.engine.protocols import Refused

AnyFieldOracle = Exhaustive | Independent

FIELD_ORACLES: tuple[type[AnyFieldOracle], ...] = (Exhaustive, Independent)


def field_oracle_type(title: str) -> type[AnyFieldOracle]:
    """The field oracle with this menu title."""
    for oracle in FIELD_ORACLES:
        if oracle.title == title:
            return oracle
    raise Refused(f"there is no oracle {title!r}; choose one of {', '.join(o.title for o in FIELD_ORACLES)}")


__all__ = ["FIELD_ORACLES", "AnyFieldOracle", "Exhaustive", "Independent", "field_oracle_type"]
