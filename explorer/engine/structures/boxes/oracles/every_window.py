"""Every window of a picture, one after the other, each in constant time. Exact; see `kernels.windows`."""

from dataclasses import dataclass
from typing import ClassVar, final

from explorer.engine.structures.boxes.kernels.windows import best_of_all
from explorer.engine.structures.boxes.oracles._question import BoxAnswer, BoxQuestion, answer


@final
@dataclass(frozen=True, slots=True)
class EveryWindow:
    """The best of all windows."""

    title: ClassVar[str] = "every window"
    help: ClassVar[str] = "Exact: looks at every window of the picture, 90,000 of them at 24 by 24 cells."
    kind: ClassVar[str] = "exact"

    def find(self, asked: BoxQuestion) -> BoxAnswer:
        """The window with the largest H; the first of equal ones."""
        return answer(best_of_all(asked.cells, asked.truth, asked.code, asked.scaled, asked.root))
