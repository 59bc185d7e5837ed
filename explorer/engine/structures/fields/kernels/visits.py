"""Whole passes over fields in compiled code: oracle, feature difference, steps on the example's own cuts, new
w.

As `chain_visits`, for graphs: one visit scores the nodes and edges of example i at the newest w
(`field_features`), asks the oracle for the most violated labelling (`field_decoders`), and takes steps of the
dual between the labellings that the example holds (`block_steps`). Cost of a visit: O(entries columns + e
K^2), the oracle, then O(m + e) for each cached cut.
"""

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.dual.block_steps import settle
from explorer.engine.dual.slots import Own, forget, join_cut, own, room
from explorer.engine.structures.fields.kernels.decoders import decode
from explorer.engine.structures.fields.kernels.features import (
    FieldCorpus,
    Local,
    add_difference,
    add_features,
    clear,
    coefficient_score,
    labelling_loss,
    labelling_score,
    of_size,
    parts,
    room_for,
    score_field,
    true_score,
)
from explorer.engine.vectors import Array, Ints
from explorer.engine.visits import Cache, Log, Plan


@compiled
def gram_column(
    corpus: FieldCorpus, i: int, mine: Own, held: int, q: int, W: Array, P: Array, local: Local
) -> None:
    """Products of cut q of example i with itself and with every older one.

    The newer cut's features are written into the blank weights (W, P); scored at those weights, any
    labelling's difference to the truth is its product with them.
    """
    clear(local)
    add_difference(corpus, i, mine.labels[q], 1.0, local)
    add_features(corpus, i, local, W, P)
    score_field(corpus, i, W, P, local)
    for r in range(held):
        if mine.ids[r] <= mine.ids[q]:
            product = coefficient_score(corpus, i, mine.labels[r], local)
            mine.gram[q, r] = product
            mine.gram[r, q] = product
    _wipe(corpus, i, W, P, local)
    clear(local)


@compiled
def _wipe(corpus: FieldCorpus, i: int, W: Array, P: Array, local: Local) -> None:
    """Set to 0 whatever features of field i may have touched."""
    if corpus.shared:
        lo, hi = corpus.start[i], corpus.start[i + 1]
    else:
        lo, hi = corpus.start[corpus.nodes[i]], corpus.start[corpus.nodes[i + 1]]
    for at in range(lo, hi):
        W[corpus.column[at], :] = 0.0
    if corpus.marks.shape[1] == 0:
        for e in range(corpus.edges[i], corpus.edges[i + 1]):
            P[corpus.table[e], :] = 0.0
    else:
        P[:] = 0.0


@compiled
def violations(
    corpus: FieldCorpus, i: int, mine: Own, held: int, local: Local, truth: float, g: Array
) -> float:
    """Fill g with the violations of the cached cuts of field i; returns the largest, at least 0."""
    top = 0.0
    for q in range(held):
        g[q] = mine.size[q] - (truth - labelling_score(corpus, i, local, mine.labels[q]))
        top = max(top, g[q])
    return float(top)


