"""How many small changes of the engine make a test fail.

    python -m tests.mutants [POOL or FILE ...] [--per-file 10] [--seed 0] [--again] [--list]

Works on a copy of the tree in a folder of its own (--folder), where also what was found is kept, a line for
each mutant: a run that was broken off goes on where it was. `--again` asks anew about those that survived,
after tests were added. Without names all pools are judged. What is known to change nothing stands in
`equivalent.txt`.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.mutants.changes import Change, changes
from tests.mutants.judging import SLOW, Map, draw_map, judge, load_libraries
from tests.mutants.targets import ENGINE, POOLS, Pool, files_of

HERE = Path(__file__).parents[2]
KNOWN = Path(__file__).with_name("equivalent.txt")
ESCAPED = ("survived", "not reached")
COPIED = ("explorer", "tests", "sample_data", "assets", "pyproject.toml", "README.md")


def main() -> None:
    ask = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.splitlines()[0])
    ask.add_argument("names", nargs="*", metavar="POOL or FILE")
    ask.add_argument("--per-file", type=int, default=10)
    ask.add_argument("--seed", type=int, default=0)
    ask.add_argument("--again", action="store_true", help="ask anew about those that survived")
    ask.add_argument("--list", action="store_true", help="only the score and the survivors so far")
    ask.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "explorer-mutants")
    asked = ask.parse_args()
    record = asked.folder / "found.jsonl"
    if not asked.list:
        tree = copy_of_tree(asked.folder)
        os.chdir(tree)
        sys.path.insert(0, str(tree))
        os.environ["PYTHONPATH"] = str(tree)
        load_libraries()
        for pool, files in chosen(asked.names):
            judge_pool(pool, files, asked, record)
    sys.stdout.write(report(read(record)))


def copy_of_tree(folder: Path) -> Path:
    """The tree as it is now, beside what was found; what is compiled there stays."""
    tree = folder / "tree"
    for name in COPIED:
        source, goal = HERE / name, tree / name
        if source.is_file():
            goal.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, goal)
        else:
            drop_missing(source, goal)
            shutil.copytree(source, goal, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    return tree


def drop_missing(source: Path, goal: Path) -> None:
    """Remove from the copy the files that are no longer there."""
    for path in list(goal.rglob("*.py")):
        if "__pycache__" not in path.parts and not (source / path.relative_to(goal)).exists():
            path.unlink()


def chosen(names: list[str]) -> Iterator[tuple[Pool, list[str]]]:
    """The pools with those of their files that are asked for."""
    for pool in POOLS:
        files = files_of(pool, HERE)
        if not names or pool.name in names:
            yield pool, files
        elif any(name in file for name in names for file in files):
            yield pool, [file for file in files if any(name in file for name in names)]


def judge_pool(pool: Pool, files: list[str], asked: Any, record: Path) -> None:
    """Judge the sampled mutants of these files that have not been judged yet."""
    work = [(file, change) for file in files for change in sampled(file, asked.per_file, asked.seed)]
    held = read(record)
    left = [(file, change) for file, change in work if wanted(held.get(key(file, change)), asked.again)]
    if not left:
        return
    drawn = map_of(pool, asked.folder)
    control = list(drawn.seconds)[:: max(1, len(drawn.seconds) // 20)]
    if judge(pool, "", None, control, 60.0 * SLOW) != "survived":
        raise SystemExit(f"tests of {pool.name} fail without any change; mend them first")
    for file, change in left:
        tests = drawn.tests(file, change)
        outcome = judge(pool, file, change, tests, sum(drawn.seconds[test] for test in tests))
        found = {
            "file": file,
            "line": change.line,
            "text": change.text,
            "outcome": outcome,
            "tests": len(tests),
        }
        with record.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(found | {"key": key(file, change)}) + "\n")


def wanted(outcome: dict[str, Any] | None, again: bool) -> bool:
    """Whether a mutant is judged: it has not been, or it survived and is asked again."""
    return outcome is None or (again and outcome["outcome"] in ESCAPED)


def sampled(file: str, count: int, seed: int) -> list[Change]:
    """A sample of a file's changes, the same for the same seed as long as the file is; a larger one has all
    of a smaller one.
    """
    every = changes(Path(file).read_text(encoding="utf-8"))
    random.Random(f"{seed} {file}").shuffle(every)
    return every[:count]


def key(file: str, change: Change) -> str:
    """What a mutant is known by: its file as it is now, its place and what it becomes."""
    text = f"{Path(file).read_text(encoding='utf-8')} {change.place} {change.text}"
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()[:16]


def map_of(pool: Pool, folder: Path) -> Map:
    """The map of a pool: kept from an earlier run if tests and engine are as they were."""
    text = hashlib.sha1(usedforsecurity=False)
    for top in ("explorer/engine", *pool.tests):
        for path in sorted(Path(top).rglob("*.py")) or [Path(top)]:
            text.update(path.read_bytes())
    file = folder / f"{pool.name}-{text.hexdigest()[:12]}.json"
    return Map.read(file) if file.exists() else draw_map(pool, Path.cwd(), file)


def read(record: Path) -> dict[str, dict[str, Any]]:
    """What was found so far, the last word on each mutant."""
    lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    return {found["key"]: found for found in map(json.loads, lines)}


def equivalents() -> set[tuple[str, str, str]]:
    """The changes that are known to change nothing: rows of file, line, change, reason, with tabs between."""
    lines = KNOWN.read_text(encoding="utf-8").splitlines() if KNOWN.exists() else []
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return {(file, line, change) for file, line, change, _ in rows}


def code_of(found: dict[str, Any]) -> tuple[str, str, str]:
    """File, the line as it stands there, and the change."""
    lines = (HERE / found["file"]).read_text(encoding="utf-8").splitlines()
    name = found["file"].removeprefix(ENGINE)
    return name, lines[found["line"] - 1].strip() if found["line"] <= len(lines) else "", found["text"]


def report(found: dict[str, dict[str, Any]]) -> str:
    """The score by file, and every survivor that is not known to be equivalent."""
    known, by_file, left = equivalents(), {}, []
    for one in found.values():
        outcome, code = one["outcome"], code_of(one)
        if outcome in ESCAPED and code in known:
            outcome = "equivalent"
        elif outcome in (*ESCAPED, "error"):
            left.append(f"{outcome}\t{one['line']}\t" + "\t".join(code))
        by_file.setdefault(one["file"], Counter())[outcome] += 1
    rows = [row(file, count) for file, count in sorted(by_file.items())]
    total = row("all", sum(by_file.values(), Counter()))
    return "\n".join([*left, "", *rows, total, ""])


def row(name: str, count: Counter[str]) -> str:
    """One line of the score: what was caught, of what could be."""
    could = sum(count.values()) - count["equivalent"]
    caught = count["killed"] + count["time"]
    return (
        f"{name.removeprefix(ENGINE):48} {caught:4} of {could:4} caught"
        f" ({count['time']} by time), {count['equivalent']} equivalent"
    )


if __name__ == "__main__":
    main()
