"""What both labs show: a film, and the step at which it stands.

Every change makes new frozen records: a choice gives a case, the oracles' settings the replies, and the
oracle that is looked at its film. `tick` counts the changes that views have to draw. Films are kept until
another reply comes.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import param

from explorer.labs.film import Film, Shot

S = TypeVar("S", bound=Shot)


class Lab(param.Parameterized, Generic[S]):
    """One case, all replies, and the film of one oracle."""

    tick = param.Integer(0, doc="Counts what was changed.")
    step = param.Integer(0, bounds=(0, None), doc="The step of the film that is shown.")
    picked = param.Parameter(
        None, doc="What is looked at alone: a node, or a pair of items whose entry is edited."
    )

    film: Film[S]

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._films: dict[str, Film[S]] = {}

    @property
    def now(self) -> S:
        """The step that is shown."""
        return self.film.steps[self.at]

    @property
    def at(self) -> int:
        """Its number."""
        return int(min(self.step, len(self.film) - 1))

    @property
    def link_step(self) -> int:
        """The step for a link: -1 is the end of the film."""
        return -1 if self.at == len(self.film) - 1 else self.at

    def look_at_step(self, step: int) -> None:
        """Go to a step; beyond either end is that end."""
        self.step = min(max(0, step), len(self.film) - 1)

    def open_at(self, step: int) -> None:
        """Go to the step of a link."""
        self.look_at_step(len(self.film) - 1 if step < 0 else step)

    def recall(self, key: str, make: Callable[[], Film[S]]) -> Film[S]:
        """The film of this key, made when it is first asked for."""
        if key not in self._films:
            self._films[key] = make()
        return self._films[key]

    def forget_films(self) -> None:
        """Replies have changed, and with them what is known to be the best."""
        self._films.clear()

    def tell(self, **changes: Any) -> None:
        """Go to the end of the film, and tell the views once."""
        self.param.update(step=len(self.film) - 1, tick=self.tick + 1, **changes)
