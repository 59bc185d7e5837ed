"""Stage 1: a linear classifier of two classes, with no more hooks than are needed.

    explorer hooks learn --m binary1.py -c 1e3 -w 2 train.dat model.zip
    explorer hooks classify --m binary1.py test.dat model.zip predictions

An example is a line `label index:value index:value ...` with a label of 1 or -1. Psi(x, y) = y x.
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
                examples.append(([(int(index), float(value)) for index, value in pairs], int(label)))
    return examples


def init_model(sample, sm, sparm):
    """The number of weights: one more than the largest index."""
    sm.size_psi = 1 + max(index for x, y in sample for index, value in x)


def psi(x, y, sm, sparm):
    """The features of an input together with a label."""
    return svmapi.Sparse([(index, y * value) for index, value in x])


def loss(y, ybar, sparm):
    """1 where the labels differ; the default, written out."""
    return 1 if y != ybar else 0


def score(x, sm):
    """<w, x>; no hook, but of use to those below."""
    return sum(sm.w[index] * value for index, value in x if index < len(sm.w))


def classify_example(x, sm, sparm):
    """The label with the higher <w, Psi(x, y)>."""
    return 1 if score(x, sm) >= 0 else -1


def find_most_violated_constraint(x, y, sm, sparm):
    """The most tempting label: the same whether the loss scales the margin or the slack."""
    return 1 if 2 * score(x, sm) >= y else -1
