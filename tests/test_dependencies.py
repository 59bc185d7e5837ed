"""What the package imports is what it asks to be installed."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

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


def test_every_import_is_a_declared_dependency() -> None:
    declared = names(ASKED["dependencies"])
    for extra in ("app", "frames", "desktop", "notebook", "bench"):
        declared |= names(ASKED["optional-dependencies"][extra])
    declared |= {"llvmlite"}  # numba's own compiler, of its version
    of = packages_distributions()
    undeclared = {
        (path.relative_to(ROOT).as_posix(), name)
        for path in (ROOT / "explorer").rglob("*.py")
        for name in imported(path)
        if name
        not in {
            "webview",
            "pycrfsuite",
            "dlib",
            "vowpalwabbit",
            "IPython",
        }  # named by their extras, or the user's
        and not {d.lower().replace("_", "-") for d in of.get(name, [name])} & declared
    }
    assert undeclared == set()


def test_what_the_engine_imports_comes_without_an_extra() -> None:
    declared = names(ASKED["dependencies"]) | {"llvmlite"}
    of = packages_distributions()
    for path in (ROOT / "explorer" / "engine").rglob("*.py"):
        for name in imported(path):
            assert {d.lower().replace("_", "-") for d in of.get(name, [name])} & declared, (path, name)


def test_a_package_that_is_missing_is_named_with_the_extra_that_brings_it() -> None:
    for extra, packages in EXTRAS.items():
        for package in packages:
            assert f"[{extra}]" in str(how_to_get(f"{package}.inner"))
    assert how_to_get("numpy") is None
    assert how_to_get(None) is None
    assert set(EXTRAS) == set(ASKED["optional-dependencies"]) - {"dev"}
