"""`explorer new NAME`: a commented file to begin a problem of one's own with; it runs as it is.

The example is the assignment of jobs to workers: the label is a permutation, the oracle SciPy's assignment
solver, so that it shows what a loss, a feature map and an exact oracle have to agree on.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path

from explorer.command_line.keeping import check_place
from explorer.engine.refusals import Refused

STARTING_FILE = '''"""A structured-prediction problem of my own: which worker gets which job?

    explorer check {file}:problem      # is the oracle right?
    explorer train {file}:problem      # learn it
    explorer serve {file}:problem      # watch it learn, in the browser

x is a table of features for every pair of worker and job; y says for each worker the number of its job.
Change the four functions below, and the data at the end.
"""

import numpy as np
from scipy.optimize import linear_sum_assignment

from explorer import Dataset, Plain

FEATURES = 3


def psi(x, y):
    """The joint features of an input and a label: here the sum over the pairs that y chooses."""
    return x[np.arange(len(y)), y].sum(axis=0)


def delta(y, guess):
    """How wrong a guess is; 0 for the truth: here the share of workers with another job."""
    return float(np.mean(np.asarray(y) != np.asarray(guess)))


def argmax(w, x):
    """The label with the highest score w . psi(x, y): what is predicted."""
    return best(x @ w)


def worst(w, x, y):
    """The label with the highest delta(y, label) + w . psi(x, label): the most tempting wrong answer."""
    scores = x @ w + 1.0 / len(y)  # each pair that is not the true one adds its share of the loss,
    scores[np.arange(len(y)), y] -= 1.0 / len(y)  # and each true pair adds none
    return best(scores)


def best(scores):
    """The assignment with the largest sum of scores."""
    return linear_sum_assignment(scores, maximize=True)[1]


def make_examples(count, workers=4, seed=0):
    """Examples whose truth follows hidden weights, with some noise: put your own data here."""
    rng = np.random.default_rng(seed)
    hidden = np.array([1.0, -0.5, 0.25])
    inputs = [rng.normal(size=(workers, workers, FEATURES)) for _ in range(count)]
    labels = [best(x @ hidden + 0.3 * rng.normal(size=(workers, workers))) for x in inputs]
    return inputs, labels


# `exact=True` is a claim: `worst` always finds the maximum. Leave it out if yours may miss it.
problem = Plain(
    Dataset("jobs", *make_examples(40)), psi, delta, argmax, worst, dim=FEATURES, exact=True, name="jobs"
)
'''


def options(command: ArgumentParser) -> None:
    """What the file is called."""
    command.add_argument("name", metavar="NAME", help="of the file, with or without .py")


def run(args: Namespace, say: Callable[[str], None]) -> int:
    """Write the file; one that exists is left alone."""
    place = Path(args.name if args.name.endswith(".py") else f"{args.name}.py")
    check_place(str(place))
    if place.exists():
        raise Refused(f"{place} exists already; give another name")
    place.write_text(STARTING_FILE.replace("{file}", str(place)), encoding="utf-8")
    say(f"{place} is written and runs as it is: explorer train {place}:problem")
    return 0
