"""Problems that take longer to make than a page may wait: a worker makes them, and the page is told.

What has been made before, and what no setting of the data makes larger than its task usually is, is made
where it is asked for. In one's own process, where nobody else waits, so is everything.
"""

from collections.abc import Callable

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Dataset, Problem
from explorer.session.problem_cache import is_at_hand, keep_problem, page_problem
from explorer.session.runner import Runner
from explorer.session.uploads.errand import Errand

MAKING = "Making the data …"


class Making:
    """The problem that one session waits for, if any."""

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.errand: Errand | None = None
        self.recipe: Recipe | None = None

    def must_wait(self, recipe: Recipe) -> bool:
        """Whether a worker has to make the problem of a recipe."""
        return self.runner.elsewhere and not is_at_hand(recipe)

    @property
    def under_way(self) -> bool:
        """Whether a problem is waited for."""
        return self.errand is not None

    def start(self, recipe: Recipe, done: Callable[[], object], failed: Callable[[str], object]) -> None:
        """Have a problem made; what was waited for before is no longer."""
        self.close()

        def arrived(made: tuple[Problem, Dataset | None]) -> None:
            self.errand = self.recipe = None
            keep_problem(recipe, made)
            done()

        def refused(why: str) -> None:
            self.errand = self.recipe = None
            failed(why)

        self.recipe = recipe
        self.errand = Errand(self.runner, arrived, refused, page_problem, recipe)

    def collect(self) -> None:
        """Take in the problem, if it is there."""
        if self.errand is not None:
            self.errand.collect()

    def close(self) -> None:
        """Wait no longer."""
        if self.errand is not None:
            self.errand.close()
        self.errand = self.recipe = None


__all__ = ["MAKING", "Making"]
