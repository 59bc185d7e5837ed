"""The mutation tool itself: which changes it makes of a source, that they run, and which tests it asks."""

import ast
from pathlib import Path

import pytest

from tests.mutants.__main__ import report, sampled
from tests.mutants.changes import changed, changes
from tests.mutants.judging import Finder, Map
from tests.mutants.targets import ENGINE, POOLS, files_of

ROOT = Path(__file__).parents[2]


def texts(source: str) -> set[str]:
    return {change.text for change in changes(source)}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a < b", {"comparison: a < b -> a <= b", "comparison: a < b -> a >= b"}),
        ("a == b", {"comparison: a == b -> a != b"}),
        ("a * b", {"arithmetic: a * b -> a / b"}),
        ("a and b", {"boolean: a and b -> a or b"}),
        ("not a", {"boolean: not a -> a"}),
        ("np.max(a)", {"twin: np.max(a) -> np.min(a)"}),
        ("range(n)", {"off by one: range(n) -> range(n - 1)"}),
        ("x[:k]", {"off by one: :k -> :k - 1"}),
        ("2", {"constant: 2 -> 3"}),
        ("0.0", {"constant: 0.0 -> 1.0"}),
    ],
)
def test_every_kind_of_change_is_made(source: str, expected: set[str]) -> None:
    assert texts(f"y = {source}") == expected


def test_statements_are_dropped_unless_a_name_would_be_missing() -> None:
    assert "dropped: f() -> pass" in texts("f()")
    assert "dropped: x[i] = y -> pass" in texts("x[i] = y")
    assert texts("x = y") == set()


def test_what_no_test_can_see_is_left_alone() -> None:
    quiet = '''
"""Text."""
import a
x: int
@settings(3)
def f(y: Literal[1]) -> Literal[2]:
    """More text."""
    assert y > 0
    pulse()
    if y is None:
        raise ValueError(f"{y + 1}")
class P(Protocol):
    def g(self): ...
'''
    assert texts(quiet) == {"comparison: y is None -> y is not None"}


def test_a_change_is_made_in_one_place_and_runs() -> None:
    source = "def f(a, b):\n    return a + b if a < b else a + b\n"
    found = {}
    for change in changes(source):
        scope: dict[str, object] = {}
        exec(compile(changed(source, change), "f.py", "exec"), scope)
        found[change.place, change.text] = scope["f"](1, 2), scope["f"](2, 1), scope["f"](1, 1)
    assert sorted(found.values()) == sorted(
        [
            (-1, 3, 2),  # a + b -> a - b where a < b
            (3, 1, 0),  # and elsewhere
            (3, 3, 2),  # a <= b, a >= b: both branches are the same
            (3, 3, 2),
        ]
    )


def test_every_change_of_every_target_is_a_program() -> None:
    files = sorted({file for pool in POOLS for file in files_of(pool, ROOT)})
    assert len(files) > 80
    for file in files[::9]:
        source = (ROOT / file).read_text(encoding="utf-8")
        for change in changes(source)[::25]:
            tree = changed(source, change)
            compile(tree, file, "exec")
            assert ast.dump(tree) != ast.dump(ast.parse(source)), change.text


def test_a_larger_sample_has_all_of_a_smaller_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    file = ENGINE + "pricing.py"
    few, many = sampled(file, 5, 0), sampled(file, 12, 0)
    assert [change.text for change in many[:5]] == [change.text for change in few]
    assert [change.text for change in sampled(file, 5, 1)] != [change.text for change in few]


def test_only_the_asked_module_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    file = ENGINE + "pricing.py"
    finder = Finder(file, sampled(file, 1, 0)[0])
    assert finder.find_spec("explorer.engine.vectors") is None
    spec = finder.find_spec("explorer.engine.pricing")
    assert spec is not None
    assert spec.origin == str(ROOT / file)
    assert spec.loader.get_code("explorer.engine.pricing") is finder.code


def test_tests_that_reach_the_line_are_asked_quick_ones_first() -> None:
    drawn = Map()
    drawn.seconds = {"slow": 3.0, "quick": 0.2, "elsewhere": 0.1, "other file": 0.1}
    drawn.lines = {
        "slow": {"f.py": [2]},
        "quick": {"f.py": [1, 2]},
        "elsewhere": {"f.py": [1]},
        "other file": {},
    }
    first, second = changes("x = 1\ny = [\n  2]")
    assert drawn.tests("f.py", second) == ["elsewhere", "quick", "slow"], (
        "run on import alone: all of the file"
    )
    assert drawn.tests("f.py", first) == ["elsewhere", "quick"]


def test_the_score_counts_what_was_caught_of_what_could_be() -> None:
    line = {"file": ENGINE + "pricing.py", "line": 1, "tests": 1}
    kinds = ("killed", "killed", "time", "survived")
    found = {str(k): {**line, "text": "a -> b", "outcome": kind} for k, kind in enumerate(kinds)}
    text = report(found)
    assert "3 of    4 caught (1 by time), 0 equivalent" in text
    assert text.startswith("survived\t1\tpricing.py\t")
