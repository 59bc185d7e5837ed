"""Stage 4: any kernel. Inputs are vectors of svmapi, the label is a factor behind the kernel, and the
model scores.

explorer hooks learn --m binary4.py -c 10 -t 2 -g 0.5 train.dat model.zip
"""

import svmapi

oracle_is_exact = True  # a claim of ours: with it a gap is called a certificate, and the run is watched


def read_examples(filename, sparm):
    """All lines of a file as pairs of features and label."""
    examples = []
    with open(filename, encoding="utf-8") as lines:
        for line in lines:
            label, *words = line.partition("#")[0].split() or [None]
            if label is not None:
                pairs = (word.split(":") for word in words)
                x = svmapi.Sparse((int(index), float(value)) for index, value in pairs)
                examples.append((x, int(label)))
    return examples


def init_model(sample, sm, sparm):
    """The number of weights: one more than the largest index."""
    sm.size_psi = 1 + max(index for x, y in sample for index, value in x)


def psi(x, y, sm, sparm):
    """The features of an input together with a label."""
    return svmapi.Sparse(x, factor=y)


def loss(y, ybar, sparm):
    """1 where the labels differ; the default, written out."""
    return 1 if y != ybar else 0


def score(x, sm):
    """<w, x> under the kernel."""
    return sm.svm_model.classify(x)


def classify_example(x, sm, sparm):
    """The label with the higher <w, Psi(x, y)>."""
    return 1 if score(x, sm) >= 0 else -1


def find_most_violated_constraint(x, y, sm, sparm):
    """The most tempting label: the same whether the loss scales the margin or the slack."""
    return 1 if 2 * score(x, sm) >= y else -1
