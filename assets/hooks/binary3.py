"""Stage 3: a constant feature, and constraints of our own that keep all other weights positive.

    explorer hooks learn --m binary3.py -c 1e5 train.dat model.zip

For every word k: 100 w_k >= 1 - xi, with one slack xi for all of them. It is not one of the examples'
slacks, so its number comes after theirs. More than 100 would bring the weights nearer to 0, and make the
program harder.
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
                features = [(0, 1.0)] + [(int(index), float(value)) for index, value in pairs]
                examples.append((features, int(label)))
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


def init_constraints(sample, sm, sparm):
    """Before the first pass: pairs of a document and the number that <w, document> + slack must reach."""
    return [
        (svmapi.Document([svmapi.Sparse([(k, 100.0)])], slackid=len(sample) + 1), 1.0)
        for k in range(1, sm.size_psi)
    ]


def print_learning_stats(sample, sm, cset, alpha, sparm):
    """What the constraints have done."""
    low, high = min(sm.w[1:]), max(sm.w[1:])
    print(f"Range of sm.w: {low:g} to {high:g}, with bias feature {sm.w[0]:g}")
