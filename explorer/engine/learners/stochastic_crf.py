"""The conditional random field by stochastic gradients, exact ones or those of contrastive divergence.

    J(w) = 1/2 |w|^2 + C mean_i [ log Z_i(w) - w . Psi(x_i, y_i) ]
    w <- w - eta_t [ w / C + mean_{i in B} ( E_i - Psi(x_i, y_i) ) ],     eta_t = eta / (1 + eta t / C)
    E_i   the expected features (sums over all labellings), or the features of a labelling that s sweeps of
          Gibbs sampling draw, beginning at the truth

Bottou 2007 for the step sizes; Hinton 2002 for contrastive divergence, whose gradient is biased: it needs no
sum over labellings, and ends near the optimum rather than at it. With eta = 0 the step size is chosen on a
few training examples: the one of 1, 1/2, 1/4, ... that a pass over them leads lowest. Every pass the whole
gradient says how far the optimum can be (J - |g|^2 / 2), whoever made the moves. Cost of a pass: all
examples' marginals or samples, and as much again for the certificate.
"""

from collections.abc import Generator, Mapping
from typing import Any, ClassVar

import numpy as np

from explorer.engine.contracts import Objective, Problem, Samples, generator_at
from explorer.engine.descent import place
from explorer.engine.enumeration import expectation, needs_marginals
from explorer.engine.events import Bounds, Step, Stopped
from explorer.engine.knobs import knob, settings
from explorer.engine.likelihoods import Likelihood, log_risk
from explorer.engine.refusals import needs_every_weight, needs_examples, needs_finite, needs_no_rules
from explorer.engine.vectors import Array, add_into

ALL, DRAWN = "all labellings", "samples"
FEW = 64
"""Examples on which a step size is tried."""

TRIES = 12


@settings
class StochasticCRF:
    """Conditional random field by stochastic gradients."""

    title: ClassVar[str] = "Random field by SGD"
    paper: ClassVar[str] = "Bottou 2007; contrastive divergence: Hinton 2002"
    certifies: ClassVar[bool] = True
    objective: ClassVar[Objective | None] = Likelihood()

    C: float = knob(1.0, "Price of the mean log loss: larger fits the data harder.", low=1e-12, log=True)
    expected: str = knob(
        ALL, "Expected features from all labellings, or from samples near the truth.", choices=(ALL, DRAWN)
    )
    sweeps: int = knob(1, "Sweeps of Gibbs sampling for each sample.", low=1, high=1000)
    eta: float = knob(0.0, "Step size at first; 0: chosen on some examples.", low=0.0, high=1e3)
    batch: int = knob(4, "Examples of each move.", low=1, high=10_000)

    def refuses(self, problem: Problem) -> str | None:
        """Examples, sums over all their labellings (samples do not spare the certificate), a finite C."""
        lacking = needs_examples(problem) or needs_marginals(problem)
        if self.expected == DRAWN and not isinstance(problem, Samples):
            return "No labelling can be drawn for this problem; take expected = all labellings."
        flat = needs_every_weight(
            problem, "The lower bound needs a norm that counts every weight, the bias too"
        )
        return lacking or needs_no_rules(problem) or needs_finite(self.C) or flat

    def steps(
        self, problem: Problem, rng: np.random.Generator, state: Mapping[str, Any] | None = None
    ) -> Generator[Step, None, Stopped]:
        """Passes over the examples in random order, for ever; who listens decides when to stop."""
        rng, risk = generator_at(rng, state), log_risk(problem)
        w, t, k, eta, lower = np.zeros(problem.dim), 0, 0, self.eta, 0.0
        if state is not None:
            w, t, k, eta = state["w"].copy(), state["t"], state["k"] + 1, state["eta"]
            lower = state["lower"] if state["C"] == self.C else 0.0
        eta = eta or self._tried(problem, rng)
        while True:
            if k:
                t = self._pass(problem, w, t, eta, rng, -(-problem.n // self.batch))
            at = place(risk, w.copy())
            lower = max(lower, at.lower(self.C))
            size = float(np.linalg.norm(at.gradient(self.C)))
            detail = {"risk": at.risk, "gradient": size, "moves": t, "eta": eta}
            keyframe = {"w": w.copy(), "t": t, "k": k, "eta": eta, "lower": lower, "C": self.C}
            keyframe["rng"] = rng.bit_generator.state
            yield Step(k, at.w, bounds=Bounds(at.upper(self.C), lower, True), detail=detail, state=keyframe)
            k += 1

    def _pass(
        self, problem: Problem, w: Array, t: int, eta: float, rng: np.random.Generator, batches: int
    ) -> int:
        """Move w by every batch once; how many moves there have been. The shrinking is implicit, so that no
        step size turns w around.
        """
        for b in rng.permutation(batches):
            lo, hi = int(b) * self.batch, min(int(b + 1) * self.batch, problem.n)
            length = eta / (1.0 + eta * t / self.C)
            add_into(w, -length / (hi - lo), self._expected(problem, w, lo, hi, rng))
            for i in range(lo, hi):
                add_into(w, length / (hi - lo), problem.features(i, problem.dataset.labels[i]))
            w /= 1.0 + length / self.C
            t += 1
        return t

    def _expected(self, problem: Problem, w: Array, lo: int, hi: int, rng: np.random.Generator) -> Any:
        """The sum of E_i over a batch."""
        if self.expected == DRAWN:
            assert isinstance(problem, Samples)
            return problem.sample_features(w, lo, hi, self.sweeps, rng)
        return expectation(problem, w, lo, hi).psi

    def _tried(self, problem: Problem, rng: np.random.Generator) -> float:
        """The step size by which a pass over the first batches leads lowest on them."""
        batches = max(1, min(-(-problem.n // self.batch), FEW // self.batch))
        n, truth = min(problem.n, batches * self.batch), np.zeros(problem.dim)
        for i in range(n):
            add_into(truth, 1.0 / n, problem.features(i, problem.dataset.labels[i]))

        def objective(w: Array) -> float:
            log_z = sum(float(expectation(problem, w, i, i + 1).log_z[0]) for i in range(n))
            return 0.5 * float(w @ w) / self.C + log_z / n - float(w @ truth)

        found = []
        for power in range(TRIES):
            w, eta = np.zeros(problem.dim), min(1.0, self.C) * 0.5**power
            self._pass(problem, w, 0, eta, rng, batches)
            found.append((objective(w), eta))
        return min(found)[1]
