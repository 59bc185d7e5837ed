"""`explorer predict`: label the examples of a file with a model, in the file's own format.

Only the labels change; whatever else the file holds stays as it is, byte for byte. Without `--out` the
labelled file goes to stdout, so that commands can be joined by pipes. A problem in Python predicts for its
test data, or for inputs that another name stands for, one label in JSON per line.
"""

import gzip
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from pathlib import Path

from explorer.command_line.keeping import check_place
from explorer.command_line.labelled.files import STDIN, file_or_stdin, open_model
from explorer.engine.catalogue.python import NAMED
from explorer.engine.refusals import Refused
from explorer.engine.runs.saved import replace_whole
from explorer.estimators.readings import read_examples


def options(command: ArgumentParser) -> None:
    """Which model, which examples, and where the labels go."""
    command.add_argument("model", metavar="MODEL.zip", help="what `train --out` or an estimator's save wrote")
    command.add_argument(
        "file",
        metavar="FILE|-",
        help="a file in the format that was trained on, with or without labels; - is stdin; or file.py:name",
    )
    command.add_argument("--out", metavar="FILE", help="where to write; stdout without it, or for -")
    command.add_argument(
        "--inputs", metavar="FILE.py:NAME", help="for a problem in Python: the inputs to predict for"
    )


def run(args: Namespace, say: Callable[[str], None]) -> int:
    """Predict, and write."""
    out = None if args.out == STDIN else args.out
    if NAMED.fullmatch(args.file):
        from explorer.command_line.labelled.own import predict_own

        found = {"labels": predict_own(args.model, args.file, args.inputs)}
        return write(found, out, "own labels", say)
    if args.inputs:
        raise Refused("--inputs go with a problem in Python, as file.py:name; give the file alone")
    model = open_model(args.model)
    with file_or_stdin(args.file, model) as path:
        examples = read_examples(model, path)
        labels = model.predict(examples.inputs)
        found = dict(examples.write(list(labels)))
    return write(found, out, f"{len(labels):,} labelled examples", say)


def write(found: Mapping[str, bytes], out: str | None, what: str, say: Callable[[str], None]) -> int:
    """Write the files that a prediction gives: one to a file or stdout, several to a folder."""
    if out is None:
        if len(found) > 1:
            raise Refused(f"{len(found)} files are labelled; give a folder for them with --out")
        sys.stdout.buffer.write(*found.values())
        sys.stdout.buffer.flush()
        return 0
    if len(found) > 1 or Path(out).is_dir():
        Path(out).mkdir(exist_ok=True)
        places = {Path(out) / name: content for name, content in found.items()}
    else:
        places = {Path(out): next(iter(found.values()))}
    for place, content in places.items():
        check_place(str(place))
        replace_whole(place, gzip.compress(content, mtime=0) if place.suffix == ".gz" else content)
    say(f"{what} in {out}")
    return 0
