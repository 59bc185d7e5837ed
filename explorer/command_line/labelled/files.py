"""What `predict` and `score` take: a model, and a file with examples, or stdin (-).

A saved run of an earlier version holds no model: it is made again from the training data, where these are
found.
"""

import contextlib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from explorer.engine.catalogue.files import format_named, sample
from explorer.engine.catalogue.python import NAMED
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.tasks import task_near
from explorer.engine.refusals import Refused
from explorer.engine.runs import saved
from explorer.engine.runs.archive import Archive
from explorer.estimators.models import load
from explorer.estimators.trained import estimator_of

STDIN = "-"


def open_model(path: str) -> Any:
    """The estimator in a file; of a run without one, made anew from the data that it names."""
    content = saved.read(Path(path))
    return load(content) if holds_model(content) else of_run(saved.load(content), Path(path))


def holds_model(content: bytes) -> bool:
    """Whether there is a model in a file, or nothing that could be read at all."""
    try:
        return not {"kind", "estimator"}.isdisjoint(Archive(content).manifest)
    except saved.DAMAGE:
        return True


def of_run(run: saved.SavedRun, path: Path) -> Any:
    """The estimator of a run that was saved without it."""
    named = Recipe.named_in(run.recipe)
    if NAMED.fullmatch(named):
        raise Refused(
            f"{path} is a run of {named}, a problem in Python, which has no model; `explorer show {path}` "
            f"tells what the run holds, `explorer predict {path} {named}` what it learned"
        )
    recipe = Recipe.read(run.recipe, [task_near(run.recipe, path)])
    return estimator_of(recipe, recipe.problem()[0], run.trace)


def existing(name: str) -> Path:
    """The file of this name, also one of the samples; refused where there is none."""
    path = sample(Path(name))
    if not path.exists():
        raise Refused(f"there is no file {name}; check its name")
    return path


@contextlib.contextmanager
def file_or_stdin(name: str, model: Any) -> Iterator[Path]:
    """The file of this name; what comes from stdin is put into one for as long as it is needed."""
    if name != STDIN:
        yield existing(name)
        return
    reading = getattr(model, "reading_", None)
    if reading is None:
        raise Refused("the model was fitted in Python and does not know what comes from stdin; give a file")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / f"stdin{format_named(reading['format']).suffixes[0]}"
        place.write_bytes(sys.stdin.buffer.read())
        try:
            yield place
        except Refused as refusal:
            raise Refused(str(refusal).replace(str(place), "stdin")) from None


__all__ = ["STDIN", "existing", "file_or_stdin", "open_model"]
