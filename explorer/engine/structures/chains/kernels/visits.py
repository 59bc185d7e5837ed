"""Whole passes over chains in compiled code: oracle, feature difference, steps on the example's own cuts, new
w.

One visit of example i scores its positions with the newest w, decodes the most violated labelling (Viterbi;
the loss is a sum over positions), and takes steps of the dual between the labellings that the example holds
(see `block_steps`). Nothing but labellings is stored: with the scores at hand the violation of a cached
labelling costs O(T), and its features are made again from the rows whenever w moves. Without the oracle a
visit takes steps between the cached cuts alone, or asks for the best labelling made of states seen before
(`seen_states`). A labelling of one position is a class: multiclass problems are chains of length 1 without
transitions. Cost of a visit: O(entries K + T K^2), then O(T) for each cached cut.
"""

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.dual.block_steps import settle
from explorer.engine.dual.slots import Own, forget, join_cut, own, room
from explorer.engine.structures.chains.kernels.cuts import Corpus, Views, add_cut, gram_column, parts
from explorer.engine.structures.chains.kernels.seen_states import best_listed, list_states, score_listed
from explorer.engine.structures.chains.kernels.viterbi import best_last, best_previous, max_step
from explorer.engine.vectors import Array, Ints
from explorer.engine.visits import Cache, Labels, Log, Plan


@compiled
def score_rows(corpus: Corpus, first: int, length: int, emissions: Array, unary: Array) -> None:
    """unary[t] = x_t W for the rows of one chain."""
    states = emissions.shape[1]
    for t in range(length):
        for s in range(states):
            unary[t, s] = 0.0
        for e in range(corpus.start[first + t], corpus.start[first + t + 1]):
            x, f = corpus.value[e], corpus.column[e]
            for s in range(states):
                unary[t, s] += x * emissions[f, s]


@compiled
def path_score(unary: Array, views: Views, paths: Labels, q: int) -> float:
    """The score of row q of some labellings, given the scores of its positions."""
    length, before = paths.shape[1], paths[q, 0]
    total = views.begin[before] + views.end[paths[q, length - 1]] + unary[0, before]
    for t in range(1, length):
        state = paths[q, t]
        total += unary[t, state] + views.trans[before, state]
        before = state
    return float(total)


@compiled
def path_loss(corpus: Corpus, i: int, path: Labels) -> float:
    """The loss of a labelling of chain i."""
    total = 0.0
    for t in range(len(path)):
        total += corpus.cost[corpus.truth[corpus.offsets[i] + t], path[t]]
    return float(corpus.factor[i] * total)


@compiled
def prefixes(corpus: Corpus, i: int, unary: Array, views: Views, chi: Array) -> None:
    """Viterbi's forward pass on the scores plus the loss of chain i."""
    first, length = corpus.offsets[i], corpus.offsets[i + 1] - corpus.offsets[i]
    states, factor = unary.shape[1], corpus.factor[i]
    for t in range(length):
        if t > 0:
            max_step(chi[t - 1], views.trans, chi[t])
        before = chi[t] if t > 0 else views.begin
        for s in range(states):
            chi[t, s] = before[s] + unary[t, s] + factor * corpus.cost[corpus.truth[first + t], s]


@compiled
def most_violated(corpus: Corpus, i: int, unary: Array, views: Views, chi: Array, path: Labels) -> None:
    """The labelling of chain i with the largest score plus loss; ties go to the smaller state."""
    length = len(path)
    prefixes(corpus, i, unary, views, chi)
    y = best_last(chi[length - 1], views.end)
    path[length - 1] = y
    for t in range(length - 1, 0, -1):
        y = best_previous(chi[t - 1], views.trans, y)
        path[t - 1] = y


