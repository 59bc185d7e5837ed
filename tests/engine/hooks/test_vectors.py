"""Vectors and documents of hook modules, against kernels written out by hand."""

import math
import pickle

import numpy as np
import pytest

from explorer.engine.hooks.atoms import KernelAtoms
from explorer.engine.hooks.svmapi import Document, Kernel, Sparse
from explorer.engine.refusals import Refused
from explorer.engine.vectors import dot

A, B, C, D = [(0, 1.0), (2, 2.0)], [(1, 1.0)], [(0, -1.0), (1, 0.5)], [(2, 1.5)]
KERNELS = [Kernel(), Kernel("polynomial", d=2, s=0.5), Kernel("rbf", g=0.3), Kernel("sigmoid", s=0.1, r=0.2)]


def written_out(kernel: Kernel, a: list[tuple[int, float]], b: list[tuple[int, float]]) -> float:
    x, y = np.zeros(3), np.zeros(3)
    for k, v in a:
        x[k] += v
    for k, v in b:
        y[k] += v
    if kernel.kind == "polynomial":
        return (kernel.s * (x @ y) + kernel.r) ** kernel.d
    if kernel.kind == "rbf":
        return math.exp(-kernel.g * ((x - y) @ (x - y)))
    return math.tanh(kernel.s * (x @ y) + kernel.r) if kernel.kind == "sigmoid" else x @ y


@pytest.mark.spec("D42")
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.kind)
def test_the_product_of_two_documents_has_a_kernel_term_for_each_pair(kernel: Kernel) -> None:
    one, other = Document([Sparse(A), Sparse(B)]), Document([Sparse(C), Sparse(D)])
    terms = [written_out(kernel, a, b) for a in (A, B) for b in (C, D)]
    assert kernel.product(one, other) == pytest.approx(sum(terms), abs=1e-12)
    whole = written_out(kernel, A + B, C + D)
    assert (abs(whole - sum(terms)) < 1e-12) == (kernel.kind == "linear")


@pytest.mark.spec("D42")
def test_vectors_of_other_kernel_ids_do_not_meet_and_factors_come_after_the_kernel() -> None:
    kernel = Kernel("rbf", g=0.3)
    assert kernel.product([Sparse(A, kernel_id=1)], [Sparse(A)]) == 0.0
    assert kernel.product([Sparse(A, kernel_id=1)], [Sparse(A, kernel_id=1)]) == 1.0
    found = kernel.product([Sparse(A, factor=-3.0)], [Sparse(C, factor=2.0)])
    assert found == pytest.approx(-6.0 * written_out(kernel, A, C), abs=1e-12)


def test_a_vector_is_made_of_pairs_of_numbers_or_of_another_one() -> None:
    assert list(Sparse([(3, 1.0), (1, 2.0), (3, 1.0), (5, 0.0)])) == [(1, 2.0), (3, 2.0)]
    assert list(Sparse([0.0, 4.0, 0.0])) == [(1, 4.0)]
    assert list(Sparse(Sparse(A, factor=7.0))) == A
    assert Sparse(Sparse(A, factor=7.0)).factor == 1.0
    assert pickle.loads(pickle.dumps(Sparse(A, 2.0, 1))) == Sparse(A, 2.0, 1)


@pytest.mark.parametrize("wrong", [[(-1, 1.0)], [(0, math.nan)], [(0, "x")], ["a"]])
def test_what_is_no_vector_is_refused(wrong: object) -> None:
    with pytest.raises(Refused, match=r"svmapi\.Sparse"):
        Sparse(wrong)


@pytest.mark.parametrize("kernel", KERNELS[1:3], ids=lambda k: k.kind)
def test_products_by_coefficients_are_those_of_documents(kernel: Kernel) -> None:
    atoms = KernelAtoms(kernel, 16)
    one = Document([Sparse(A, 2.0), Sparse(B, kernel_id=1), Sparse(A, 0.5)])
    other = Document([Sparse(C, -1.0), Sparse(B, 3.0, kernel_id=1)])
    x, z = atoms.coefficients(one), atoms.coefficients(other)
    assert len(atoms) == 3
    assert dot(atoms.lift(x), z) == pytest.approx(kernel.product(one, other), abs=1e-12)


def test_there_is_room_for_so_many_different_vectors_only() -> None:
    atoms = KernelAtoms(Kernel("rbf"), 2)
    for k in (0, 1, 0, 1):
        atoms.number(Sparse([(k, 1.0)]))
    with pytest.raises(Refused, match="more than 2 different vectors"):
        atoms.number(Sparse([(9, 1.0)]))
