"""A long study goes on after the rows that an earlier run kept."""

import json
from pathlib import Path
from typing import Any

import pytest

from explorer.__main__ import main
from explorer.studies.clusterings import clustering_time

STUDY = ("reproduce", "clustering-time", "--set", "axis=sets", "--set", "every=false", "--set", "repeats=2")


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clustering_time, "SHORT", {"sets": (2, 3)})


def kept(file: Path) -> dict[str, Any]:
    return json.loads(file.read_text())


def test_rows_of_an_earlier_run_are_not_computed_again(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "rows.json"
    how = [*STUDY, "--set", "C=1", "--json", str(file), "--resume", str(file)]
    assert main(how) == 0  # there is no file yet
    whole = kept(file)
    assert whole["complete"]
    assert len(whole["rows"]) == 4
    marked = [{**found, "seconds": 12345.0} for found in whole["rows"][:3]]
    file.write_text(json.dumps({**whole, "complete": False, "rows": marked}))
    assert main(how) == 0
    again = kept(file)
    assert again["complete"]
    assert [found["seconds"] == 12345.0 for found in again["rows"]] == [True, True, True, False]
    assert again["rows"][3]["steps"] == whole["rows"][3]["steps"]


def test_rows_of_other_settings_and_studies_that_cannot_go_on_are_refused(
    tmp_path: Path, capsys: Any
) -> None:
    file = tmp_path / "rows.json"
    assert main([*STUDY, "--set", "C=1", "--json", str(file)]) == 0
    assert main([*STUDY, "--set", "C=2", "--resume", str(file)]) == 2
    assert "with other settings" in capsys.readouterr().err
    assert main(["reproduce", "inference-quality", "--quick", "--resume", str(file)]) == 2
    assert "cannot go on" in capsys.readouterr().err