@compiled
def visit_fields(
    corpus: FieldCorpus, order: Ints, w: Array, columns: int, cache: Cache, plan: Plan, log: Log, born: int
) -> int:
    """Visit the examples in this order, moving w; returns how many cuts were found."""
    # w and a blank vector of its size, seen as node weights W and pair weights P.
    W, P = parts(corpus, w, columns)
    blank_W, blank_P = parts(corpus, cache.scratch, columns)
    whole = room_for(corpus, order)
    g, moved = np.empty(cache.most), np.empty(cache.most)
    found, written = 0, 0
    for i in order:
        m, edges = corpus.nodes[i + 1] - corpus.nodes[i], corpus.edges[i + 1] - corpus.edges[i]
        # This field's part of the room that the largest one needs.
        local = of_size(whole, m, edges)
        length = len(local.numbers)
        # Without the oracle there is nothing to do where there is no cut.
        if not plan.exact and cache.held[i] == 0:
            cache.gaps[i] = 0.0
            continue
        # Scores at the newest w, and how much the cuts at hand are violated there.
        score_field(corpus, i, W, P, local)
        truth_score = true_score(corpus, i, local)
        mine = own(cache, i)
        top = violations(corpus, i, mine, cache.held[i], local, truth_score, g)
        worst = top
        if plan.exact:
            # Ask the oracle on the scores with the loss added.
            ends = corpus.ends[corpus.edges[i] : corpus.edges[i + 1]]
            decode(corpus.oracle, corpus.effort, local.raised, ends, local.pair, local.numbers)
            loss = labelling_loss(corpus, i, m, local.numbers)
            H = loss - (truth_score - labelling_score(corpus, i, local, local.numbers))
            worst = max(top, H)
            # Its answer joins only if it is violated more than every cut at hand, by more than rounding.
            if top + 1e-9 * max(loss, top) < H and room(cache, i):
                # A slot of the cache, without mass yet; then a line of the log.
                mine = own(cache, i)
                q = join_cut(cache, i, mine, loss, born + found)
                mine.labels[q] = local.numbers
                log.owner[found], log.size[found] = i, loss
                log.labels[written : written + length] = local.numbers
                found, written = found + 1, written + length
                gram_column(corpus, i, mine, q + 1, q, blank_W, blank_P, local)
                # Room may have been made by dropping a cut, and the Gram matrix needed the scores' place.
                score_field(corpus, i, W, P, local)
                violations(corpus, i, mine, q + 1, local, truth_score, g)
        # The block's gap at this w, before anything moves: cap * worst - sum of alpha g.
        held = cache.held[i]
        cache.worst[i] = worst
        cache.gaps[i] = plan.cap * worst
        for q in range(held):
            cache.gaps[i] -= mine.alpha[q] * g[q]
        # Steps of the dual between the cuts at hand, and w with them; then forget what is idle.
        settle(plan, held, g, mine.gram, mine.alpha, moved)
        apply_moves(corpus, i, mine, moved[:held], local, W, P)
        if plan.exact:
            forget(cache, i, mine, plan.keep)
    return found


@compiled
def apply_moves(
    corpus: FieldCorpus, i: int, mine: Own, moved: Array, local: Local, W: Array, P: Array
) -> None:
    """w += sum_q moved_q a_q, the coefficients of all moves gathered first."""
    any_move = False
    for q in range(len(moved)):
        if moved[q] != 0.0:
            any_move = True
            add_difference(corpus, i, mine.labels[q], moved[q], local)
    if any_move:
        add_features(corpus, i, local, W, P)
        clear(local)


@compiled
def worst_of_fields(corpus: FieldCorpus, lo: int, hi: int, w: Array, columns: int, out: Array) -> None:
    """The violation of the oracle's labelling of each of the fields lo .. hi, all at this w."""
    W, P = parts(corpus, w, columns)
    whole = room_for(corpus, np.arange(lo, hi))
    for i in range(lo, hi):
        m, edges = corpus.nodes[i + 1] - corpus.nodes[i], corpus.edges[i + 1] - corpus.edges[i]
        local = of_size(whole, m, edges)
        score_field(corpus, i, W, P, local)
        ends = corpus.ends[corpus.edges[i] : corpus.edges[i + 1]]
        decode(corpus.oracle, corpus.effort, local.raised, ends, local.pair, local.numbers)
        loss = labelling_loss(corpus, i, m, local.numbers)
        out[i] = loss - coefficient_score(corpus, i, local.numbers, local)


@compiled
def rebuild_fields(corpus: FieldCorpus, columns: int, cache: Cache, w: Array) -> None:
    """Price every cached labelling again (loss and Gram matrix), and add up w = sum of alpha a."""
    W, P = parts(corpus, w, columns)
    blank_W, blank_P = parts(corpus, cache.scratch, columns)
    whole = room_for(corpus, np.arange(len(cache.held)))
    for i in range(len(cache.held)):
        m, edges = corpus.nodes[i + 1] - corpus.nodes[i], corpus.edges[i + 1] - corpus.edges[i]
        local = of_size(whole, m, edges)
        mine = own(cache, i)
        for q in range(cache.held[i]):
            mine.size[q] = labelling_loss(corpus, i, m, mine.labels[q])
            gram_column(corpus, i, mine, cache.held[i], q, blank_W, blank_P, local)
            if mine.alpha[q] != 0.0:
                add_difference(corpus, i, mine.labels[q], mine.alpha[q], local)
                add_features(corpus, i, local, W, P)
                clear(local)
