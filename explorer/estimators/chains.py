"""A label for every position of a sequence: tagging of words, segmentation, handwriting.

    score(x, y) = sum_t x_t W[:, y_t] + sum_t T[y_{t-1}, y_t] + start[y_first] + stop[y_last]

The problem is `structures.chains.Chain`, the hidden Markov support vector machine; with learner="crf" the
same scores are those of a conditional random field. Tokens are feature dicts (as in sklearn-crfsuite), lists
of texts, words with `features`, or rows of numbers, dense or sparse. All rows of a corpus lie in one matrix.
Cost: reading a token takes a tenth of a microsecond for each feature; decoding O(T K^2).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from explorer.engine.catalogue.chains import LOSSES
from explorer.engine.contracts import Dataset, Loss
from explorer.engine.events import Step
from explorer.engine.losses import CostMatrix
from explorer.engine.refusals import Refused
from explorer.engine.rows import RowBlocks, scores
from explorer.engine.structures.chains.kernels.forward_backward import marginals
from explorer.engine.structures.chains.kernels.k_best import k_best
from explorer.engine.structures.chains.kernels.min_marginals import max_marginals
from explorer.engine.structures.chains.oracles import Viterbi
from explorer.engine.structures.chains.oracles.viterbi import Chains
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.vectors import Array, Ints
from explorer.estimators.fitting import pricing_of
from explorer.estimators.forms.sequences import (
    Sequences,
    in_form_of,
    is_frame,
    labels_of,
    read_rows,
    sequences_of,
    spoken_words,
)
from explorer.estimators.frames import table
from explorer.estimators.inputs import is_empty, known_names
from explorer.estimators.metrics import token_accuracy
from explorer.estimators.models import arrays_of, labels_from, labels_tree
from explorer.estimators.structured import StructuredEstimator
from explorer.estimators.vocabularies import Columns, codes_of, label_codes

MOST_NAMED = 20_000
"""Features whose names go along with the problem; more would cost memory that few ever look at."""


@dataclass(eq=False, repr=False, kw_only=True)
class SequenceTagger(StructuredEstimator):
    """One label for every position of a sequence.

    X is a list of sequences; a sequence is a list of feature dicts, a list of lists of texts, a (T, F) array,
    or a sparse (T, F) matrix. One matrix of all rows with `lengths` is taken as well, and so is a pandas
    frame with one row for each position, whose column `sequence` names the sequence that it belongs to; the
    other columns are features. With `features` a sequence is a list of words. y is a list of lists of labels,
    or for a frame a column of them; predictions have the same form. A feature dict may hold texts (the column
    "name=text"), numbers, truth values and lists of texts. Features that were not seen in training are
    ignored in prediction. To search a grid over a frame, split it by GroupKFold with its column as `groups`.

    Parameters
    ----------
    {prices}
    loss : "hamming" (wrong positions), "hamming-normalised" (their share) or "zero-one" (any mistake costs
        1).
    cost_matrix : what it costs to answer the label of the column in place of that of the row, in the order of
        `classes_`, summed over positions; instead of the loss.
    ends : give the first and the last label weights of their own.
    min_count : leave out features of dicts that fewer tokens of the training data have.
    features : a function that makes feature dicts of a sentence, such as TextFeatures(); it is called for one
        sentence after the other, and saved with the model where it is TextFeatures.
    sequence : the column of a frame that names each row's sequence.
    {shared}

    With learner="crf" the weights are those of a conditional random field, and `predict_marginals` gives its
    probabilities.

    Attributes
    ----------
    classes_, weights_, columns_ (None for rows of numbers), n_features_in_, certificate_, trace_, n_iter_
    """

    loss: str = "hamming"
    cost_matrix: Any = None
    ends: bool = True
    min_count: int = 1
    features: Callable[[Any], Any] | None = None
    sequence: str | None = None

    def _problem_for(
        self, X: Any, y: Any, lengths: Any = None, classes: Any = None, keep: bool = False
    ) -> Chain:
        if is_empty(X):
            raise Refused("there are no sequences; give at least one")
        given = sequences_of(X, lengths, self.sequence)
        labels = labels_of(y, given)
        whole, columns = read_rows(given, self.columns_ if keep else None, self.features, self.min_count)
        if not keep:
            self.columns_: Columns | None = columns
            self.n_features_in_ = int(whole.shape[1])
            self.classes_ = label_codes(chain.from_iterable(labels) if classes is None else classes)[0]
        self._check_width(whole)
        numbers = {name: k for k, name in enumerate(self.classes_.tolist())}
        codes = codes_of(list(chain.from_iterable(labels)), numbers, "the training data")
        rows, starts = RowBlocks(whole, given.offsets), given.offsets
        data = Dataset("sequences", rows, np.split(codes, starts[1:-1]), self._names(given))
        return Chain(data, len(self.classes_), self._delta(), pricing_of(self), bool(self.ends))

    def _names(self, given: Sequences) -> dict[str, Any]:
        """What labels, words and features are called where a run is shown."""
        found: dict[str, Any] = {"states": tuple(map(str, self.classes_.tolist()))}
        if words := spoken_words(given, self.features):
            found["words"] = words
        if self.columns_ is not None and self.columns_.size <= MOST_NAMED:
            found["feature_names"] = tuple(self.columns_.names())
        return found

    def _delta(self) -> Loss:
        if self.cost_matrix is not None:
            return CostMatrix(self.cost_matrix)
        if self.loss not in LOSSES:
            raise Refused(f"loss is {self.loss!r}; choose one of {', '.join(LOSSES)}")
        return LOSSES[self.loss]

    def problem(self, X: Any, y: Any, lengths: Any = None) -> Chain:
        """The engine's problem for these data, to train or explore by other means; the tagger stays as it
        is.
        """
        found: Chain = clone(self)._problem_for(X, y, lengths)
        return found

    def fit(self, X: Any, y: Any, sample_weight: Any = None, lengths: Any = None) -> Self:
        """Learn from sequences and their labels; a sequence's weight multiplies its slack."""
        return self._fit_to(self._problem_for(X, y, lengths), X, y, sample_weight)

    def fit_steps(self, X: Any, y: Any, sample_weight: Any = None, lengths: Any = None) -> Iterator[Step]:
        """The same step by step: after each the tagger predicts with the weights so far, and a loop that is
        left ends the fit there. A step has `k`, `bounds` (primal, dual, gap), `seconds` and `w`.
        """
        yield from self._steps(self._problem_for(X, y, lengths), sample_weight)

    def _chains(self, X: Any, lengths: Any) -> tuple[Sequences, Chains]:
        """The sequences, and the trellises of all of them."""
        check_is_fitted(self, "weights_")
        given = sequences_of(X, lengths, self.sequence)
        whole = read_rows(given, self.columns_, self.features, 1)[0]
        self._check_width(whole)
        W, trans, start, stop = self._parts()
        return given, Chains(scores(whole, W), given.offsets, trans, start, stop)

    def _check_width(self, whole: Any) -> None:
        if whole.shape[1] != self.n_features_in_:
            raise Refused(
                f"the rows have {whole.shape[1]} features; the tagger was trained on {self.n_features_in_}"
            )

    def _parts(self) -> tuple[Array, Array, Array, Array]:
        """Weights of features, transitions, starts and stops."""
        K, w = len(self.classes_), self.weights_
        e = self.n_features_in_ * K
        tail = w[e + K * K :].reshape(2, K) if self.ends else np.zeros((2, K))
        return w[:e].reshape(-1, K), w[e : e + K * K].reshape(K, K).copy(), tail[0].copy(), tail[1].copy()

    def predict(self, X: Any, lengths: Any = None) -> Any:
        """The best labels of every sequence: a list of lists, or for a frame a column."""
        if is_empty(X) and not is_frame(X):
            return []
        given, chains = self._chains(X, lengths)
        return in_form_of(given, self._split(Viterbi().best(chains), chains.offsets))

    def _split(self, codes: Ints, offsets: Ints) -> list[list[Any]]:
        """Numbers as labels, sequence by sequence."""
        names, at = self.classes_.tolist(), offsets.tolist()
        flat = [names[k] for k in codes.tolist()]
        return [flat[a:b] for a, b in pairwise(at)]

    def predict_k_best(self, X: Any, k: int, lengths: Any = None) -> list[list[tuple[list[Any], float]]]:
        """For every sequence at most k labellings with their scores, best first (list Viterbi)."""
        names, out = self.classes_.tolist(), []
        for one in self._each(X, lengths):
            found, paths = np.empty(k), np.empty((k, len(one.unary)), dtype=np.int64)
            count = k_best(one.unary, one.trans, one.start, one.stop, k, found, paths)
            out.append([([names[s] for s in paths[r].tolist()], float(found[r])) for r in range(count)])
        return out

    def predict_marginals(self, X: Any, lengths: Any = None) -> list[Array]:
        """The probability of every label at every position under p(y) = exp(score(y)) / Z, as (T, K) arrays
        in the order of `classes_`. learner="crf" fits these; other learners do not.
        """
        out = []
        for one in self._each(X, lengths):
            T, K = one.unary.shape
            node, edge = np.empty((T, K)), np.empty((T - 1, K, K))
            marginals(one.unary, one.trans, one.start, one.stop, node, edge)
            out.append(node)
        return out

    def decision_function(self, X: Any, lengths: Any = None) -> list[Array]:
        """The score of the best labelling that has each label at each position, as (T, K) arrays."""
        out = []
        for one in self._each(X, lengths):
            out.append(np.empty_like(one.unary))
            max_marginals(one.unary, one.trans, one.start, one.stop, out[-1])
        return out

    def _each(self, X: Any, lengths: Any) -> list[Any]:
        """The trellis of every sequence."""
        chains = self._chains(X, lengths)[1]
        return [chains.one(i) for i in range(len(chains.lengths))]

    def score(self, X: Any, y: Any, lengths: Any = None) -> float:
        """The share of positions with the right label; a label that was not trained on is always wrong."""
        given, chains = self._chains(X, lengths)
        return token_accuracy(labels_of(y, given), self._split(Viterbi().best(chains), chains.offsets))

    def weight_tables(self) -> list[dict[str, Any]]:
        """All weights: kind (feature, transition, start, stop), feature (or the label
        before), label, weight.
        """
        check_is_fitted(self, "weights_")
        W, trans, start, stop = self._parts()
        width = self.n_features_in_
        names = self.columns_.names() if self.columns_ else known_names(self, "features", width)
        parts = [
            table("feature", names, self.classes_, W),
            table("transition", self.classes_, self.classes_, trans),
        ]
        if self.ends:
            parts += [table("start", [""], self.classes_, start), table("stop", [""], self.classes_, stop)]
        return parts

    def _model(self) -> dict[str, Any]:
        """What a model file holds beside the parameters."""
        return {
            "weights": self.weights_,
            "classes": labels_tree(self.classes_),
            "features": self.n_features_in_,
            "columns": None if self.columns_ is None else self.columns_.tree(),
        }

    def _restore(self, model: Mapping[str, Any]) -> None:
        self.classes_, width = labels_from(model["classes"]), int(model["features"])
        K = len(self.classes_)
        (self.weights_,) = arrays_of(model, weights=(width * K + K * K + (2 * K if self.ends else 0),))
        self.columns_ = None if model["columns"] is None else Columns.from_tree(model["columns"], width)
        self.n_features_in_ = width


__all__ = ["SequenceTagger"]
