"""A fitted estimator in one file: its parameters, weights and names, without the training data.

    model file = zip of JSON texts and flat arrays (see `engine.runs.archive`), with format and version;
    alone, or as a part of the file of the run that made it

The file is read as if an enemy had made it: sizes are bounded before memory is taken, nothing is unpickled or
evaluated, the name of the estimator must be one of ours, its parameters must be those of its constructor, and
every array must have the type and the shape that the others ask for. What is read predicts the same, bit for
bit. Cost: the weights are copied, packed and digested once.
"""

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from importlib import import_module
from itertools import pairwise
from numbers import Integral, Real
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
from sklearn.utils.validation import check_is_fitted

import explorer
from explorer.engine.catalogue.files import checked_reading
from explorer.engine.refusals import Refused
from explorer.engine.runs.archive import Archive, pack
from explorer.engine.runs.codec import Decoder, Encoder
from explorer.engine.runs.saved import DAMAGE, Extra, read, replace_whole
from explorer.engine.vectors import Array
from explorer.estimators.fitting import Certificate
from explorer.estimators.text_features import KINDS, TextFeatures

FORMAT = 1
KIND = "ssvm-explorer model"
FEATURES = "TextFeatures"
HOMES = {
    "StructuredClassifier": "classes",
    "SequenceTagger": "chains",
    "LabelSetClassifier": "label_sets",
    "GraphLabeller": "graphs",
    "ItemClusterer": "clusterings",
    "DependencyParser": "trees",
}
"""Which module holds which estimator."""

LABEL_TYPES = "bUiuf"
MOST_TEXT = 500_000_000


def save_model(estimator: Any, path: str | Path) -> None:
    """Write the fitted estimator to `path`; if that fails an earlier file is still there, untouched."""
    content = model_bytes(estimator)
    try:
        replace_whole(Path(path), content)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise Refused(f"{path} could not be written ({why}); make room or choose another place") from error


def model_bytes(estimator: Any) -> bytes:
    """The fitted estimator as the bytes of its file; equal models give equal bytes."""
    encoder = Encoder()
    tree = model_tree(estimator, encoder)
    manifest = {"kind": KIND, "format": FORMAT, "explorer": explorer.__version__}
    return pack({"model": tree}, encoder.arrays, manifest | {"estimator": type(estimator).__name__})


def model_tree(estimator: Any, encoder: Encoder) -> dict[str, Any]:
    """The fitted estimator as JSON; its arrays go to the encoder."""
    check_is_fitted(estimator, "weights_")
    name = type(estimator).__name__
    if HOMES.get(name) is None:
        raise Refused(f"{name} is no estimator of the explorer; save one of {', '.join(HOMES)}")
    tree = {
        "parameters": encoder.tree(plain_parameters(estimator.get_params(deep=False)), "a parameter"),
        "certificate": encoder.tree(asdict(estimator.certificate_), "the certificate"),
        "passes": int(estimator.n_iter_),
        "model": encoder.tree(estimator._model(), "the model"),
    }
    reading = getattr(estimator, "reading_", None)
    return tree | ({"reading": encoder.tree(reading, "how files are read")} if reading else {})


def in_run(estimator: Any, encoder: Encoder) -> Extra:
    """The fitted estimator as a part of the file of its run (see `saved.to_bytes`)."""
    named = {"estimator": type(estimator).__name__, "model": FORMAT}
    return Extra({"model": model_tree(estimator, encoder)}, named)


