"""The hidden Markov model, as weights of the same chain: counted instead of trained.

    w = log p:   start weights log q,  transitions log A,  emissions what of log b is linear in the rows

Rabiner 1989; Iglesias 2013, section 4.1 (ML-HMM and GT-HMM); lecture "Structured Output Prediction": a hidden
Markov model is a structural SVM whose weights are log-probabilities, so Viterbi answers the same. It says how
likely observations are, which nobody asked, and minimises no cost of labellings. One step, one look at the
data; no bounds.
"""

from collections.abc import Generator, Mapping
from typing import Any, ClassVar

import numpy as np

from explorer.engine.contracts import Generative, Objective, Problem
from explorer.engine.events import Step, Stopped
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import needs_examples, needs_no_rules

COUNTED, TRUE = "counted", "true"


@settings
class HiddenMarkovModel:
    """Hidden Markov model."""

    title: ClassVar[str] = "Hidden Markov model"
    paper: ClassVar[str] = "Rabiner 1989; as weights: Iglesias 2013, section 4.1"
    certifies: ClassVar[bool] = False
    objective: ClassVar[Objective | None] = None

    parameters: str = knob(
        COUNTED, "Count them in the data, or take those that made the data.", choices=(COUNTED, TRUE)
    )
    pseudo_count: float = knob(1.0, "Added to every count.", low=0.0, high=1e6)

    def refuses(self, problem: Problem) -> str | None:
        """Only problems that can be counted, and know what made their data if that is asked for."""
        if not isinstance(problem, Generative):
            return "Only label sequences can be counted into a hidden Markov model."
        lacking = needs_examples(problem) or needs_no_rules(problem)
        return lacking or problem.not_generative(self.parameters == TRUE)

    def steps(
        self, problem: Problem, rng: np.random.Generator, state: Mapping[str, Any] | None = None
    ) -> Generator[Step, None, Stopped]:
        """One step: everything is counted."""
        assert isinstance(problem, Generative)
        if state is None:
            w = problem.generative_weights(self.parameters == TRUE, self.pseudo_count)
            yield Step(0, w, detail={"norm2": float(w @ w)}, state={"k": 0})
        return Stopped("counted", "everything is counted; there is nothing to improve", 0)
