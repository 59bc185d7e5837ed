"""The table of a page is made of records alone, and stands between its marks."""

from pathlib import Path

import pytest

from explorer.bench.headlines import BEGIN, END, KEPT, headlines, put_into
from explorer.bench.rounds import run_work
from explorer.bench.work import Work, without_score
from explorer.engine.refusals import Refused

ROOT = Path(__file__).parent.parent.parent


def tree(**contestants: dict) -> dict:
    machine = {"cores": 2, "processor": "an abacus", "python": "3.11.4"}
    return {
        "work": "sums",
        "about": "adding up",
        "day": "2026-01-02",
        "machine": machine,
        "bars": [{"asked": "twice as fast", "found": "1.5 times", "met": False}],
        "contestants": contestants,
    }


def row(cpu: float, ratio: float, facts: dict, **more: float) -> dict:
    return {"cpu": cpu, "cpu_ratio": ratio, "facts": facts, **more}


def test_a_line_tells_ours_other_systems_and_what_is_missed() -> None:
    ours, other = {"claimed_gap": 0.01}, {"iterations": 3}
    text = headlines(
        [
            tree(
                mine=row(0.25, 1.0, ours, gap=0.009, test_error=0.221, memory=120.4),
                theirs=row(0.5, 2.0, other, test_error=0.25),
                also_mine=row(0.4, 1.6, ours),
                absent={"cpu": None, "cpu_ratio": None, "facts": {}},
            )
        ]
    )
    assert "2026-01-02, 2 cores, an abacus, Python 3.11.4" in text
    assert text.splitlines()[-1] == (
        "| adding up | mine: 0.25 s, gap 0.90%, 22.1% wrong, 120 MB | theirs 0.5 s, 25.0% wrong (2.0 x); "
        "missed: twice as fast: 1.5 times |"
    )


def test_the_text_goes_between_the_marks_and_is_kept_beside_the_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    put_into(page, "new\n")
    assert page.read_text() == f"before\n{BEGIN}\nnew\n{END}\nafter\n"
    assert (tmp_path / KEPT).read_text() == "new\n"
    page.write_text("no marks")
    with pytest.raises(Refused, match="no place"):
        put_into(page, "new\n")


def test_the_figures_of_the_readme_are_those_that_were_written() -> None:
    shown = (ROOT / "README.md").read_text().partition(f"{BEGIN}\n")[2].partition(END)[0]
    assert shown == (ROOT / KEPT).read_text()


def test_rounds_end_with_their_time_but_the_first_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 10_000, 10))
    monkeypatch.setattr("explorer.bench.rounds.time.monotonic", lambda: float(next(clock)))
    monkeypatch.setattr("explorer.bench.rounds.run_child", lambda work, name, patience: {"cpu": patience})
    work = Work("w", "about", lambda folder: None, {"a": None, "b": None}, without_score)  # type: ignore
    told = run_work(work, 9, None, lambda text: None, 1.0)
    assert {name: len(runs) for name, runs in told.items()} == {"a": 1, "b": 1}
    assert told["a"][0]["cpu"] == 1.0
    assert len(run_work(work, 9, None, lambda text: None, 45.0)["a"]) == 2
    assert len(run_work(work, 3, None, lambda text: None)["a"]) == 3
