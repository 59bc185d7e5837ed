"""A problem out of what a class, an object or a module of its user brings along.

    needed            psi(x, y)   delta(y, guess)   and argmax(w, x), worst(w, x, y)   or   outputs(x)
    its examples      inputs and labels, or examples = [(x, y), ...]
    if not said       dim: as long as psi of the first example;  exact: False;  name: its own

So a file that defines these functions and its examples is a problem, and so is an object of a class that
has them as methods. Functions may be compiled ones.
"""

from collections.abc import Callable
from typing import Any

from explorer.engine.contracts import Dataset
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.structures.classes.own import Listed, Plain
from explorer.engine.vectors import Sparse

BOTH = ("psi", "delta")
ORACLES = ("argmax", "worst")


def has_parts(thing: Any) -> bool:
    """Whether this is meant as a problem: it has a feature map and a loss."""
    return all(callable(getattr(thing, name, None)) for name in BOTH)


def problem_of_parts(thing: Any, place: str) -> Plain | Listed:
    """The problem that these functions and examples make, or Refused with the first that is missing."""
    psi, delta = (part(thing, name, place) for name in BOTH)
    dataset = examples_of(thing, place)
    name = str(getattr(thing, "name", "") or getattr(thing, "__name__", "") or type(thing).__name__)
    dim = int(getattr(thing, "dim", 0)) or length(psi(dataset.inputs[0], dataset.labels[0]))
    pricing = getattr(thing, "pricing", Pricing())
    if hasattr(thing, "outputs") and not all(hasattr(thing, name) for name in ORACLES):
        return Listed(dataset, psi, delta, part(thing, "outputs", place), dim, pricing, name)
    argmax, worst = (part(thing, name, place) for name in ORACLES)
    return Plain(dataset, psi, delta, argmax, worst, dim, bool(getattr(thing, "exact", False)), pricing, name)


def part(thing: Any, name: str, place: str) -> Callable[..., Any]:
    """One of its functions."""
    found = getattr(thing, name, None)
    if not callable(found):
        raise Refused(
            f"{place} has no function {name}; a problem needs psi(x, y), delta(y, guess), and either "
            "argmax(w, x) and worst(w, x, y), or outputs(x)"
        )
    return found


def examples_of(thing: Any, place: str) -> Dataset:
    """Its inputs and labels, wherever they are."""
    inputs, labels = getattr(thing, "inputs", None), getattr(thing, "labels", None)
    if inputs is None or labels is None:
        pairs = getattr(thing, "examples", None)
        pairs = pairs() if callable(pairs) else pairs
        if pairs is None or not len(pairs):
            raise Refused(f"{place} has no examples; give it inputs and labels, or examples = [(x, y), ...]")
        inputs, labels = [x for x, _ in pairs], [y for _, y in pairs]
    if not len(labels):
        raise Refused(f"{place} has no examples; give it at least one")
    return Dataset(place, inputs, labels)


def length(found: Any) -> int:
    """How many weights there are, by the features of one example."""
    return found.dim if isinstance(found, Sparse) else len(found)