@compiled
def visit_chains(
    corpus: Corpus, order: Ints, w: Array, features: int, cache: Cache, plan: Plan, log: Log, born: int
) -> int:
    """Visit the examples in this order, moving w; returns how many cuts were found."""
    states = corpus.cost.shape[0]
    # w and a blank vector of its size, seen as emissions, transitions and ends.
    views = parts(w, features, states, corpus.ends)
    blank = parts(cache.scratch, features, states, corpus.ends)
    # Room to work in, for the longest chain of the pass.
    longest = 0
    for i in order:
        longest = max(longest, corpus.offsets[i + 1] - corpus.offsets[i])
    unary, chi = np.empty((longest, states)), np.empty((longest, states))
    change, found_path = np.zeros((longest, states)), np.empty(longest, np.int32)
    known = np.empty((longest, states))
    listed, count = np.empty((longest, states), np.int64), np.empty(longest, np.int64)
    g, moved = np.empty(cache.most), np.empty(cache.most)
    recombine = plan.recombine and not plan.exact and len(cache.seen) > 0
    found, written = 0, 0
    for i in order:
        offset, length = corpus.offsets[i], corpus.offsets[i + 1] - corpus.offsets[i]
        # Without the oracle there is nothing to do where there is no cut.
        if not plan.exact and cache.held[i] == 0:
            cache.gaps[i] = 0.0
            continue
        # Score the positions at the newest w: every state, or only those seen before.
        if recombine:
            list_states(
                corpus.truth[offset : offset + length], cache.seen[offset : offset + length], listed, count
            )
            rows = corpus.start[offset : offset + length + 1]
            score_listed(rows, corpus.column, corpus.value, views.emissions, listed, count, unary)
        else:
            score_rows(corpus, offset, length, views.emissions, unary)
        truth_score = true_score(corpus, i, unary, views)
        # How much the cuts at hand are violated there.
        mine = own(cache, i)
        top = violations(mine, cache.held[i], unary, views, truth_score, g)
        worst = top
        # Ask for the most violated labelling: of all, or of those made of states seen before.
        if plan.exact or recombine:
            path = found_path[:length]
            if plan.exact:
                most_violated(corpus, i, unary, views, chi, path)
            else:
                most_violated_listed(corpus, i, unary, views, chi, listed[:length], count, path)
            loss = path_loss(corpus, i, path)
            H = loss - (truth_score - path_score(unary, views, path.reshape((1, length)), 0))
            worst = max(top, H)
            # It joins only if it is violated more than every cut at hand, by more than rounding.
            if top + 1e-9 * max(loss, top) < H and room(cache, i):
                # A slot of the cache, without mass yet; then a line of the log.
                mine = own(cache, i)
                q = join_cut(cache, i, mine, loss, born + found)
                mine.labels[q] = path
                gram_column(corpus, i, mine, q + 1, q, blank, known)
                log.owner[found], log.size[found] = i, loss
                log.labels[written : written + length] = path
                found, written = found + 1, written + length
                # Room may have been made by dropping a cut, so every slot is looked at again.
                violations(mine, q + 1, unary, views, truth_score, g)
        # The block's gap at this w, before anything moves: cap * worst - sum of alpha g.
        m = cache.held[i]
        cache.worst[i] = worst
        cache.gaps[i] = plan.cap * worst
        for q in range(m):
            cache.gaps[i] -= mine.alpha[q] * g[q]
        # Steps of the dual between the cuts at hand, and w with them.
        settle(plan, m, g, mine.gram, mine.alpha, moved)
        apply_moves(corpus, i, mine, moved[:m], views, change)
        if plan.exact:
            # What the oracle named may be recombined later; a cut long without mass is dropped.
            mark_seen(cache, offset, found_path[:length])
            forget(cache, i, mine, plan.keep)
    return found


@compiled
def most_violated_listed(
    corpus: Corpus, i: int, unary: Array, views: Views, cost: Array, listed: Ints, count: Ints, path: Labels
) -> None:
    """The labelling of chain i, made of listed states, with the largest score plus loss; `cost` is room to
    work in.
    """
    first = corpus.offsets[i]
    for t in range(len(path)):
        for s in range(cost.shape[1]):
            cost[t, s] = corpus.factor[i] * corpus.cost[corpus.truth[first + t], s]
    best_listed(unary, cost, views.trans, views.begin, views.end, listed, count, path)


@compiled
def mark_seen(cache: Cache, offset: int, path: Labels) -> None:
    """Remember the states of a labelling of the chain that begins at `offset`."""
    if len(cache.seen) > 0:
        for t in range(len(path)):
            cache.seen[offset + t, path[t]] = True


