"""`explorer score`: how well a model predicts the labels of a file, in the measures of its structure."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator

from explorer.command_line.labelled.files import file_or_stdin, open_model
from explorer.command_line.wording import clean
from explorer.engine.catalogue.python import NAMED
from explorer.engine.refusals import Refused
from explorer.estimators.readings import read_examples
from explorer.estimators.reports import Report, report

WIDTH = 12


def options(command: ArgumentParser) -> None:
    """Which model, and which examples."""
    command.add_argument("model", metavar="MODEL.zip", help="what `train --out` or an estimator's save wrote")
    command.add_argument(
        "file", metavar="FILE|-", help="a file with the right labels; - is stdin; or file.py:name"
    )
    command.add_argument("--json", action="store_true", help="as JSON")


def run(args: Namespace, say: Callable[[str], None]) -> int:
    """Predict, compare, and say how much is right."""
    if NAMED.fullmatch(args.file):
        from explorer.command_line.labelled.own import score_own

        found = Report(score_own(args.model, args.file), {})
    else:
        found = of_file(args.model, args.file)
    for line in (json.dumps(found.plain(), indent=1),) if args.json else lines(found):
        say(line)
    return 0


def of_file(place: str, file: str) -> Report:
    """The report of a model on a file."""
    model = open_model(place)
    with file_or_stdin(file, model) as path:
        examples = read_examples(model, path)
    if examples.labels is None:
        raise Refused(f"{file} does not label everything, so there is nothing to compare with; use predict")
    return report(model, examples.labels, model.predict(examples.inputs))


def lines(found: Report) -> Iterator[str]:
    """The figures, and a table of the labels."""
    for name, value in found.figures.items():
        yield f"{name:26} {value:g}" if float(value).is_integer() and value > 1 else f"{name:26} {value:.4f}"
    if not found.labels:
        return
    wide = max(WIDTH, *(len(clean(name)) for name in found.labels))
    yield f"{'label':{wide}} {'precision':>10} {'recall':>10} {'F1':>10} {'there are':>10}"
    for name, own in found.labels.items():
        shares = " ".join(f"{share:10.4f}" for share in (own.precision, own.recall, own.f1))
        yield f"{clean(name):{wide}} {shares} {own.support:10,}"
