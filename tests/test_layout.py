"""How the code is laid out: folders that can be looked through, and names that stand for one thing."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MOST_FILES = 25


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
