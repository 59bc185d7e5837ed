"""Links and saved runs that an earlier version wrote still open; `earlier/` holds what version 0.1.0
wrote.
"""

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.__main__ import main
from explorer.dashboards.clusters import link as clusters_link
from explorer.dashboards.lab import link as lab_link
from explorer.dashboards.race import link as race_link
from explorer.dashboards.studies import link as studies_link
from explorer.dashboards.studio import link as studio_link
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.runs.saved import load

EARLIER = Path(__file__).parent / "earlier"
SAMPLES = Path(__file__).parent.parent / "sample_data"
LINKS = json.loads((EARLIER / "links.json").read_text())
STEPS = {"circle": 2, "clouds": 2, "micro-trees": 2, "synth1": 2, "kitchen": 2, "mine": 1}
NAMED = {"kitchen": str(SAMPLES / "kitchen.svmlight"), "mine": str(EARLIER / "mine.py") + ":line"}


def check_choices(now: dict[str, Any], stored: dict[str, Any]) -> None:
    """Every choice is the one that was stored; settings of the model were stored among those of the data.

    What the earlier version could not set is at its default, which is what that version did.
    """
    data, model = now.pop("data"), now.pop("model")
    usual = Recipe(stored["task"])
    assert not data.keys() & model.keys()
    added = (data.keys() | model.keys()) - stored["data"].keys()
    assert data | model == stored["data"] | {name: usual.model[name] for name in added}
    rest = {name: value for name, value in stored.items() if name != "data"}
    if "settings" in rest:
        defaults = Recipe(stored["task"], learner=stored["learner"]).settings
        rest["settings"] = {name: rest["settings"].get(name, defaults[name]) for name in now["settings"]}
        assert rest["settings"].keys() >= stored["settings"].keys()
    assert now == rest


def plain(record: Any) -> Any:
    """A record as JSON would give it back."""
    return json.loads(json.dumps(asdict(record)))


@pytest.mark.parametrize("saved", LINKS["studio"], ids=lambda saved: saved["recipe"]["task"])
def test_a_link_to_the_studio_opens_the_same_run_and_layout(saved: Any) -> None:
    link = studio_link.read(saved["query"])
    assert link.problems == ()
    check_choices(link.recipe.plain(), saved["recipe"])
    assert link.layout == saved["layout"]
    assert link.see == {"trellis.k_best": "3"}


@pytest.mark.parametrize("saved", LINKS["race"], ids=lambda saved: saved["setup"]["task"])
def test_a_link_to_a_race_opens_the_same_race(saved: Any) -> None:
    link = race_link.read(saved["query"])
    assert link.problems == ()
    now = {f.name: getattr(link.setup, f.name) for f in fields(link.setup)}
    check_choices(now | {"task": str(now["task"]), "learners": list(now["learners"])}, saved["setup"])
    assert plain(link.look) == {"example": -1, "at": 1.0} | saved["look"]


def test_a_link_to_the_oracle_lab_opens_the_same_instance() -> None:
    (saved,) = LINKS["lab"]
    setup, faults = lab_link.read(saved["query"])
    assert faults == ()
    assert plain(setup) == saved["setup"]


def test_a_link_to_the_clustering_lab_opens_the_same_instance() -> None:
    (saved,) = LINKS["clusters"]
    setup, faults = clusters_link.read(saved["query"])
    assert faults == ()
    assert setup.choice.points == ((0.1, 0.2), (0.15, 0.3), (0.9, 0.8), (1.0, 0.0))
    assert (setup.choice.edits, setup.choice.truth, setup.own) == (
        ((0, 2, -3.5),),
        (0, 1, 1, 2),
        (0, 0, 1, 1),
    )
    assert (setup.choice.asks, setup.choice.loss, setup.choice.scaling) == ("violated", "MITRE", "slack")
    assert (setup.family, setup.shown, setup.step, setup.shift) == ("k-means", "iterative k-means", 0, -4.5)


def test_a_link_to_a_study_opens_the_same_settings() -> None:
    (saved,) = LINKS["studies"]
    asked = studies_link.read(saved["query"])
    assert (asked.study, dict(asked.knobs), asked.problems) == (saved["study"], saved["knobs"], ())


@pytest.mark.parametrize("name", STEPS)
def test_a_saved_run_is_shown_and_goes_on(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = str(EARLIER / f"{name}.zip")
    assert main(["show", saved]) == 0
    out, task = str(tmp_path / "on.zip"), [NAMED[name]] if name in NAMED else []
    assert (
        main(["train", *task, "--resume", saved, "--steps", "0", "--relative-gap", "1e-3", "--out", out]) == 0
    )
    before, after = load(saved).trace, load(out).trace
    assert len(before) == STEPS[name]
    assert len(after) > len(before)
    for k in range(len(before)):
        np.testing.assert_array_equal(after.at(k).w, before.at(k).w)
        known, now = before.at(k).figures, after.at(k).figures
        np.testing.assert_equal({name: now[name] for name in known}, dict(known))
        assert all(np.isnan(now[name]) for name in now if name not in known), "what was not yet measured then"
    assert "stopped: " in capsys.readouterr().out
    assert after.stops[-1][1].reason in ("relative gap", "eps-violation")
