"""A label for every position of a sequence: tagging of words, segmentation, handwriting.

    score(x, y) = sum_t x_t W[:, y_t] + sum_t T[y_{t-1}, y_t] + start[y_first] + stop[y_last]

The problem is `structures.chains.Chain`, the hidden Markov support vector machine; with learner="crf" the
same scores
are those of a conditional random field. Tokens are feature dicts (as in sklearn-crfsuite), lists of texts,
or rows
of numbers, dense or sparse. All rows of a corpus lie in one matrix. Cost: reading a token takes a tenth of a
microsecond for each feature; decoding O(T K^2).
"""

from collections.abc import Mapping
from itertools import chain, pairwise
from typing import Any, Self

import numpy as np
from scipy import sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from explorer.engine.catalogue.chains import LOSSES
from explorer.engine.contracts import Dataset, Loss
from explorer.engine.losses import CostMatrix
from explorer.engine.refusals import Refused
from explorer.engine.rows import RowBlocks, is_sparse, scores
from explorer.engine.structures.chains.kernels.forward_backward import marginals
from explorer.engine.structures.chains.kernels.k_best import k_best
from explorer.engine.structures.chains.kernels.min_marginals import max_marginals
from explorer.engine.structures.chains.oracles import Viterbi
from explorer.engine.structures.chains.oracles.viterbi import Chains
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.vectors import Array, Ints
from explorer.estimators.fitting import AUTO, fit_weights, pricing_of
from explorer.estimators.frames import join_tables, table
from explorer.estimators.inputs import is_empty
from explorer.estimators.metrics import token_accuracy
from explorer.estimators.models import arrays_of, labels_from, labels_tree, save_model, texts_from, texts_tree
from explorer.estimators.vocabularies import Columns, codes_of, corpus_rows, label_codes
from explorer.estimators.weighted import with_weights


