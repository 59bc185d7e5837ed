"""Stage 2: the same classifier says more: training loss, precision and recall, and predictions as + and -.

explorer hooks learn --m binary2.py -c 1e3 -w 2 train.dat model.zip
explorer hooks classify --m binary2.py test.dat model.zip predictions
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


def print_learning_stats(sample, sm, cset, alpha, sparm):
    """Once, when learning is over: the mean loss on the training examples."""
    total = sum(loss(y, classify_example(x, sm, sparm), sparm) for x, y in sample)
    print("Average loss on train set is", total / len(sample))


def eval_prediction(exnum, example, ypred, sm, sparm, teststats):
    """After each prediction: what is returned here is given to the next call."""
    false_negatives, false_positives, true_positives = teststats or (0, 0, 0)
    y = example[1]
    if y == 1 and ypred == 1:
        true_positives += 1
    elif y == 1:
        false_negatives += 1
    elif y == -1 and ypred == 1:
        false_positives += 1
    return false_negatives, false_positives, true_positives


def print_testing_stats(sample, sm, sparm, teststats):
    """Once, when all examples are predicted."""
    false_negatives, false_positives, true_positives = teststats
    print(f"Recall is {share(true_positives, false_negatives):g}")
    print(f"Precision is {share(true_positives, false_positives):g}")


def share(part, rest):
    """part / (part + rest); 1 where there is nothing to divide by."""
    return part / (part + rest) if part + rest else 1.0


def write_label(fileptr, y):
    """One character for each prediction, without line breaks."""
    fileptr.write("+" if y == 1 else "-")
