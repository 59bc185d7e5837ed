"""Inner products of planes whose atoms are matched under an input kernel, naive and by index.

    <a, b> = sum_p sum_q a_p b_q 1[atom_p = atom_q] K[sentence_p, sentence_q]

A vector lies over positions p, one for each sentence and each atom that an edge of it can have; positions are
sorted by sentence. Pfahler 2015, section 4.4.2:

    pair_product     Algorithm 4: every symbol of one sentence against every symbol of the other
    count_product    Algorithm 5: the symbols of one sentence counted once, then looked up
    index_product    Algorithm 7: only sentences that share an atom meet
    lift             Algorithm 7 for all positions at once: g = the vector with <a, b> = g . b for every b
    lift_pairs       the same without an index

An index (Algorithm 6) says where the entries of each atom begin, their sentences and their values; zeros are
left out. All products are exact; they differ in look-ups of K, which the products return. Sums over an atom
run in the order of its sentences, so a result does not depend on how the work is shared out. Cost: n^2 s^2,
n^2 s, and the sum over atoms of the product of both posting lists' lengths.
"""

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.vectors import Array, Ints


@compiled
def pair_product(
    K: Array, ends: Ints, atom: Ints, value: Array, ends2: Ints, atom2: Ints, value2: Array
) -> tuple[float, int]:
    """<a, b> and the look-ups of K; the entries of sentence i are ends[i] .. ends[i + 1] - 1, and likewise of
    b.
    """
    total, looked = 0.0, 0
    for i in range(len(ends) - 1):
        for j in range(len(ends2) - 1):
            looked += 1
            met = 0.0
            for p in range(ends[i], ends[i + 1]):
                for q in range(ends2[j], ends2[j + 1]):
                    if atom[p] == atom2[q]:
                        met += value[p] * value2[q]
            total += K[i, j] * met
    return total, looked


@compiled
def symbol_product(
    K: Array, places: Ints, truth: Ints, left: Ints, right: Ints, width: int
) -> tuple[float, int]:
    """Algorithm 4 on the symbols themselves: sum_ij K_ij (k(y, y') - k(y, r) - k(l, y') + k(l, r)), and the
    look-ups.

    Token t has the symbols [t * width, (t + 1) * width) in the truth, in the left and in the right plane's
    labelling.
    """
    total, looked = 0.0, 0
    for i in range(len(places) - 1):
        for j in range(len(places) - 1):
            looked += 1
            same = 0
            for p in range(places[i] * width, places[i + 1] * width):
                for q in range(places[j] * width, places[j + 1] * width):
                    same += truth[p] == truth[q]
                    same -= truth[p] == right[q]
                    same -= left[p] == truth[q]
                    same += left[p] == right[q]
            total += K[i, j] * same
    return total, looked


@compiled
def count_product(
    K: Array, ends: Ints, atom: Ints, value: Array, ends2: Ints, atom2: Ints, value2: Array, atoms: int
) -> tuple[float, int]:
    """<a, b> and the look-ups of K, with a table of counts for each sentence of a."""
    total, looked, table = 0.0, 0, np.zeros(atoms)
    for i in range(len(ends) - 1):
        for p in range(ends[i], ends[i + 1]):
            table[atom[p]] += value[p]
        for j in range(len(ends2) - 1):
            looked += 1
            met = 0.0
            for q in range(ends2[j], ends2[j + 1]):
                met += value2[q] * table[atom2[q]]
            total += K[i, j] * met
        for p in range(ends[i], ends[i + 1]):
            table[atom[p]] = 0.0
    return total, looked


@compiled
def index_product(
    K: Array, at: Ints, who: Ints, value: Array, at2: Ints, who2: Ints, value2: Array
) -> tuple[float, int]:
    """<a, b> from the indices of both, and the look-ups of K."""
    total, looked = 0.0, 0
    for h in range(len(at) - 1):
        if at2[h] < at2[h + 1]:
            for p in range(at[h], at[h + 1]):
                total += value[p] * gather(K[who[p]], who2, value2, at2[h], at2[h + 1])
            looked += (at[h + 1] - at[h]) * (at2[h + 1] - at2[h])
    return total, looked


@compiled
def lift(
    K: Array, at: Ints, who: Ints, value: Array, sentence: Ints, atom: Ints, lo: int, hi: int, out: Array
) -> None:
    """For positions lo .. hi - 1, of K's rows: what the indexed vector weighs their atom with; 0 where an
    atom is unknown.
    """
    for q in range(lo, hi):
        h = atom[q]
        out[q] = gather(K[sentence[q]], who, value, at[h], at[h + 1]) if h >= 0 else 0.0


@compiled
def gather(row: Array, who: Ints, value: Array, lo: int, hi: int) -> float:
    """sum over lo .. hi - 1 of value row[who]; four sums at a time, since each addition waits for the one
    before.
    """
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    p = lo
    while p + 4 <= hi:
        a += value[p] * row[who[p]]
        b += value[p + 1] * row[who[p + 1]]
        c += value[p + 2] * row[who[p + 2]]
        d += value[p + 3] * row[who[p + 3]]
        p += 4
    if p < hi:
        a += value[p] * row[who[p]]
    if p + 1 < hi:
        b += value[p + 1] * row[who[p + 1]]
    if p + 2 < hi:
        c += value[p + 2] * row[who[p + 2]]
    return (a + b) + (c + d)


@compiled
def lift_pairs(
    K: Array, who: Ints, own: Ints, value: Array, sentence: Ints, atom: Ints, lo: int, hi: int, out: Array
) -> None:
    """The same, to the last bit, by comparing every position with every entry (sentence `who`, atom `own`,
    value).
    """
    sums = np.zeros(4)
    for q in range(lo, hi):
        sums[:] = 0.0
        met, i, h = 0, sentence[q], atom[q]
        for p in range(len(who)):
            if own[p] == h:
                sums[met & 3] += value[p] * K[i, who[p]]
                met += 1
        out[q] = (sums[0] + sums[1]) + (sums[2] + sums[3])