class SequenceTagger(BaseEstimator):
    """One label for every position of a sequence.

    X is a list of sequences; a sequence is a list of feature dicts, a list of lists of texts, a (T, F)
    array, or a
    sparse (T, F) matrix. One matrix of all rows with `lengths` is taken as well. y is a list of lists of
    labels.
    A feature dict may hold texts (the column "name=text"), numbers, truth values and lists of texts.
    Features that were
    not seen in training are ignored in prediction.

    Parameters
    ----------
    C : price of the mean slack, not of each slack: for the C of other programs give `C_per_example`.
    C_per_example : price of each sequence's slack, C divided by the number of sequences; instead of C.
    loss : "hamming" (wrong positions), "hamming-normalised" (their share) or "zero-one" (any mistake costs
        1).
    cost_matrix : what it costs to answer the label of the column in place of that of the row, in the order of
        `classes_`, summed over positions; instead of the loss.
    ends : give the first and the last label weights of their own.
    min_count : leave out features of dicts that fewer tokens of the training data have.
    scaling, penalty : "margin" or "slack", "linear" or "squared"; see the objective in the README.
    learner : "auto" (the sequential dual method, in compiled passes), or a name that `explorer tasks
        --learners` lists;
        "crf" learns probabilities.
    learner_settings : settings of that learner by name.
    tol, max_iter, max_seconds : stop at this relative gap, after this many passes, or after this many
        seconds (0: any).
    warm_start : a fit to the same data goes on from the last one, also with another C or loss.
    random_state : seed of the learner's random choices.
    n_jobs : threads; None or -1: one for each core. Results do not depend on it.

    Attributes
    ----------
    classes_, weights_, columns_ (None for rows of numbers), n_features_in_, certificate_, trace_, n_iter_
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        C_per_example: float | None = None,
        loss: str = "hamming",
        cost_matrix: Any = None,
        ends: bool = True,
        min_count: int = 1,
        scaling: str = "margin",
        penalty: str = "linear",
        learner: str = AUTO,
        learner_settings: Mapping[str, Any] | None = None,
        tol: float = 1e-3,
        max_iter: int = 1000,
        max_seconds: float = 0.0,
        warm_start: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.C_per_example = C_per_example
        self.loss = loss
        self.cost_matrix = cost_matrix
        self.ends = ends
        self.min_count = min_count
        self.scaling = scaling
        self.penalty = penalty
        self.learner = learner
        self.learner_settings = learner_settings
        self.tol = tol
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    def problem(self, X: Any, y: Any, lengths: Any = None) -> Chain:
        """The engine's problem for these data, to train or explore by other means; sets `classes_` and
        `columns_`.
        """
        if is_empty(X):
            raise Refused("there are no sequences; give at least one")
        offsets = _offsets(X, lengths)
        labels = _labels(y, offsets)
        whole, self.columns_ = _read(X, None, self.min_count)
        self.n_features_in_ = int(whole.shape[1])
        self.classes_, numbers = label_codes(chain.from_iterable(labels))
        codes = codes_of(list(chain.from_iterable(labels)), numbers, "the training data")
        data = Dataset(
            "sequences",
            RowBlocks(whole, offsets),
            np.split(codes, offsets[1:-1]),
            {"states": tuple(map(str, numbers))},
        )
        return Chain(data, len(self.classes_), self._delta(), pricing_of(self), bool(self.ends))

    def _delta(self) -> Loss:
        if self.cost_matrix is not None:
            return CostMatrix(self.cost_matrix)
        if self.loss not in LOSSES:
            raise Refused(f"loss is {self.loss!r}; choose one of {', '.join(LOSSES)}")
        return LOSSES[self.loss]

    def fit(self, X: Any, y: Any, sample_weight: Any = None, lengths: Any = None) -> Self:
        """Learn from sequences and their labels; a sequence's weight multiplies its slack."""
        fit_weights(self, *with_weights(self.problem(X, y, lengths), sample_weight))
        return self

    def _chains(self, X: Any, lengths: Any) -> Chains:
        """The trellises of all sequences."""
        check_is_fitted(self, "weights_")
        offsets = _offsets(X, lengths)
        whole = _read(X, self.columns_, 1)[0]
        if whole.shape[1] != self.n_features_in_:
            raise Refused(
                f"the rows have {whole.shape[1]} features; the tagger was trained on {self.n_features_in_}"
            )
        W, trans, start, stop = self._parts()
        return Chains(scores(whole, W), offsets, trans, start, stop)

    def _parts(self) -> tuple[Array, Array, Array, Array]:
        """Weights of features, transitions, starts and stops."""
        K, w = len(self.classes_), self.weights_
        e = self.n_features_in_ * K
        tail = w[e + K * K :].reshape(2, K) if self.ends else np.zeros((2, K))
        return w[:e].reshape(-1, K), w[e : e + K * K].reshape(K, K).copy(), tail[0].copy(), tail[1].copy()

    def predict(self, X: Any, lengths: Any = None) -> list[list[Any]]:
        """The best labels of every sequence."""
        if is_empty(X):
            return []
        chains = self._chains(X, lengths)
        return self._split(Viterbi().best(chains), chains.offsets)

    def _split(self, codes: Ints, offsets: Ints) -> list[list[Any]]:
        """Numbers as labels, sequence by sequence."""
        names, at = self.classes_.tolist(), offsets.tolist()
        flat = [names[k] for k in codes.tolist()]
        return [flat[a:b] for a, b in pairwise(at)]

    def predict_k_best(self, X: Any, k: int, lengths: Any = None) -> list[list[tuple[list[Any], float]]]:
        """For every sequence at most k labellings with their scores, best first (list Viterbi)."""
        chains, names = self._chains(X, lengths), self.classes_.tolist()
        out = []
        for i in range(len(chains.lengths)):
            one = chains.one(i)
            found, paths = np.empty(k), np.empty((k, len(one.unary)), dtype=np.int64)
            count = k_best(one.unary, one.trans, one.start, one.stop, k, found, paths)
            out.append([([names[s] for s in paths[r].tolist()], float(found[r])) for r in range(count)])
        return out

    def predict_marginals(self, X: Any, lengths: Any = None) -> list[Array]:
        """The probability of every label at every position under p(y) = exp(score(y)) / Z, as (T, K) arrays
        in the
        order of `classes_`. learner="crf" fits these; other learners do not.
        """
        chains, out = self._chains(X, lengths), []
        for i in range(len(chains.lengths)):
            one = chains.one(i)
            T, K = one.unary.shape
            node, edge = np.empty((T, K)), np.empty((T - 1, K, K))
            marginals(one.unary, one.trans, one.start, one.stop, node, edge)
            out.append(node)
        return out

    def decision_function(self, X: Any, lengths: Any = None) -> list[Array]:
        """For every position and label the score of the best labelling that has it there, as (T, K)
        arrays."""
        chains, out = self._chains(X, lengths), []
        for i in range(len(chains.lengths)):
            one = chains.one(i)
            out.append(np.empty_like(one.unary))
            max_marginals(one.unary, one.trans, one.start, one.stop, out[-1])
        return out

    def score(self, X: Any, y: Any, lengths: Any = None) -> float:
        """The share of positions with the right label; a label that was not trained on is always wrong."""
        return token_accuracy(_labels(y, _offsets(X, lengths)), self.predict(X, lengths))

    def weights_frame(self) -> Any:
        """A pandas frame of all weights: kind (feature, transition, start, stop), feature (or the label
        before),
        label, weight.
        """
        check_is_fitted(self, "weights_")
        W, trans, start, stop = self._parts()
        names = self.columns_.names() if self.columns_ else [f"x{f}" for f in range(self.n_features_in_)]
        parts = [
            table("feature", names, self.classes_, W),
            table("transition", self.classes_, self.classes_, trans),
        ]
        if self.ends:
            parts += [table("start", [""], self.classes_, start), table("stop", [""], self.classes_, stop)]
        return join_tables(parts)

    def save(self, path: Any) -> None:
        """Write the fitted model to a file that `explorer.estimators.load` reads; no training data go
        along."""
        save_model(self, path)

    def _model(self) -> dict[str, Any]:
        """What a model file holds beside the parameters."""
        columns = None if self.columns_ is None else columns_tree(self.columns_)
        return {
            "weights": self.weights_,
            "classes": labels_tree(self.classes_),
            "features": self.n_features_in_,
            "columns": columns,
        }

    def _restore(self, model: Mapping[str, Any]) -> None:
        self.classes_, width = labels_from(model["classes"]), int(model["features"])
        K = len(self.classes_)
        (self.weights_,) = arrays_of(model, weights=(width * K + K * K + (2 * K if self.ends else 0),))
        self.columns_ = None if model["columns"] is None else columns_from(model["columns"], width)
        self.n_features_in_ = width


