"""The oracle's linear program folded into training: one quadratic program instead of cutting planes.

For field i let mu range over the local polytope L_i (shares of states and of pairs of states that agree with
each other), M_i mu its features and l_i . mu its loss. Training with a relaxed oracle is

    min_w  1/2 |w|^2 + C/n sum_i ( max_{mu in L_i} (M_i' w + l_i) . mu  -  w . Psi(x_i, y_i) )

`train_as_one_program` replaces each inner maximum over L_i = {A mu = b, mu >= 0} by the dual of its linear
program,

    min_y  b . y    s.t.    A' y >= M_i' w + l_i

so that everything is one minimisation (Taskar, Guestrin and Koller 2003; Finley 2009, section 2.2).
`markov_network` solves the other side, the max-margin Markov network's dual over shares:

    max_{mu_i in L_i}  C/n sum_i l_i . mu_i  -  1/2 |w|^2,      w = C/n sum_i (Psi(x_i, y_i) - M_i mu_i)

On forests L_i holds nothing but mixtures of labellings, and both are the exact problem; with cycles they are
"relaxed". Cost: a program with K per node and K^2 per edge, so for small problems; the cutting plane needs
none of it.
"""

from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
from scipy import sparse as sp

from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, dense

LARGEST = 20_000
"""Shares of all examples together: more make a program that nobody waits for."""


@dataclass(frozen=True, slots=True, eq=False)
class Folded:
    """The weights, the objective that they reach (of the relaxed problem where `kind` is "relaxed"), and the
    kind.
    """

    w: Array
    value: float
    kind: str


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """One example: features M (shares x dim) and losses of single shares, features of the truth, and A mu =
    b, mu >= 0.
    """

    M: Array
    losses: Array
    truth: Array
    A: Any
    b: Array


def train_as_one_program(problem: Any, C: float) -> Folded:
    """Train by one program in w and the duals of all oracles."""
    cp, pieces = _cvxpy(), _pieces(problem)
    w = cp.Variable(problem.dim)
    duals = [cp.Variable(len(piece.b)) for piece in pieces]
    above = [p.A.T @ y >= p.M @ w + p.losses for p, y in zip(pieces, duals, strict=True)]
    slack = sum(p.b @ y - p.truth @ w for p, y in zip(pieces, duals, strict=True))
    program = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(w) + C / problem.n * slack), above)
    program.solve(solver=cp.CLARABEL)
    return Folded(_found(w), _objective(problem, pieces, _found(w), C), kind_of(problem))


def markov_network(problem: Any, C: float) -> Folded:
    """Train by the dual over shares; its value is the dual's, never above that of `train_as_one_program` but
    for the solver's tolerance.
    """
    cp, pieces = _cvxpy(), _pieces(problem)
    each = C / problem.n
    shares = [cp.Variable(len(piece.losses), nonneg=True) for piece in pieces]
    w = each * sum(p.truth - p.M.T @ mu for p, mu in zip(pieces, shares, strict=True))
    gain = each * sum(p.losses @ mu for p, mu in zip(pieces, shares, strict=True))
    agree = [p.A @ mu == p.b for p, mu in zip(pieces, shares, strict=True)]
    program = cp.Problem(cp.Maximize(gain - 0.5 * cp.sum_squares(w)), agree)
    program.solve(solver=cp.CLARABEL)
    return Folded(np.asarray(w.value), float(program.value), kind_of(problem))


def kind_of(problem: Any) -> str:
    """Whether the local polytopes hold only mixtures of labellings ("exact": forests) or more ("relaxed")."""
    layout = problem.layout
    for i in range(problem.n):
        edges = layout.ends[layout.edges[i] : layout.edges[i + 1]]
        graph = nx.MultiGraph(map(tuple, edges.tolist()))
        if len(edges) and not nx.is_forest(graph):
            return "relaxed"
    return "exact"


def _cvxpy() -> Any:
    import cvxpy  # slow to import, and only this module's callers need it

    return cvxpy


def _found(variable: Any) -> Array:
    if variable.value is None:
        raise Refused("the folded program was not solved; give a smaller C, or train with cutting planes")
    return np.asarray(variable.value)


def _objective(problem: Any, pieces: list[Piece], w: Array, C: float) -> float:
    """1/2 |w|^2 + C mean slack, every slack by its own linear program at w."""
    cp, slack = _cvxpy(), []
    for piece in pieces:
        mu = cp.Variable(len(piece.losses), nonneg=True)
        top = cp.Problem(cp.Maximize((piece.M @ w + piece.losses) @ mu), [piece.A @ mu == piece.b])
        slack.append(float(top.solve(solver=cp.CLARABEL)) - float(piece.truth @ w))
    return 0.5 * float(w @ w) + C * float(np.mean(slack))


def _pieces(problem: Any) -> list[Piece]:
    """Every example's program."""
    layout, K = problem.layout, problem.states
    count = int(layout.nodes[-1]) * K + int(layout.edges[-1]) * K * K
    if count > LARGEST:
        raise Refused(
            f"{problem.name} has {count:,} shares; folding takes at most {LARGEST:,}: use cutting planes"
        )
    return [_piece(problem, i) for i in range(problem.n)]


def _piece(problem: Any, i: int) -> Piece:
    """Features and loss of every single share are those of a labelling that has it alone: both are linear."""
    layout, K = problem.layout, problem.states
    ends = layout.ends[layout.edges[i] : layout.edges[i + 1]]
    A, b = local_polytope(int(layout.nodes[i + 1] - layout.nodes[i]), ends, K)
    units = np.eye(A.shape[1])
    M = np.stack([dense(problem.features(i, unit)) for unit in units])
    truth = dense(problem.features(i, problem.dataset.labels[i]))
    return Piece(M, np.array([problem.loss(i, unit) for unit in units]), truth, A, b)


def local_polytope(m: int, ends: Any, K: int) -> tuple[Any, Array]:
    """A and b with A mu = b: every node's shares add up to 1, and every edge's add up to those of its
    ends.
    """
    e = len(ends)
    node = np.arange(m * K).reshape(m, K)
    edge = m * K + np.arange(e * K * K).reshape(e, K, K)
    rows, columns, values = [np.repeat(np.arange(m), K)], [node.ravel()], [np.ones(m * K)]
    at = m
    for side in (0, 1):
        for k, pair in enumerate(edge if side == 0 else edge.transpose(0, 2, 1)):
            own = at + np.arange(K)
            rows += [np.repeat(own, K), own]
            columns += [pair.ravel(), node[ends[k, side]]]
            values += [np.ones(K * K), -np.ones(K)]
            at += K
    size = (at, m * K + e * K * K)
    A = sp.csr_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=size)
    return A, np.concatenate([np.ones(m), np.zeros(at - m)])