@compiled
def worst_of_chains(corpus: Corpus, lo: int, hi: int, w: Array, features: int, out: Array) -> None:
    """The largest violation of any labelling of each of the chains lo .. hi, all at this w."""
    states = corpus.cost.shape[0]
    views = parts(w, features, states, corpus.ends)
    longest = 0
    for i in range(lo, hi):
        longest = max(longest, corpus.offsets[i + 1] - corpus.offsets[i])
    unary, chi = np.empty((longest, states)), np.empty((longest, states))
    for i in range(lo, hi):
        length = corpus.offsets[i + 1] - corpus.offsets[i]
        score_rows(corpus, corpus.offsets[i], length, views.emissions, unary)
        prefixes(corpus, i, unary, views, chi)
        out[i] = np.max(chi[length - 1] + views.end) - true_score(corpus, i, unary, views)


@compiled
def true_score(corpus: Corpus, i: int, unary: Array, views: Views) -> float:
    """The score of the true labelling of chain i."""
    first, last = corpus.offsets[i], corpus.offsets[i + 1] - 1
    total = views.begin[corpus.truth[first]] + views.end[corpus.truth[last]] + unary[0, corpus.truth[first]]
    for t in range(1, last - first + 1):
        a, b = corpus.truth[first + t - 1], corpus.truth[first + t]
        total += unary[t, b] + views.trans[a, b]
    return float(total)


@compiled
def violations(mine: Own, held: int, unary: Array, views: Views, truth: float, g: Array) -> float:
    """Fill g with the violations of a chain's cached cuts; returns the largest, at least 0."""
    top = 0.0
    for q in range(held):
        g[q] = mine.size[q] - (truth - path_score(unary, views, mine.labels, q))
        top = max(top, g[q])
    return float(top)


@compiled
def apply_moves(corpus: Corpus, i: int, mine: Own, moved: Array, views: Views, change: Array) -> None:
    """w += sum_q moved_q a_q, each position's changes gathered first so that its row is read once for each
    state.
    """
    first, length = corpus.offsets[i], corpus.offsets[i + 1] - corpus.offsets[i]
    any_move = False
    # Transitions and ends change at once; changes of a position's states are gathered.
    for q in range(len(moved)):
        by = moved[q]
        if by == 0.0:
            continue
        any_move = True
        path = mine.labels[q]
        for t in range(length):
            a, b = corpus.truth[first + t], path[t]
            if a != b:
                change[t, a] += by
                change[t, b] -= by
            if t > 0 and (a != b or corpus.truth[first + t - 1] != path[t - 1]):
                views.trans[corpus.truth[first + t - 1], a] += by
                views.trans[path[t - 1], b] -= by
        if corpus.ends:
            views.begin[corpus.truth[first]] += by
            views.begin[path[0]] -= by
            views.end[corpus.truth[first + length - 1]] += by
            views.end[path[length - 1]] -= by
    # Each state whose net change is not 0 then takes the position's row once.
    if any_move:
        for t in range(length):
            for s in range(change.shape[1]):
                if change[t, s] != 0.0:
                    by = change[t, s]
                    change[t, s] = 0.0
                    for e in range(corpus.start[first + t], corpus.start[first + t + 1]):
                        views.emissions[corpus.column[e], s] += by * corpus.value[e]


@compiled
def rebuild_chains(corpus: Corpus, features: int, cache: Cache, w: Array) -> None:
    """Price every cached labelling again (loss and Gram matrix), and add up w = sum of alpha a."""
    states = corpus.cost.shape[0]
    views = parts(w, features, states, corpus.ends)
    blank = parts(cache.scratch, features, states, corpus.ends)
    known = np.empty((np.max(cache.length), states))
    for i in range(len(cache.held)):
        mine = own(cache, i)
        for q in range(cache.held[i]):
            path = mine.labels[q]
            mine.size[q] = path_loss(corpus, i, path)
            mark_seen(cache, corpus.offsets[i], path)
            gram_column(corpus, i, mine, cache.held[i], q, blank, known)
            if mine.alpha[q] != 0.0:
                add_cut(corpus, i, path, mine.alpha[q], views)