def _is_matrix(X: Any) -> bool:
    """Whether all rows come in one matrix."""
    return is_sparse(X) or (isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype != object)


def _offsets(X: Any, lengths: Any) -> Ints:
    """Where each sequence begins among all rows."""
    if _is_matrix(X):
        if lengths is None:
            raise Refused(
                "X is one matrix; give the lengths of its sequences, or a list with one matrix for each"
            )
        sizes = np.asarray(lengths, dtype=np.int64)
        if sizes.ndim != 1 or int(sizes.sum()) != X.shape[0]:
            raise Refused(
                f"the lengths sum to {int(sizes.sum())} and there are {X.shape[0]} rows; give those of the "
                "rows"
            )
    elif lengths is not None:
        raise Refused("X is a list of sequences, which have lengths of their own; leave `lengths` out")
    elif isinstance(X, str | Mapping) or not hasattr(X, "__len__"):
        raise Refused(f"X is a {type(X).__name__}; give a list of sequences")
    else:
        sizes = np.array(
            [x.shape[0] if hasattr(x, "shape") else _length(x, i) for i, x in enumerate(X)], dtype=np.int64
        )
    if len(sizes) and sizes.min() < 1:
        raise Refused(f"sequence {int(np.argmin(sizes))} is empty; leave it out")
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _length(x: Any, i: int) -> int:
    if isinstance(x, str | Mapping) or not hasattr(x, "__len__"):
        raise Refused(
            f"sequence {i} is a {type(x).__name__}; give a list of feature dicts, or rows of numbers"
        )
    return len(x)


def _labels(y: Any, offsets: Ints) -> list[Any]:
    """One list of labels for every sequence."""
    sizes = np.diff(offsets)
    if len(y) != len(sizes):
        raise Refused(
            f"there are {len(sizes)} sequences and {len(y)} lists of labels; give one list for each"
        )
    found = [labels.tolist() if isinstance(labels, np.ndarray) else labels for labels in y]
    for i, (labels, size) in enumerate(zip(found, sizes.tolist(), strict=True)):
        if isinstance(labels, str) or not hasattr(labels, "__len__") or len(labels) != size:
            raise Refused(
                f"sequence {i} has {size} positions and the labels {str(labels)[:40]!r}; give one for each"
            )
    return found


def _read(X: Any, columns: Columns | None, min_count: int) -> tuple[Any, Columns | None]:
    """The rows of all sequences, and the columns of their features where these have names."""
    if _is_matrix(X):
        return (sp.csr_array(X) if is_sparse(X) else X), None
    first = X[0]
    if is_sparse(first):
        return sp.csr_array(sp.vstack(list(X), format="csr")), None
    if isinstance(first, np.ndarray) or isinstance(first[0], np.ndarray | int | float):
        return _stack(X), None
    if columns is None:
        return corpus_rows(X, min_count)
    return columns.rows(chain.from_iterable(X)), columns


def _stack(X: Any) -> Array:
    try:
        return np.vstack([np.asarray(x, dtype=float) for x in X])
    except ValueError as error:
        raise Refused(
            f"the sequences are no rows of numbers of one width ({error}); give (T, F) arrays"
        ) from None


def columns_tree(columns: Columns) -> dict[str, Any]:
    """A vocabulary as arrays: the names, and for every column its name and text."""
    names = list(dict.fromkeys([*columns.texts, *columns.numbers]))
    at = {name: k for k, name in enumerate(names)}
    owner, texts = np.zeros(columns.size, np.int64), [""] * columns.size
    for name, known in columns.texts.items():
        for text, column in known.items():
            owner[column], texts[column] = at[name], text
    for name, column in columns.numbers.items():
        owner[column] = -1 - at[name]  # below 0: a number, not a text
    return {"names": texts_tree(names), "owner": owner, "texts": texts_tree(texts)}


def columns_from(tree: Mapping[str, Any], size: int) -> Columns:
    """The vocabulary that `columns_tree` wrote."""
    names, texts, owner = texts_from(tree["names"]), texts_from(tree["texts"]), tree["owner"]
    fits = owner.dtype == np.int64 and owner.shape == (size,) and len(texts) == size
    if not fits or (size and not (-len(names) <= owner.min() and owner.max() < len(names))):
        raise Refused("this model has a vocabulary that does not fit its weights; open a saved model")
    made = Columns({}, {}, size)
    for column, (own, text) in enumerate(zip(owner.tolist(), texts, strict=True)):
        if own < 0:
            made.numbers[names[-1 - own]] = column
        else:
            made.texts.setdefault(names[own], {})[text] = column
    return made


__all__ = ["SequenceTagger"]
