"""Which files are mutated, and which tests are asked about each.

The tests of a file are those of its pool that run the changed lines, so pools may be wide; they mirror the
tree, with the contract tests that hold for every learner or oracle. In a `plain` pool kernels run as plain
Python, since a mutant has no compiled form; the others have no kernels among their files.
"""

from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

ENGINE = "explorer/engine/"


@dataclass(frozen=True)
class Pool:
    """Files (patterns below the engine) and the tests that may judge them; of contract tests with parameters
    only those whose name has `about` (a regular expression) in it.
    """

    name: str
    files: tuple[str, ...]
    tests: tuple[str, ...]
    about: str = ""
    plain: bool = True


POOLS = (
    Pool(
        "dual",
        (
            "dual/pair_and_face_steps.py",
            "dual/accurate.py",
            "dual/block_steps.py",
            "dual/qp.py",
            "dual/working_set.py",
            "dual/blocks.py",
            "dual/plain_visitor.py",
            "dual/free_bias.py",
            "dual/endings.py",
            "dual/optimality.py",
            "objective.py",
            "pricing.py",
        ),
        (
            "tests/engine/dual",
            "tests/engine/test_objective.py",
            "tests/engine/structures/classes/test_own.py",
            "tests/engine/learners",
            "tests/contracts/test_block_steps.py",
            "tests/contracts/test_watched_oracles.py",
        ),
    ),
    Pool(
        "runs",
        ("runs/streams.py", "runs/path.py", "runs/oracle_watch.py", "dual/compiled_visitor.py"),
        (
            "tests/engine/runs/test_streams.py",
            "tests/engine/runs/test_path.py",
            "tests/engine/runs/test_oracle_watch.py",
            "tests/engine/dual/test_blocks.py",
            "tests/engine/dual/test_endings.py",
            "tests/engine/learners/test_sequential_dual.py",
            "tests/engine/learners/test_frank_wolfe.py",
            "tests/contracts/test_block_steps.py",
            "tests/contracts/test_keyframes.py",
            "tests/contracts/test_watched_oracles.py",
            "tests/contracts/test_public_calls.py",
        ),
        plain=False,
    ),
    Pool(
        "classes",
        ("structures/classes/*.py", "structures/classes/kernels/*.py"),
        (
            "tests/engine/structures/classes",
            "tests/engine/dual/test_blocks.py",
            "tests/engine/learners/test_frank_wolfe.py",
            "tests/contracts/test_problem_contract.py",
        ),
        "binary|multiclass|plain|listed",
    ),
    Pool(
        "chains",
        ("structures/chains/*.py", "structures/chains/oracles/*.py", "structures/chains/kernels/*.py"),
        (
            "tests/engine/structures/chains",
            "tests/engine/dual/test_blocks.py",
            "tests/contracts/test_problem_contract.py",
        ),
        "chains",
    ),
    Pool(
        "fields",
        ("structures/fields/oracles/*.py", "structures/fields/kernels/*.py", "structures/fields/flows.py"),
        (
            "tests/engine/structures/fields",
            "tests/contracts/test_oracle_contract.py",
            "tests/contracts/test_problem_contract.py",
        ),
        "graphs|labels|oracle",
    ),
    Pool(
        "clusterings",
        (
            "structures/clusterings/oracles/*.py",
            "structures/clusterings/kernels/*.py",
            "structures/clusterings/link_oracles.py",
            "structures/clusterings/single_link.py",
            "structures/clusterings/problem.py",
            "structures/clusterings/question.py",
        ),
        (
            "tests/engine/structures/clusterings",
            "tests/contracts/test_cluster_oracle_contract.py",
            "tests/contracts/test_problem_contract.py",
        ),
        "correlation|k-means|link|oracle",
    ),
    Pool(
        "trees",
        ("structures/trees/oracles/*.py", "structures/trees/kernels/*.py", "structures/trees/heads.py"),
        ("tests/engine/structures/trees", "tests/contracts/test_problem_contract.py"),
        "parses",
    ),
)


def files_of(pool: Pool, root: Path) -> list[str]:
    """The files of a pool that hold more than a docstring, as paths from the root."""
    engine = root / ENGINE
    names = sorted(path.relative_to(engine).as_posix() for path in engine.rglob("*.py"))
    return [
        ENGINE + name
        for name in names
        if not name.endswith("__init__.py") and any(matches(name, pattern) for pattern in pool.files)
    ]


def matches(name: str, pattern: str) -> bool:
    """Whether a path has this pattern; a star stands for no slash."""
    return name.count("/") == pattern.count("/") and fnmatch(name, pattern)
