"""A learned model in a file of plain data: whoever opens it runs nothing.

It holds `size_psi`, the weights or the vectors that stand for them, the options, and whatever hooks keep
on the model: numbers, text, arrays, svmapi vectors and documents, and lists, tuples and dicts of these.
What cannot be written as such data is refused by the name of its attribute; hooks may replace it in
`print_learning_stats`, or write and read their own files.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from explorer import __version__
from explorer.engine.hooks.objects import (
    KernelScores,
    LinearScores,
    Sparm,
    StructModel,
    expansion,
    own_attributes,
)
from explorer.engine.hooks.vectors import Document, HookKernel, HookVector
from explorer.engine.refusals import Refused
from explorer.engine.runs.archive import Archive, pack
from explorer.engine.runs.codec import Decoder, encode
from explorer.engine.runs.saved import replace_whole

KIND = "hook model"
VECTOR, SUM = "$vector", "$document"


def write_model(place: str | Path, sm: StructModel, sparm: Sparm) -> None:
    """Write the model."""
    replace_whole(Path(place), model_bytes(sm, sparm))


def model_bytes(sm: StructModel, sparm: Sparm) -> bytes:
    """The file."""
    scores = sm.svm_model
    support = scores.support if isinstance(scores, KernelScores) else []
    kept = {
        name: encode(plain(value), f"sm.{name}") and plain(value)
        for name, value in own_attributes(sm).items()
    }
    told = {
        "size_psi": int(sm.size_psi),
        "w": sm.w,
        "support": plain(support),
        "own": kept,
        "sparm": asdict(sparm),
    }
    tree, arrays = encode(told, "the model")
    return pack({"model": tree}, arrays, {"kind": KIND, "version": __version__})


def read_model(place: str | Path) -> tuple[StructModel, Sparm]:
    """The model in a file, and the options that it was learned with."""
    path = Path(place)
    if not path.is_file():
        raise Refused(f"there is no file {path}; give a model that the learner wrote")
    archive = Archive(path.read_bytes())
    if archive.manifest.get("kind") != KIND or "model" not in archive.texts:
        raise Refused(f"{path} is no model of hooks; give one that the learner wrote")
    try:
        told = Decoder(archive.array).value(archive.texts["model"])
        sparm = Sparm(**{**told["sparm"], "kernel": HookKernel(**told["sparm"]["kernel"])})
        sm = StructModel()
        vars(sm).update({name: revive(value) for name, value in told["own"].items()})
        sm.size_psi, sm.w = told["size_psi"], told["w"]
        sm.svm_model = (
            expansion(sparm.kernel, revive(told["support"])) if sm.w is None else LinearScores(sm.w)
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise Refused(f"{path} holds no model of hooks; give one that the learner wrote") from error
    return sm, sparm


def plain(value: Any) -> Any:
    """The value with svmapi's vectors and documents written as tuples."""
    if isinstance(value, HookVector):
        return {VECTOR: (value.index, value.value, value.factor, value.kernel_id)}
    if isinstance(value, Document):
        return {SUM: ([plain(term) for term in value], value.slackid)}
    if type(value) in (list, tuple):
        return type(value)(plain(part) for part in value)
    return {key: plain(part) for key, part in value.items()} if type(value) is dict else value


def revive(value: Any) -> Any:
    """The value that `plain` wrote."""
    if type(value) in (list, tuple):
        return type(value)(revive(part) for part in value)
    if type(value) is not dict:
        return value
    if set(value) == {VECTOR}:
        index, numbers, factor, kernel_id = value[VECTOR]
        return HookVector(zip(index.tolist(), numbers.tolist(), strict=True), factor, kernel_id)
    if set(value) == {SUM}:
        return Document([revive(term) for term in value[SUM][0]], value[SUM][1])
    return {key: revive(part) for key, part in value.items()}
