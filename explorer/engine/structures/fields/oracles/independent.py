"""Every node for itself: argmax_s unary[u, s], the pairwise scores ignored. Exact where there are none.

The weakest baseline, and the whole oracle of the unaries-only ablation. Cost: one look per node and state.
"""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from explorer.engine.structures.fields.fields import CompiledDecoder, Fields, Solved, hard
from explorer.engine.structures.fields.kernels.decoders import INDEPENDENT


@final
@dataclass(frozen=True, slots=True)
class Independent:
    """The best state of every node by itself."""

    title: ClassVar[str] = "independent"
    help: ClassVar[str] = "Takes every node's best state by itself and ignores its neighbours."
    kind: ClassVar[str] = "under"

    def refuses(self, fields: Fields) -> str | None:
        """Takes any field."""
        return None

    def decoder(self, states: int) -> CompiledDecoder | None:
        """Compiled visits know it."""
        return CompiledDecoder(INDEPENDENT)

    def solve(self, fields: Fields) -> Solved:
        """The best state of every node; ties go to the smaller state."""
        return hard(fields, np.argmax(fields.unary, axis=1).astype(np.int64))
