"""Where compiled kernels are kept: a kernel whose callee changed is not taken from an old cache."""

import fcntl
from pathlib import Path
from types import SimpleNamespace

import numba
import pytest

from explorer.engine import compiled as module


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(module, "HERE", tmp_path)
    module.stamp.cache_clear()
    (tmp_path / "low.py").write_text("x = 1\n")
    (tmp_path / "middle.py").write_text("from explorer.engine.low import x\n")
    (tmp_path / "high.py").write_text("from explorer.engine.middle import x\n")
    (tmp_path / "other.py").write_text("y = 1\n")
    return tmp_path


def test_a_kernel_stands_on_everything_it_imports(sources: Path) -> None:
    assert module.stands_on("high") == {"high", "middle", "low"}
    assert module.stands_on("other") == {"other"}
    assert module.stands_on("numpy") == set()


def test_a_change_far_below_changes_the_stamp_above_it_and_no_other(sources: Path) -> None:
    before = {name: module.stamp(name) for name in ("high", "middle", "other")}
    (sources / "low.py").write_text("x = 2\n")
    module.stamp.cache_clear()
    assert module.stamp("high") != before["high"]
    assert module.stamp("middle") != before["middle"]
    assert module.stamp("other") == before["other"]
    module.stamp.cache_clear()


def test_a_constant_argument_is_no_other_type() -> None:
    if numba.config.DISABLE_JIT:
        pytest.skip("kernels are not compiled in this run")

    @numba.njit
    def power(x: int, times: int) -> int:
        y = 1
        for _ in range(times):
            y *= x
        return y

    @numba.njit
    def three_powers(x: int) -> int:
        return power(x, 1) + power(x, 2) + power(x, 3)

    module.take_constants_as_variables(power)
    assert three_powers(5) == 5 + 25 + 125
    assert [str(types) for types in power.nopython_signatures] == ["(int64, int64) -> int64"]


def test_one_process_at_a_time_adds_to_a_kernels_cache(tmp_path: Path) -> None:
    def save(key: str, data: str) -> None:
        with (tmp_path / "lock").open() as same, pytest.raises(BlockingIOError):
            fcntl.flock(same, fcntl.LOCK_EX | fcntl.LOCK_NB)
        saved.append((key, data))

    saved: list[tuple[str, str]] = []
    files = SimpleNamespace(save=save)
    module.write_in_turns(
        SimpleNamespace(_cache=SimpleNamespace(_cache_file=files, cache_path=str(tmp_path)))
    )
    files.save("types", "code")
    files.save("others", "code")
    assert saved == [("types", "code"), ("others", "code")]


def test_a_set_of_kernels_is_remembered_until_a_source_changes(
    sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "cache_root", lambda: sources / "kept")
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 0)
    module.note.cache_clear()
    assert not module.is_compiled("first")
    module.remember("first")
    assert module.is_compiled("first")
    assert not module.is_compiled("all")
    (sources / "low.py").write_text("x = 2\n")
    module.note.cache_clear()
    assert not module.is_compiled("first")
    module.note.cache_clear()


def test_where_no_folder_can_be_written_kernels_go_to_one_for_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("a file where a folder is wanted: no folder can be made below it")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(blocked / "cache"))
    monkeypatch.setenv("HOME", str(blocked))
    monkeypatch.setattr(module.tempfile, "tempdir", str(tmp_path))
    module.cache_root.cache_clear()
    try:
        assert module.cache_root().parent == tmp_path
        assert not module.is_kept()
        (module.cache_root() / "kernel").write_text("code")
    finally:
        module.cache_root.cache_clear()


def test_a_temporary_folder_that_others_can_write_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module.tempfile, "tempdir", str(tmp_path))
    first = module.temporary_root()
    assert module.temporary_root() == first
    first.chmod(0o777)
    other = module.temporary_root()
    assert other != first
    assert other.stat().st_mode & 0o077 == 0


def test_the_clock_of_training_stands_still_while_the_compiler_works(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(module.time, "perf_counter", lambda: now)
    watch = module.CompilerWatch()
    monkeypatch.setattr(module, "COMPILER", watch)
    told: list[float] = []
    watch.announce = lambda: told.append(now)
    assert module.clock() == 100.0
    watch.on_start(None)
    now = 103.0
    watch.on_start(None)  # a kernel that the first one calls
    now = 107.0
    assert module.clock() == 100.0
    watch.on_end(None)
    now = 108.0
    watch.on_end(None)
    assert watch.seconds == 8.0
    now = 110.0
    assert module.clock() == 102.0
    assert told == [100.0]


def test_numba_tells_the_watch_when_it_compiles() -> None:
    if numba.config.DISABLE_JIT:
        pytest.skip("kernels are not compiled in this run")
    before = module.COMPILER.seconds

    @numba.njit
    def twice(x: int) -> int:
        return 2 * x

    assert twice(4) == 8
    between = module.COMPILER.seconds
    assert between > before
    assert twice(5) == 10
    assert module.COMPILER.seconds == between
