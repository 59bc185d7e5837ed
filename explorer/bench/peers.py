"""Other systems as contestants. Each is imported when it runs, so that a missing one is skipped with a
sentence.

crfsuite trains another objective (a conditional random field, or a perceptron): of it only time to
convergence and test error count. Its items are made before the clock starts, as our arrays are; handing them
over is on the clock, as our checks are. dlib's cutting plane minimises our very objective with an oracle
written in numpy (the one of the referee).
"""

import importlib
import os
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

from explorer.bench import referee
from explorer.bench.work import Clock, Missing, Outcome

NOT_HERE = {
    "pystruct": "no wheels",
    "ad3": "no wheels",
    "seqlearn": "no wheels",
}
"""Systems that the package registry does not offer ready to install."""


def import_peer(module: str) -> Any:
    """The module of a peer, or the sentence that says how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise Missing(f"{module} is not installed; pip install 'ssvm-explorer[bench]'") from error


def crfsuite(
    algorithm: str, items: Callable[[Any], tuple[Any, Any, Any]], **params: Any
) -> Callable[[Any], Outcome]:
    """Train crfsuite; items(data) are its training sequences, their label names, and its test sequences."""

    def run(data: Any) -> Outcome:
        pycrfsuite = import_peer("pycrfsuite")
        sequences, labels, tests = items(data)
        sequences = [pycrfsuite.ItemSequence(one) for one in sequences]
        tests = [pycrfsuite.ItemSequence(one) for one in tests]
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "model")
            with Clock() as clock:
                trainer = pycrfsuite.Trainer(algorithm, verbose=False)
                trainer.set_params(params)
                for x, y in zip(sequences, labels, strict=True):
                    trainer.append(x, y)
                built = clock.now
                trainer.train(file)
            tagger = pycrfsuite.Tagger()
            tagger.open(file)
            answers = [tagger.tag(one) for one in tests]
            tagger.close()
        last = trainer.logparser.last_iteration or {}
        return Outcome(clock, answers=answers, facts={"built": built, "iterations": last.get("num")})

    return run


class TaggedRows:
    """Chains as dlib's structural solver wants them: truth and worst labelling as dense feature vectors."""

    def __init__(self, dlib: Any, inputs: Any, labels: Any, states: int, C: float, eps: float) -> None:
        self.dlib, self.inputs, self.labels, self.states = dlib, inputs, labels, states
        self.num_samples, self.num_dimensions = len(labels), inputs[0].shape[1] * states + states**2
        self.C, self.epsilon, self.max_cache_size, self.be_verbose = C, eps, 5, False

    def features(self, i: int, path: Any) -> Any:
        """Psi(x_i, path) in our layout, without start and stop weights."""
        emissions, trans = (
            np.zeros((self.inputs[i].shape[1], self.states)),
            np.zeros((self.states, self.states)),
        )
        np.add.at(emissions.T, path, self.inputs[i])
        np.add.at(trans, (path[:-1], path[1:]), 1.0)
        return self.dlib.vector(np.concatenate([emissions.ravel(), trans.ravel()]).tolist())

    def get_truth_joint_feature_vector(self, i: int) -> Any:
        """Asked for once per example."""
        return self.features(i, self.labels[i])

    def separation_oracle(self, i: int, solution: Any) -> tuple[float, Any]:
        """Loss and features of the most violated labelling."""
        part = referee.split(np.array(solution), self.inputs[i].shape[1], self.states, False)
        unary, y = self.inputs[i] @ part.emissions + 1.0, self.labels[i]
        unary[np.arange(len(y)), y] -= 1.0
        path = referee.best_path(unary, part)
        return float(np.sum(path != y)), self.features(i, path)


def dlib_chains(chains: Callable[[Any], tuple[Any, Any, int, float]], eps: float) -> Callable[[Any], Outcome]:
    """Train with dlib's cutting plane; chains(data) are inputs, labels, states and C (on the mean slack)."""

    def run(data: Any) -> Outcome:
        dlib = import_peer("dlib")
        inputs, labels, states, C = chains(data)
        with Clock() as clock:
            w = np.array(dlib.solve_structural_svm_problem(TaggedRows(dlib, inputs, labels, states, C, eps)))
        return Outcome(clock, w)

    return run
