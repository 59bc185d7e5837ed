"""Model files: the same predictions bit for bit, the same bytes again, and nothing from an enemy."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from explorer.engine.refusals import Refused
from explorer.engine.runs.archive import pack
from explorer.engine.runs.codec import Encoder
from explorer.estimators.models import HOMES, load, model_bytes
from tests.estimators.samples import Sample, same, samples

SAMPLES = samples()
EARLIER = Path(__file__).parents[1] / "earlier" / "models"


@pytest.fixture(params=sorted(SAMPLES))
def sample(request: pytest.FixtureRequest) -> Sample:
    return SAMPLES[request.param]


@pytest.mark.spec("F70")
def test_a_model_that_was_saved_predicts_the_same_bit_for_bit(sample: Sample, tmp_path: Path) -> None:
    fitted = clone(sample.estimator).fit(sample.X, sample.y)
    fitted.save(tmp_path / "model.zip")
    again = load(tmp_path / "model.zip")
    assert type(again) is type(fitted)
    assert str(again.get_params()) == str(fitted.get_params())
    assert np.array_equal(again.weights_, fitted.weights_)
    assert same(again.predict(sample.X), fitted.predict(sample.X))
    assert same(again.decision_function(sample.X), fitted.decision_function(sample.X))
    assert again.certificate_ == fitted.certificate_
    assert model_bytes(again) == (tmp_path / "model.zip").read_bytes()


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_models_of_earlier_versions_still_predict(name: str) -> None:
    sample, kept = SAMPLES[name], json.loads((EARLIER / "predictions.json").read_text(encoding="utf-8"))
    found = load(EARLIER / f"{name}.zip").predict(sample.X)
    plain = found.tolist() if isinstance(found, np.ndarray) else [np.asarray(part).tolist() for part in found]
    assert plain == kept[name]


def test_every_estimator_has_a_model_of_this_version_kept() -> None:
    assert {type(sample.estimator).__name__ for sample in SAMPLES.values()} == set(HOMES)
    assert {path.stem for path in EARLIER.glob("*.zip")} == set(SAMPLES)


def changed(content: bytes, edit: Any) -> bytes:
    """The same model, sealed anew after `edit` has changed its manifest, its tree or its arrays."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        manifest = json.loads(archive.read("run.json"))
        tree = json.loads(archive.read("model.json"))
    model = load(content)
    encoder = Encoder()
    parts = model._model()
    edit(manifest, tree, parts)
    tree["model"] = encoder.tree(parts, "the model")
    tree["parameters"] = encoder.tree(tree.get("given", model.get_params(deep=False)), "a parameter")
    tree.pop("given", None)
    manifest.pop("sha256")
    return pack({"model": tree}, encoder.arrays, manifest)


@pytest.fixture(scope="module")
def content() -> bytes:
    sample = SAMPLES["chains"]
    return model_bytes(clone(sample.estimator).fit(sample.X, sample.y))


def edits() -> dict[str, tuple[Any, str]]:
    """What an enemy might change, and what is said about it."""
    twice, foreign = {"type": "<U1", "values": ["O", "O"]}, {"type": "|V8", "values": ["O", "P"]}
    nothing, low = {"type": "<U1", "values": []}, {"primal": "low"}
    return {
        "another format": (lambda m, t, p: m.update(format=99), "format 99"),
        "a run": (lambda m, t, p: m.update(kind="run"), "no model"),
        "a foreign class": (lambda m, t, p: m.update(estimator="os.system"), "does not know"),
        "another class": (lambda m, t, p: m.update(estimator="GraphLabeller"), "parameter"),
        "a foreign parameter": (lambda m, t, p: t.update(given={"shell": "rm"}), "shell"),
        "short weights": (lambda m, t, p: p.update(weights=p["weights"][:-1]), "do not fit"),
        "weights that are none": (lambda m, t, p: p["weights"].fill(np.nan), "do not fit"),
        "other numbers": (lambda m, t, p: p.update(weights=p["weights"].astype(np.float32)), "do not fit"),
        "no classes": (lambda m, t, p: p.update(classes=nothing), "labels that are none"),
        "a class twice": (lambda m, t, p: p.update(classes=twice), "labels that are none"),
        "labels as objects": (lambda m, t, p: p.update(classes=foreign), "labels that are none"),
        "a negative width": (lambda m, t, p: p.update(features=-5), "do not fit"),
        "columns outside": (lambda m, t, p: p["columns"]["owner"].fill(10**6), "vocabulary"),
        "names that overlap": (lambda m, t, p: p["columns"]["texts"]["ends"].fill(-1), "names that do not"),
        "a certificate of words": (lambda m, t, p: t.update(certificate=low), "certificate"),
        "no tree": (lambda m, t, p: t.pop("passes"), "damaged"),
    }


@pytest.mark.parametrize("name", sorted(edits()))
def test_a_model_that_an_enemy_made_is_refused_in_a_sentence(name: str, content: bytes) -> None:
    edit, words = edits()[name]
    with pytest.raises(Refused, match=words):
        load(changed(content, edit))


def test_what_is_not_touched_is_read_as_it_was(content: bytes) -> None:
    assert np.array_equal(load(changed(content, lambda m, t, p: None)).weights_, load(content).weights_)


def test_cut_off_flipped_and_foreign_bytes_are_refused(content: bytes, tmp_path: Path) -> None:
    for wrong in (b"", b"PK\x03\x04", content[:-1], content[:200] + b"?" + content[201:], b"\x80\x04K\x01."):
        with pytest.raises(Refused):
            load(wrong)
    with pytest.raises(Refused, match="no file"):
        load(tmp_path / "nothing.zip")


def test_what_cannot_be_saved_is_refused_and_leaves_no_file(tmp_path: Path) -> None:
    estimator, X, y = SAMPLES["clusterings"]
    own = clone(estimator).set_params(pair_features=lambda a, b: [1.0, -abs(a[0] - b[0])]).fit(X, y)
    with pytest.raises(Refused, match="cannot be saved"):
        own.save(tmp_path / "model.zip")
    fitted = clone(estimator).fit(X, y)
    with pytest.raises(Refused, match="could not be written"):
        fitted.save(tmp_path / "no folder" / "model.zip")
    assert list(tmp_path.iterdir()) == []
