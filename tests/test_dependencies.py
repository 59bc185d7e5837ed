"""What the package imports is what it asks to be installed."""

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

from explorer.extras import EXTRAS, how_to_get

ROOT = Path(__file__).parents[1]
ASKED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def names(requirements: list[str]) -> set[str]:
    """The distributions that a list of requirements names, written one way."""
    return {re.split(r"[\[<>=~! ]", line)[0].lower().replace("_", "-") for line in requirements}


def imported(path: Path) -> set[str]:
    """The packages of others that a module imports, anywhere in it."""
    found = set[str]()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found - sys.stdlib_module_names - {"explorer"}


MODULES = {
    "pywebview": "webview",
    "python-crfsuite": "pycrfsuite",
    "dlib-bin": "dlib",
    "scikit-learn": "sklearn",
    "pillow": "PIL",
    "markdown-it-py": "markdown_it",
}
"""What is imported under another name than it is installed, also where it is not installed."""

BROUGHT = {"numba": {"llvmlite"}, "distributed": {"dask"}, "ipykernel": {"IPython"}}
"""What a package brings along, of its own version, and is imported here too."""

SILENT = {
    "jupyter-bokeh": "found by Panel in a notebook",
    "ipykernel": "runs the notebooks",
    "nbclient": "runs the notebooks",
    "nbformat": "runs the notebooks",
    "matplotlib": "HoloViews saves pictures with it",
}
"""What is asked for and not imported here, and why."""


def modules(*extras: str) -> set[str]:
    """What may be imported once the package is installed with these extras."""
    asked = names(ASKED["dependencies"]).union(*(names(ASKED["optional-dependencies"][e]) for e in extras))
    brought = set[str]().union(*(BROUGHT.get(name, set()) for name in asked))
    return {MODULES.get(name, name.replace("-", "_")) for name in asked} | brought


def undeclared(folder: str, *extras: str) -> set[tuple[str, str]]:
    """The imports of a folder that these extras do not bring."""
    known = modules(*extras)
    return {
        (path.relative_to(ROOT).as_posix(), name)
        for path in (ROOT / "explorer" / folder).rglob("*.py")
        for name in imported(path) - known
    }


def test_every_import_is_a_declared_dependency_of_the_package_or_of_an_extra() -> None:
    assert undeclared(".", "app", "frames", "desktop", "notebook", "bench", "dask") == set()


@pytest.mark.parametrize(
    ("folder", "extras"),
    [
        ("engine", ("frames", "dask")),  # only when a frame, or a cluster, is asked for
        ("studies", ()),
        ("baselines", ()),
        ("estimators", ("frames",)),
        ("session", ("app",)),
        ("labs", ("app",)),
        ("views", ("app",)),
        ("plot", ("app",)),
        ("dashboards", ("app", "notebook", "desktop")),
    ],
)
def test_a_part_imports_only_what_its_own_extras_bring(folder: str, extras: tuple[str, ...]) -> None:
    assert undeclared(folder, *extras) == set()


def test_what_is_asked_for_is_imported_or_has_its_reason() -> None:
    used = set[str]().union(*map(imported, (ROOT / "explorer").rglob("*.py")))
    extras = set(ASKED["optional-dependencies"]) - {"dev", "bench"}  # other systems are imported by name
    idle = modules(*extras) - used - {"ssvm_explorer"}
    assert idle == {name.replace("-", "_") for name in SILENT}


def test_every_requirement_says_from_which_version_on() -> None:
    asked = [*ASKED["dependencies"], *(line for es in ASKED["optional-dependencies"].values() for line in es)]
    assert [line for line in asked if ">=" not in line] == ["ssvm-explorer[app]"]


def test_a_package_that_is_missing_is_named_with_the_extra_that_brings_it() -> None:
    for extra, packages in EXTRAS.items():
        for package in packages:
            assert f"[{extra}]" in str(how_to_get(f"{package}.inner"))
    assert how_to_get("numpy") is None
    assert how_to_get(None) is None
    assert set(EXTRAS) == set(ASKED["optional-dependencies"]) - {"dev"}
