"""Branch and bound over sets of windows (Lampert, Blaschko and Hofmann 2008). Exact; its bounds are those of
`kernels.windows`.
"""

from dataclasses import dataclass
from typing import ClassVar, final

from explorer.engine.structures.boxes.kernels.windows import branch_and_bound
from explorer.engine.structures.boxes.oracles._question import BoxAnswer, BoxQuestion, answer


@final
@dataclass(frozen=True, slots=True)
class WindowBranching:
    """The best window, by bounds on sets of windows."""

    title: ClassVar[str] = "branch and bound"
    help: ClassVar[str] = "Exact: halves the most promising set of windows until it is a single one."
    kind: ClassVar[str] = "exact"

    def find(self, asked: BoxQuestion) -> BoxAnswer:
        """A window with the largest H."""
        return answer(branch_and_bound(asked.cells, asked.truth, asked.code, asked.scaled, asked.root))
