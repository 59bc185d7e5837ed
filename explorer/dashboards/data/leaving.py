"""Where a file can be taken from the data page: addresses of the other pages, which name the file that they
need.
"""

from collections.abc import Callable, Mapping

from explorer.dashboards.data.handing_over import cluster_address, lab_address
from explorer.engine.catalogue.recipe import Recipe
from explorer.session.links import codec
from explorer.session.links.recipes import recipe_parts
from explorer.session.uploads.desk import Desk


def addresses(name: str, desk: Desk, theme: str) -> str:
    """The address of a page with the file of this desk; Refused where that page can do nothing with it."""
    pages: Mapping[str, Callable[[], str]] = {
        "studio": lambda: f"studio?{codec.query(recipe_parts(desk.recipe()) | {'theme': theme})}",
        "path": lambda: (
            f"studio?{codec.query(recipe_parts(desk.recipe()) | {'view': 'path', 'theme': theme})}"
        ),
        "race": lambda: f"race?{race_query(desk.recipe(), theme)}",
        "lab": lambda: lab_address(desk, theme),
        "clusters": lambda: cluster_address(desk, theme),
    }
    return pages[name]()


def race_query(recipe: Recipe, theme: str) -> str:
    """A race on the recipe's data; who takes part is left to the page, which knows who can."""
    kept = ("task", "seed")
    parts = {
        name: value
        for name, value in recipe_parts(recipe).items()
        if name in kept or name.startswith(("data.", "model.", "file."))
    }
    return codec.query(parts | {"C": recipe.settings.get("C", 1.0), "theme": theme})


__all__ = ["addresses"]
