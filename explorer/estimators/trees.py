"""Dependency trees of sentences: a head for every word.

    score(x, y) = sum over edges (h, d) of y of the weight of their hash,      weights shared by alike
    sentences

The problems are those of `structures.trees` (Pfahler 2015): an edge is described by the tags of both ends
and their
distance (its hash), sentences are compared by an input kernel. With kernel="none" there is one weight for
each hash;
with another kernel the weights are a sum over training sentences, so these belong to the model, as support
vectors
do. The best tree is found by the algorithm of Chu, Liu and Edmonds. Cost of a pass: all possible edges of all
sentences.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from explorer.engine.catalogue.oracle_names import oracle_named
from explorer.engine.catalogue.task import Parts
from explorer.engine.catalogue.trees import DUAL, INPUT_KERNELS, LOSSES, WRITTEN_OUT, TreeModel, dependency
from explorer.engine.contracts import Dataset
from explorer.engine.refusals import Refused
from explorer.engine.structures.trees.dual_problem import KernelTrees
from explorer.engine.structures.trees.edge_hashes import Atom, Atoms
from explorer.engine.structures.trees.layout import laid_out
from explorer.engine.structures.trees.oracles import TREE_ORACLES, Tables
from explorer.engine.structures.trees.problem import DependencyTrees
from explorer.engine.structures.trees.sentences import Sentence, sentence
from explorer.engine.vectors import Array, Ints
from explorer.estimators.fitting import AUTO, fit_weights, pricing_of
from explorer.estimators.frames import join_tables, table
from explorer.estimators.metrics import attachment_score
from explorer.estimators.models import arrays_of, save_model, texts_from, texts_tree
from explorer.estimators.weighted import with_weights

NONE = "none"
EDMONDS = "Chu-Liu/Edmonds"
LAYERS = ("words", "lemmas", "tags", "fine")


class DependencyParser(BaseEstimator):
    """One tree of heads for every sentence.

    X is a list of sentences; a sentence is a list of (word, tag) pairs, a list of dicts with `word`, `tag`
    and maybe
    `lemma` and `fine_tag`, or a `Sentence` of the engine. y is a list of lists of heads: the number of each
    word's head,
    counted from 1, or 0 for the root.

    Parameters
    ----------
    C : price of the mean slack, not of each slack: for the C of other programs give `C_per_example`.
    C_per_example : price of each sentence's slack, C divided by the number of sentences; instead of C.
    kernel : how sentences are compared: "bag of words", "polynomial", "subsequences", or "none" (all alike).
    layer : what is compared of both ends of an edge: "words", "lemmas", "tags" or "fine tags".
    distance : what is compared of an edge's direction and length: "none", "direction", "bucketed" or "exact".
    word_pairs : compare the words of both ends too.
    buckets : hash edges into this many buckets; 0 keeps all kinds of edges apart.
    loss : "attachment-error" (the share of wrong heads) or "wrong-heads" (their number).
    oracle, predictor : who finds the most violated tree in training and the best one afterwards.
    scaling, penalty : "margin" or "slack", "linear" or "squared"; see the objective in the README.
    learner : "auto" (chosen by what the problem offers), or a name that `explorer tasks --learners` lists; a
        kernel
        needs "one-slack".
    learner_settings : settings of that learner by name.
    tol, max_iter, max_seconds : stop at this relative gap, after this many passes, or after this many
        seconds (0: any).
    warm_start : a fit to the same data goes on from the last one, also with another C or loss.
    random_state : seed of the learner's random choices.
    n_jobs : threads; None or -1: one for each core. Results do not depend on it.

    Attributes
    ----------
    weights_, sentences_ (with a kernel), certificate_, trace_, n_iter_
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        C_per_example: float | None = None,
        kernel: str = "bag of words",
        layer: str = "tags",
        distance: str = "bucketed",
        word_pairs: bool = False,
        buckets: int = 0,
        loss: str = "attachment-error",
        oracle: str = EDMONDS,
        predictor: str = EDMONDS,
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
        self.kernel = kernel
        self.layer = layer
        self.distance = distance
        self.word_pairs = word_pairs
        self.buckets = buckets
        self.loss = loss
        self.oracle = oracle
        self.predictor = predictor
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

    def problem(self, X: Any, y: Any) -> DependencyTrees | KernelTrees:
        """The engine's problem for these data, to train or explore by other means."""
        inputs = sentences_of(X)
        if not inputs:
            raise Refused("there are no sentences; give at least one")
        return self._problem(inputs, [np.asarray(heads) for heads in y])

    def _problem(self, inputs: Sequence[Sentence], labels: Sequence[Any]) -> DependencyTrees | KernelTrees:
        for name, known in (("loss", LOSSES), ("kernel", INPUT_KERNELS)):
            if getattr(self, name) not in known:
                raise Refused(f"{name} is {getattr(self, name)!r}; choose one of {', '.join(known)}")
        form = WRITTEN_OUT if self.kernel == NONE else DUAL
        model = TreeModel(
            self.kernel, self.layer, self.distance, bool(self.word_pairs), int(self.buckets), form
        )
        oracles = oracle_named(self.oracle, TREE_ORACLES), oracle_named(self.predictor, TREE_ORACLES)
        data = Dataset("sentences", tuple(inputs), tuple(labels))
        return dependency(data, Parts(LOSSES[self.loss], pricing_of(self), *oracles, model))

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from sentences and their trees; weights of sentences need kernel="none"."""
        if sample_weight is not None and self.kernel != NONE:
            raise Refused(
                "weights of sentences need plain weights; set kernel='none', or leave sample_weight out"
            )
        problem = self.problem(X, y)
        fit_weights(self, *with_weights(problem, sample_weight))
        self._keep(problem)
        return self

    def _keep(self, problem: DependencyTrees | KernelTrees) -> None:
        """What prediction needs: the numbers of the hashes, or the problem on its training sentences."""
        if isinstance(problem, KernelTrees):
            self.sentences_: tuple[Sentence, ...] = problem.dataset.inputs
            self._basis: KernelTrees | None = problem
            self._atoms: Atoms | None = None
        else:
            assert problem.space is not None
            self.sentences_, self._basis, self._atoms = (), None, problem.space.atoms

    def _tables(self, inputs: Sequence[Sentence]) -> Tables:
        """The scores of all possible edges."""
        anything = [np.zeros(len(x), dtype=np.int64) for x in inputs]
        if self._basis is not None:
            return self._basis.on(Dataset("asked", tuple(inputs), tuple(anything))).tables(
                self.weights_, 0, len(inputs)
            )
        atoms = self._atoms
        assert atoms is not None
        return laid_out([atoms.of(x) for x in inputs], anything).tables(self.weights_)

    def predict(self, X: Any) -> list[Ints]:
        """The heads of every sentence; 0 is the root. Words and tags that were not seen in training weigh
        nothing."""
        check_is_fitted(self, "weights_")
        inputs = sentences_of(X)
        if not inputs:
            return []
        tables = self._tables(inputs)
        return np.split(oracle_named(self.predictor, TREE_ORACLES).best(tables), tables.places[1:-1])

    def decision_function(self, X: Any) -> list[Array]:
        """The score of every possible edge, as (m + 1, m) arrays: row h, column d - 1 is the edge from h to
        d."""
        check_is_fitted(self, "weights_")
        tables = self._tables(sentences_of(X))
        return [np.array(tables.one(i)) for i in range(tables.count)]

    def score(self, X: Any, y: Any) -> float:
        """The share of words with the right head (unlabelled attachment score)."""
        return attachment_score(y, [heads.tolist() for heads in self.predict(X)])

    def weights_frame(self) -> Any:
        """A pandas frame of all weights: kind (edge), feature (the hash in words), label (none), weight."""
        check_is_fitted(self, "weights_")
        if self._atoms is None:
            raise Refused(
                "with a kernel there are coefficients of sentences, not weights; set kernel='none' for a "
                "frame"
            )
        return join_tables([table("edge", self._atoms.names, [""], self.weights_)])

    def save(self, path: Any) -> None:
        """Write the fitted model to a file that `explorer.estimators.load` reads; with a kernel the training
        sentences
        (not their trees) are part of it.
        """
        save_model(self, path)

    def _model(self) -> dict[str, Any]:
        """What a model file holds beside the parameters."""
        model: dict[str, Any] = {"weights": self.weights_}
        if self._atoms is not None:
            known = list(self._atoms.known)
            numbers = np.array([(f, far, head is None) for f, head, _, far in known], dtype=np.int64).reshape(
                -1, 3
            )
            heads, dependents = [atom[1] or "" for atom in known], [atom[2] or "" for atom in known]
            return model | {
                "numbers": numbers,
                "heads": texts_tree(heads),
                "dependents": texts_tree(dependents),
            }
        flat = {name: [text for x in self.sentences_ for text in getattr(x, name)] for name in LAYERS}
        lengths = np.array([len(x) for x in self.sentences_], dtype=np.int64)
        return model | {"lengths": lengths} | {name: texts_tree(texts) for name, texts in flat.items()}

    def _restore(self, model: Mapping[str, Any]) -> None:
        if self.kernel == NONE:
            self._restore_atoms(model)
        else:
            self._restore_sentences(model)

    def _restore_atoms(self, model: Mapping[str, Any]) -> None:
        heads, dependents, numbers = (
            texts_from(model["heads"]),
            texts_from(model["dependents"]),
            model["numbers"],
        )
        if numbers.dtype != np.int64 or numbers.shape != (len(heads), 3) or len(dependents) != len(heads):
            raise Refused("this model has edges that do not fit each other; open a saved model")
        found: dict[Atom, int] = {
            (f, None if root else h, d, far): at
            for at, ((f, far, root), h, d) in enumerate(zip(numbers.tolist(), heads, dependents, strict=True))
        }
        hashes = self._problem([sentence(["a"], ["a"])], [np.zeros(1, np.int64)]).hashes
        self._atoms, self._basis, self.sentences_ = Atoms(hashes, int(self.buckets), found), None, ()
        (self.weights_,) = arrays_of(model, weights=(self._atoms.size,))

    def _restore_sentences(self, model: Mapping[str, Any]) -> None:
        lengths, layers = model["lengths"], [texts_from(model[name]) for name in LAYERS]
        ends = np.cumsum(lengths)
        fits = lengths.dtype == np.int64 and lengths.ndim == 1 and len(lengths) and lengths.min() > 0
        if not fits or any(len(texts) != int(ends[-1]) for texts in layers):
            raise Refused("this model has sentences that do not fit each other; open a saved model")
        cuts = [slice(int(b - m), int(b)) for m, b in zip(lengths, ends, strict=True)]
        made = [Sentence(*(tuple(texts[cut]) for texts in layers)) for cut in cuts]
        problem = self._problem(made, [np.zeros(len(x), dtype=np.int64) for x in made])
        self._keep(problem)
        (self.weights_,) = arrays_of(model, weights=(problem.dim,))


def sentences_of(X: Any) -> list[Sentence]:
    """Sentences in any of the forms in which they may be given."""
    if isinstance(X, str | Sentence | Mapping) or not hasattr(X, "__len__"):
        raise Refused(f"X is a {type(X).__name__}; give a list of sentences")
    return [_sentence(x, i) for i, x in enumerate(X)]


def _sentence(x: Any, i: int) -> Sentence:
    if isinstance(x, Sentence):
        return x
    try:
        if x and all(isinstance(token, Mapping) for token in x):
            layers = {"lemmas": "lemma", "fine": "fine_tag"}
            more = {to: [token[name] for token in x] for to, name in layers.items() if name in x[0]}
            return sentence([token["word"] for token in x], [token["tag"] for token in x], **more)
        words, tags = zip(*x, strict=True)
        return sentence(words, tags)
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, Refused):
            raise
        raise Refused(
            f"sentence {i} is no list of (word, tag) pairs, nor of dicts with word and tag; give one"
        ) from None


__all__ = ["DependencyParser"]
