"""Where compiled kernels are kept: a kernel whose callee changed is not taken from an old cache."""

from pathlib import Path

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
