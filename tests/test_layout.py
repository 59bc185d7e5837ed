"""How the code is laid out: folders that can be looked through, and names that stand for one thing."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MOST_FILES = 25
PARTICIPLES = re.compile(
    r"[a-z]{3,}ed|asked|begun|broken|brought|built|caught|chosen|done|drawn|fallen|felt|found|given|gone|grown|held|hung|kept"
    r"|known|laid|led|left|lost|made|meant|met|paid|said|seen|sent|shown|spent|struck|swept|taken|told|torn|written"
)
ADJECTIVES = {"certified", "compiled", "embed", "evaluated", "metered", "recorded"}
"""A claim, a decorator and the streams around a learner keep the names that they have in the design."""


@pytest.mark.parametrize("top", ["explorer", "tests"])
def test_no_folder_holds_more_files_than_can_be_looked_through(top: str) -> None:
    files = defaultdict(list)
    for path in (ROOT / top).rglob("*.py"):
        files[str(path.parent.relative_to(ROOT))].append(path.name)
    assert len(files) > 20
    assert [folder for folder, names in files.items() if len(names) > MOST_FILES] == []


def test_a_class_name_stands_for_one_class_in_the_whole_package() -> None:
    homes = defaultdict(list)
    for path in (ROOT / "explorer").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert len(homes) > 300
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}


def test_public_functions_say_what_they_do_or_give() -> None:
    names = defaultdict(list)
    for path in (ROOT / "explorer").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        outer = [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]
        for node in (node for body in outer for node in body.body if isinstance(node, ast.FunctionDef)):
            if not any("property" in ast.unparse(mark) for mark in node.decorator_list):
                names[node.name].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert len(names) > 1000
    bare = {name for name in names if PARTICIPLES.fullmatch(name)} - ADJECTIVES
    assert {name: names[name] for name in bare} == {}
