"""A visitor's desk trains what the command line trains, and nothing stays when it closes."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from explorer import Recipe, Trace, train
from explorer.engine.catalogue.files import SAMPLES, format_of, sample
from explorer.engine.refusals import Refused
from explorer.estimators.models import load
from explorer.session.runner import InThread
from explorer.session.uploads.desk import Desk
from explorer.session.uploads.store import MOST_BYTES, Uploads, safe_name
from tests.waiting import wait_until

ME, OTHER = "a" * 32, "b" * 32


def files_of(name: str) -> dict[str, bytes]:
    path = sample(Path(SAMPLES) / name)
    found = format_of(name)
    assert found is not None
    return {file.name: file.read_bytes() for file in found.files(path)}


@pytest.fixture
def store() -> Iterator[Uploads]:
    made = Uploads()
    yield made
    made.close()


@pytest.fixture
def desk(store: Uploads) -> Iterator[Desk]:
    runner = InThread()
    made = Desk(runner, store, ME, "page")
    yield made
    made.close()
    runner.close()


def until(desk: Desk, *statuses: str) -> None:
    wait_until(lambda: desk.status in (*statuses, "refused"), desk.collect)
    assert desk.status in statuses, desk.message


def brought(desk: Desk, files: dict[str, bytes]) -> Desk:
    desk.bring(files)
    until(desk, "ready")
    return desk


def test_a_file_is_trained_as_the_command_line_trains_it(desk: Desk, tmp_path: Path) -> None:
    brought(desk, files_of("names.conll")).train()
    until(desk, "trained")
    recipe = Recipe.of("sample_data/names.conll")
    problem, test = recipe.problem()
    trace = Trace()
    for event in train(problem, recipe.make_learner(), seed=recipe.seed, rule=recipe.make_rule(), test=test):
        trace.append(event)
    assert desk.outcome is not None
    np.testing.assert_array_equal(load(desk.outcome.saved).weights_, trace.at(-1).w)
    (tmp_path / "model.zip").write_bytes(desk.outcome.saved)
    command = [sys.executable, "-m", "explorer", "predict", str(tmp_path / "model.zip")]
    said = subprocess.run(
        [*command, str(sample(Path("sample_data/names.conll")))], capture_output=True, check=True
    )
    assert desk.outcome.predicted == {"names.conll": said.stdout}
    assert desk.outcome.tags


@pytest.mark.parametrize(
    "name", ["weather.csv", "kitchen.svmlight", "karate.graphml", "letters.pairs.csv", "animals.conllu"]
)
def test_every_sample_goes_from_the_desk_to_predictions_in_its_own_format(desk: Desk, name: str) -> None:
    brought(desk, files_of(name)).train()
    until(desk, "trained")
    assert desk.outcome is not None
    assert desk.outcome.without == ""
    (written,) = desk.outcome.predicted.values()
    (again,) = (one for key, one in files_of(name).items() if key in desk.outcome.predicted)
    assert written.count(b"\n") == again.count(b"\n")


def test_choices_make_another_task_and_are_what_links_say(desk: Desk) -> None:
    brought(desk, files_of("weather.csv"))
    assert desk.look is not None
    rows = desk.look.examples
    desk.choose(sequence="day")
    until(desk, "ready")
    assert desk.look.examples < rows
    assert desk.need().choices.sequence == "day"
    assert desk.recipe().plain()["file"] == {"sequence": "day"}


def test_a_share_kept_apart_is_counted_and_measured(desk: Desk) -> None:
    brought(desk, files_of("weather.csv")).choose({"held_out": 0.5})
    until(desk, "ready")
    assert desk.look is not None
    assert (desk.look.examples, desk.look.tested) == (9, 9)


def test_a_wrong_line_is_named_without_the_servers_folder(desk: Desk) -> None:
    desk.bring({"mine.conll": b"Ada B-PER\nwrote O\nLondon\n"})
    wait_until(lambda: desk.status == "refused", desk.collect)
    assert desk.message.startswith("mine.conll, line 3 has one column")
    assert desk.around(3) == (1, ("Ada B-PER", "wrote O", "London"))


def test_a_name_without_an_ending_gets_that_of_its_content(desk: Desk) -> None:
    brought(desk, {"tags.txt": files_of("names.conll")["names.conll"]})
    assert desk.upload is not None
    assert desk.upload.name == "tags.conll"


def test_files_go_with_the_last_page_of_their_visitor(desk: Desk, store: Uploads) -> None:
    brought(desk, files_of("names.conll"))
    assert desk.upload is not None
    folder = desk.upload.path
    store.hold(ME, "studio")
    desk.close()
    assert folder.exists()
    assert store.find(ME, desk.upload.sum) == desk.upload
    store.release(ME, "studio")
    assert not folder.exists()
    assert len(store) == 0


def test_nobody_else_finds_a_file_by_its_checksum(desk: Desk, store: Uploads) -> None:
    brought(desk, files_of("names.conll"))
    assert desk.upload is not None
    assert store.find(OTHER, desk.upload.sum) is None
    assert store.find(ME, "") is None


def test_files_that_are_too_large_or_empty_are_refused(store: Uploads) -> None:
    with pytest.raises(Refused, match="a page takes 20; give a part of it"):
        store.put(ME, {"x.conll": b"x" * (MOST_BYTES + 1)}, "x.conll")
    with pytest.raises(Refused, match="is empty"):
        store.put(ME, {"x.conll": b""}, "x.conll")


def test_names_from_outside_lose_their_folders_and_strange_characters() -> None:
    assert safe_name("../../etc/passwd") == "passwd"
    assert safe_name("C:\\data\\my <b>file</b>.csv") == "b_.csv"
    assert safe_name("..") == "file"


def test_a_typed_sentence_is_tagged_by_the_trained_model(desk: Desk) -> None:
    brought(desk, files_of("names.conll")).train()
    until(desk, "trained")
    said: list[object] = []
    desk.tag("Ada Lovelace wrote to Charles Babbage.", said.append, said.append)
    wait_until(lambda: bool(said), desk.collect)
    found = said[0]
    assert [one.word for one in found.words][-2:] == ["Babbage", "."]  # type: ignore[attr-defined]


def test_files_of_a_server_that_was_killed_are_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    left = tmp_path / f"explorer-uploads-{gone.pid}-x"
    left.mkdir()
    made = Uploads()
    made.put(ME, {"x.conll": b"Ada B-PER\n"}, "x.conll")
    assert not left.exists()
    made.close()
    assert list(tmp_path.iterdir()) == []
