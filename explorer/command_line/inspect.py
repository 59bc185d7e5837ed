"""`explorer inspect`: what a model is, what it proved, and its largest weights by name."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from explorer.command_line.labelled.files import open_model
from explorer.command_line.wording import clean, pairs
from explorer.engine.refusals import Refused


def options(command: ArgumentParser) -> None:
    """Which model, and how much of it."""
    command.add_argument("model", metavar="MODEL.zip", help="what `train --out` or an estimator's save wrote")
    command.add_argument(
        "--top", type=int, default=5, metavar="N", help="weights of each sign and label to show (default: 5)"
    )
    command.add_argument("--json", action="store_true", help="as JSON, with all figures")


def run(args: Namespace, say: Callable[[str], None]) -> int:
    """Say what the model holds."""
    model = open_model(args.model)
    found = about(model, Path(args.model)), heaviest(model, max(args.top, 0))
    for line in (json.dumps(dict(found[0], weights=found[1]), indent=1),) if args.json else lines(*found):
        say(line)
    return 0


def about(model: Any, path: Path) -> dict[str, Any]:
    """Kind, sizes, settings and certificate."""
    chosen = {name: value for name, value in model.get_params(deep=False).items() if is_said(value)}
    reading = getattr(model, "reading_", {"format": "Python"})
    classes = getattr(model, "labels_", getattr(model, "classes_", ()))
    return {
        "model": type(model).__name__,
        "trained on": reading["format"].replace("_", " "),
        "weights": int(model.weights_.size),
        "of them not 0": int(np.count_nonzero(model.weights_)),
        "labels": [str(name) for name in classes],
        "bytes": path.stat().st_size,
        "settings": chosen,
        "certificate": model.certificate_.words,
        "passes": int(model.n_iter_),
    }


def is_said(value: Any) -> bool:
    """Whether a parameter is worth a word."""
    return value is not None and value != {} and not callable(value)


def heaviest(model: Any, top: int) -> dict[str, list[dict[str, Any]]]:
    """For every kind of weights and label the largest and the smallest ones, by name."""
    try:
        tables = model.weight_tables()
    except Refused:
        return {}
    found: dict[str, list[dict[str, Any]]] = {}
    for table in tables:
        for label in dict.fromkeys(table["label"].tolist()):
            mine = np.flatnonzero(table["label"] == label)
            order = mine[np.argsort(-table["weight"][mine], kind="stable")]
            kept = [i for i in (*order[:top], *order[max(top, len(order) - top) :]) if table["weight"][i]]
            title = " ".join(filter(None, (str(table["kind"][mine[0]]), str(label))))
            found.setdefault(title, []).extend(
                {"name": str(table["feature"][i]), "weight": float(table["weight"][i])} for i in kept
            )
    return found


def lines(told: dict[str, Any], weights: dict[str, list[dict[str, Any]]]) -> Iterator[str]:
    """The same as text."""
    sizes = f"{told['weights']:,} weights, {told['of them not 0']:,} of them not 0"
    yield f"{told['model']}, trained on {told['trained on']}: {sizes}, {told['bytes'] / 1e6:.2f} MB"
    if told["labels"]:
        yield f"{len(told['labels'])} labels: {clean(', '.join(told['labels']))}"
    yield f"settings: {pairs({k: v for k, v in told['settings'].items() if not isinstance(v, dict)})}"
    yield f"certificate: {clean(told['certificate'])}, after {told['passes']} passes"
    if not weights:
        yield "its weights are coefficients of training sentences, which have no names"
    for title, found in weights.items():
        shown = "  ".join(f"{clean(one['name'])} {one['weight']:+.3g}" for one in found)
        yield f"{clean(title)}: {shown or 'all 0'}"
