"""One cut that dominates all others: a clustering that is almost the truth and has the largest loss.

    N items, two of them together in the truth, wrong answer: all apart.
    Psi differs by psi_12 / N^2, the MITRE loss is 100.
    w = beta psi_12,   q = |psi_12|^2

    margin scaling   beta = min(C / N^2, loss N^2 / q)         xi = loss - beta q / N^2
        no slack from C = loss N^4 / q
    slack scaling    beta = min(loss C / N^2, N^2 / q)         xi = loss (1 - beta q / N^2)
        no slack from C = N^4 / (loss q)

is the optimum with this cut alone (Finley 2009, section 6.3; slack scaling by the same steps). Under margin
scaling the slack stays close to the loss unless C is very large, and as long as it does no other cut is worth
adding; slack scaling asks for a margin of 1 whatever the loss and needs a C that is smaller by loss^2. Cost:
none.
"""

from dataclasses import dataclass

from explorer.engine.pricing import Scaling
from explorer.engine.refusals import Refused


@dataclass(frozen=True, slots=True)
class Dominating:
    """The closed form for N items, |psi_12|^2 and the loss of the wrong answer."""

    items: int = 10
    squared_norm: float = 4.0
    loss: float = 100.0

    def __post_init__(self) -> None:
        if self.items < 2 or self.squared_norm <= 0.0 or self.loss <= 0.0:
            raise Refused(
                "a dominating cut needs two items, features and a loss; give items >= 2 and positive numbers"
            )

    def _reach(self) -> float:
        """N^2 / q: the beta at which the margin is 1."""
        return self.items**2 / self.squared_norm

    def beta(self, C: float, scaling: Scaling = "margin") -> float:
        """The factor of psi_12 in the optimal w."""
        if scaling == "slack":
            return min(self.loss * C / self.items**2, self._reach())
        return min(C / self.items**2, self.loss * self._reach())

    def slack(self, C: float, scaling: Scaling = "margin") -> float:
        """The slack that remains at the optimum."""
        margin = self.beta(C, scaling) / self._reach()
        return self.loss * (1.0 - margin) if scaling == "slack" else self.loss - margin

    def no_slack_from(self, scaling: Scaling = "margin") -> float:
        """The smallest C that leaves no slack."""
        each = self.items**4 / self.squared_norm
        return each / self.loss if scaling == "slack" else each * self.loss