def plain_parameters(values: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as a file can hold them: features of text by their settings."""
    return {name: _plain(value) for name, value in values.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, TextFeatures):
        settings = value.get_params()
        if settings.pop("more") is not None:
            raise Refused("a model with a function of your own (`more`) cannot be saved; leave it out")
        return {FEATURES: settings}
    return dict(value) if isinstance(value, Mapping) else value


def load(source: str | Path | bytes) -> Any:
    """The fitted estimator in a file or in bytes; whatever is not exactly a model is refused."""
    content = source if isinstance(source, bytes) else read(Path(source))
    try:
        return _open(Archive(content))
    except Refused:
        raise
    except DAMAGE as error:
        raise Refused(
            f"this file is damaged or is no model ({type(error).__name__}); open a saved model"
        ) from error


def _open(archive: Archive) -> Any:
    manifest = archive.manifest
    _check_version(manifest)
    name = manifest["estimator"]
    if not isinstance(name, str) or name not in HOMES:
        raise Refused(f"this file holds a model called {str(name)[:40]!r}, which this version does not know")
    kind = getattr(import_module(f"explorer.estimators.{HOMES[name]}"), name)
    tree, decoder = archive.texts["model"], Decoder(archive.array)
    made = kind(**_parameters(decoder.value(tree["parameters"]), kind))
    made._restore(decoder.value(tree["model"]))
    made.certificate_ = _certificate(decoder.value(tree["certificate"]))
    made.n_iter_ = int(tree["passes"])
    if "reading" in tree:
        made.reading_ = checked_reading(decoder.value(tree["reading"]))
    return made


def _check_version(manifest: Mapping[str, Any]) -> None:
    own = manifest.get("kind") == KIND
    if not own and ("kind" in manifest or "estimator" not in manifest):
        raise Refused(
            "this file is no model; `explorer show` opens a saved run, and `explorer train --resume` adds "
            "its model where it can have one"
        )
    form = manifest.get("format" if own else "model")
    if form != FORMAT or type(form) is not int:
        maker = str(manifest.get("explorer"))[:40]
        raise Refused(
            f"this model was made by version {maker} (format {str(form)[:40]}) and this is version "
            f"{explorer.__version__} (format {FORMAT}); open it with the version that made it"
        )


def _parameters(found: Any, kind: type[Any]) -> dict[str, Any]:
    known = set(inspect.signature(kind).parameters)
    strange = sorted(set(found) - known) if isinstance(found, dict) else ["no parameters"]
    if strange:
        raise Refused(f"this model has the parameter {str(strange[0])[:40]!r}, which {kind.__name__} has not")
    made = {name: _features(value) if name == "features" else value for name, value in found.items()}
    hints = get_type_hints(kind)
    for name, value in made.items():
        if not (isinstance(value, TextFeatures) or _is_of(value, hints[name])):
            raise Refused(f"this model has the parameter {name} = {str(value)[:40]!r}, which cannot be")
    return made


def _is_of(value: Any, hint: Any) -> bool:
    """Whether a value from a file may stand where the constructor says `hint`; a function never may."""
    choices = get_args(hint)
    if isinstance(hint, UnionType):
        return any(_is_of(value, one) for one in choices)
    if hint is Any or hint is None or hint is type(None):
        return hint is Any or value is None
    kind = get_origin(hint) or hint
    if kind is Sequence:
        return isinstance(value, list) and all(_is_of(one, choices[0]) for one in value)
    if kind in (int, float):
        number = Integral if kind is int else Real
        return isinstance(value, number) and not isinstance(value, bool) and not math.isnan(value)
    return kind is not Callable and isinstance(value, kind)


def _features(found: Any) -> TextFeatures | None:
    """The features of text that a tagger was saved with."""
    if found is None:
        return None
    if set(found) != {FEATURES} or set(found[FEATURES]) - set(KINDS):
        raise Refused("this model has features of text that this version does not know; open a saved model")
    return TextFeatures(**found[FEATURES])


def _certificate(found: Any) -> Certificate:
    kinds = {f.name: f.type for f in fields(Certificate)}
    if set(found) != set(kinds) or any(type(found[name]) is not kind for name, kind in kinds.items()):
        raise Refused("this model has a certificate that is none; open a saved model")
    return Certificate(**found)


def arrays_of(model: Mapping[str, Any], **shapes: tuple[int, ...]) -> list[Array]:
    """The arrays of these names, refused unless they are finite numbers in these shapes."""
    found = []
    for name, shape in shapes.items():
        values = model[name]
        fits = isinstance(values, np.ndarray) and values.dtype == np.float64 and values.shape == shape
        if not fits or not np.isfinite(values).all():
            raise Refused(f"this model has {name} that do not fit the rest of it; open a saved model")
        found.append(values)
    return found


def names_of(model: Mapping[str, Any], width: int) -> list[str]:
    """What the columns of a matrix are called; none where they have no names."""
    names = model["names"]
    plain = isinstance(names, list) and all(isinstance(name, str) for name in names)
    if not plain or len(names) not in (0, width):
        raise Refused("this model has names that do not fit its features; open a saved model")
    return list(names)


def labels_tree(labels: Any) -> dict[str, Any]:
    """Labels as plain values with their type."""
    found = np.asarray(labels)
    if found.dtype.kind not in LABEL_TYPES and not all(isinstance(label, str) for label in found.tolist()):
        raise Refused(f"labels of type {found.dtype} cannot be saved; use texts or numbers")
    return {"type": "object" if found.dtype.kind == "O" else found.dtype.str, "values": found.tolist()}


def labels_from(tree: Mapping[str, Any]) -> Any:
    """The labels that `labels_tree` wrote: at least one, all different."""
    kind, values = tree["type"], tree["values"]
    plain_type = kind == "object" or (
        isinstance(kind, str) and np.dtype(kind).kind in LABEL_TYPES and len(kind) < 8
    )
    simple = isinstance(values, list) and all(isinstance(v, str | int | float) for v in values)
    if not (plain_type and simple and values and len(set(values)) == len(values)):
        raise Refused("this model has labels that are none; open a saved model")
    return np.array(values, dtype=object if kind == "object" else np.dtype(kind))


def texts_tree(texts: Sequence[str]) -> dict[str, Any]:
    """Many texts as one array of bytes and the ends of each: JSON is bounded, vocabularies are long."""
    stored = [text.encode("utf-8", "surrogatepass") for text in texts]
    ends = np.cumsum([len(text) for text in stored], dtype=np.int64)
    return {"bytes": np.frombuffer(b"".join(stored), dtype=np.uint8), "ends": ends}


def texts_from(tree: Mapping[str, Any]) -> list[str]:
    """The texts that `texts_tree` wrote."""
    stored, ends = tree["bytes"], tree["ends"]
    typed = isinstance(stored, np.ndarray) and stored.dtype == np.uint8 and ends.dtype == np.int64
    rising = (
        typed
        and bool(np.all(np.diff(ends, prepend=0) >= 0))
        and (int(ends[-1]) if len(ends) else 0) == stored.size
    )
    if not rising or stored.size > MOST_TEXT:
        raise Refused("this model has names that do not fit; open a saved model")
    whole, starts = stored.tobytes(), [0, *ends.tolist()]
    return [whole[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(starts)]


__all__ = [
    "HOMES",
    "arrays_of",
    "in_run",
    "labels_from",
    "labels_tree",
    "load",
    "model_bytes",
    "names_of",
    "save_model",
    "texts_from",
]
