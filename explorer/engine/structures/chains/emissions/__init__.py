"""What is made of the numbers at a position before they are scored: the maps of a chain's emissions."""

from explorer.engine.structures.chains.emissions.pieces import Pieces
from explorer.engine.structures.chains.emissions.squares import Raw, Squares

EmissionMap = Raw | Squares | Pieces

__all__ = ["EmissionMap", "Pieces", "Raw", "Squares"]
