"""Run bundles: what goes in comes out, a run goes on bit for bit, and no file that is not one gets in."""

import errno
import hashlib
import io
import json
import math
import os
import pickle
import random
import signal
import struct
import subprocess
import sys
import threading
import time
import tracemalloc
import zipfile
from collections import namedtuple
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Dataset
from explorer.engine.events import Cut, Step, Stopped
from explorer.engine.learners import LEARNERS, name_of
from explorer.engine.objective import Plane
from explorer.engine.refusals import Refused
from explorer.engine.runs import archive, codec
from explorer.engine.runs import saved as bundle
from explorer.engine.runs.codec import decode, encode
from explorer.engine.runs.streams import Until, train
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.classes.own import Listed
from explorer.engine.vectors import Sparse

NAMES = tuple(name_of(learner) for learner in LEARNERS)
SMALL = {"n": 12, "n_test": 4}


def recipe_for(learner: str) -> Recipe:
    """A small task that this learner takes: chains, and points on a line for the binary perceptron."""
    if learner == "binary-perceptron":
        return Recipe("two-gaussians", {"swapped": 2}, learner=learner)
    return Recipe("digit-words", SMALL, learner=learner, seed=3)


def trained(recipe: Recipe, steps: int, trace: Trace | None = None, state: Any = None) -> Trace:
    """The trace of so many steps, or of so many more."""
    problem, test = recipe.problem()
    trace = Trace() if trace is None else trace
    rule = Until(relative_gap=0.0, steps=steps)
    for event in train(problem, recipe.make_learner(), seed=recipe.seed, rule=rule, test=test, state=state):
        trace.append(event)
    return trace


@cache
def sample(learner: str = "one-slack", steps: int = 8) -> bytes:
    """A bundle as bytes."""
    recipe = recipe_for(learner)
    return bundle.to_bytes(recipe.plain(), trained(recipe, steps))


def same(a: Any, b: Any) -> bool:
    """Equal in value and type, all the way down, NaN included."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, Sparse | Cut | Plane):
        return all(same(getattr(a, name), getattr(b, name)) for name in type(a).__slots__)
    return bool(a == b) or (isinstance(a, float) and math.isnan(a) and math.isnan(b))


def refused(content: bytes) -> str:
    """The one sentence with which these bytes are refused."""
    with pytest.raises(Refused) as caught:
        bundle.load(content)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert len(sentence) < 250
    return sentence


# values


def numbers() -> st.SearchStrategy[Any]:
    """Arrays of every type that may be stored, in up to three axes."""
    shapes = st.lists(st.integers(0, 3), max_size=3).map(tuple)
    types = st.sampled_from(["?", "i1", "i8", "u2", "u8", "f4", "f8"])
    return st.builds(
        lambda shape, kind: np.arange(math.prod(shape)).reshape(shape).astype(kind), shapes, types
    )


def values() -> st.SearchStrategy[Any]:
    """Whatever a keyframe or a label may hold."""
    plain = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), numbers())
    scalars = st.one_of(
        st.floats().map(np.float64), st.integers(0, 99).map(np.int64), st.booleans().map(np.bool_)
    )
    keys = st.one_of(
        st.text(max_size=3), st.sampled_from(["$array", "$x"]), st.integers(), st.tuples(st.integers())
    )
    return st.recursive(
        st.one_of(plain, scalars),
        lambda inner: st.one_of(
            st.lists(inner, max_size=4),
            st.lists(inner, max_size=4).map(tuple),
            st.dictionaries(keys, inner, max_size=4),
            st.builds(lambda label: Cut(3, label, np.ones(2), 1.0), inner),
            st.builds(
                lambda label: Plane(Sparse(np.array([1, 4]), np.array([2.0, -1.0]), 5), 0.5, -1, label), inner
            ),
        ),
        max_leaves=12,
    )


@given(values())
@settings(max_examples=300, deadline=None)
def test_a_value_survives_the_way_through_json_and_arrays_with_its_types(value: Any) -> None:
    tree, arrays = encode(value)
    assert same(decode(json.loads(json.dumps(tree, allow_nan=False)), arrays), value)


def test_the_state_of_a_random_generator_survives() -> None:
    state = np.random.default_rng(7).bit_generator.state
    tree, arrays = encode(state)
    assert decode(json.loads(json.dumps(tree)), arrays) == state


def test_a_shared_array_is_stored_once_and_stays_shared() -> None:
    shared = np.arange(3.0)
    label = (np.arange(2), np.arange(3), np.arange(4))
    tree, arrays = encode({"a": shared, "b": (shared, 1), "one": label, "two": label})
    found = decode(tree, arrays)
    assert len(arrays) == 4
    assert found["a"] is found["b"][0]
    assert all(x is y for x, y in zip(found["one"], found["two"], strict=True))


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (frozenset({1}), "frozenset"),
        (namedtuple("Tree", "left right")(1, 2), "Tree"),
        (np.array(["a"]), "<U1"),
        (np.array([None]), "object"),
        (1j, "complex"),
        (b"raw", "bytes"),
        (np.ma.masked_array([1.0]), "MaskedArray"),
        (np.array([1.0], ">f8"), ">f8"),
    ],
)
def test_a_value_of_another_type_is_refused_by_its_name(value: Any, named: str) -> None:
    with pytest.raises(Refused, match=named) as caught:
        encode({"deep": [value]}, "the label of a cut")
    assert str(caught.value).startswith("the label of a cut holds")


def test_a_run_with_labels_of_an_odd_type_says_so() -> None:
    sets = [frozenset(), frozenset({0}), frozenset({1})]
    data = Dataset("sets", [0, 1], [sets[1], sets[2]])
    problem = Listed(
        data, lambda x, y: np.eye(4)[2 * x + (y == sets[1])], lambda y, z: float(y != z), lambda x: sets, 4
    )
    trace = Trace()
    recipe = Recipe("circle", learner="n-slack")
    for event in train(problem, recipe.make_learner(), rule=Until(steps=3)):
        trace.append(event)
    with pytest.raises(Refused, match="the label of a cut of step 0 holds a value of type frozenset"):
        bundle.to_bytes({}, trace)


# runs


@pytest.mark.parametrize("learner", NAMES)
def test_everything_a_trace_kept_comes_back(learner: str) -> None:
    recipe = recipe_for(learner)
    before = trained(recipe, 6)
    found = bundle.load(bundle.to_bytes(recipe.plain(), before))
    after = found.trace
    assert Recipe.read(found.recipe) == recipe
    assert len(after) == len(before)
    assert after.names == before.names
    for name in before.names:
        assert after.column(name).tobytes() == before.column(name).tobytes()
    assert [after.certified(k) for k in range(len(after))] == [
        before.certified(k) for k in range(len(before))
    ]
    assert same(after.weights.kept, before.weights.kept)
    assert same(after.cuts.kept, before.cuts.kept)
    assert same(after.details.kept, before.details.kept)
    assert same(after.keyframe(), before.keyframe())
    assert [(at, asdict(e)) for at, e in after.starts] == [(at, asdict(e)) for at, e in before.starts]
    assert after.stops == before.stops


@pytest.mark.parametrize("learner", NAMES)
def test_going_on_from_a_bundle_is_going_on(learner: str) -> None:
    recipe = recipe_for(learner)
    whole = trained(recipe, 12)
    places = range(1, len(whole))  # none where one step is the whole run
    assert places or learner == "hidden-markov"
    for cut in random.Random(learner).sample(places, min(3, len(places))):
        first = trained(recipe, cut)
        found = bundle.load(bundle.to_bytes(recipe.plain(), first))
        after = trained(recipe, 12 - cut, found.trace, found.trace.keyframe()[1])
        assert len(after) == len(whole)
        assert same(after.weights.kept, whole.weights.kept)
        for name in ("k", "oracle_calls", "dual"):
            assert after.column(name).tobytes() == whole.column(name).tobytes()


@pytest.mark.parametrize("learner", NAMES)
def test_saving_what_was_loaded_gives_the_same_bytes(learner: str) -> None:
    first = sample(learner)
    found = bundle.load(first)
    assert bundle.to_bytes(found.recipe, found.trace) == first


def test_a_recipe_is_saved_as_plain_data_and_read_as_a_recipe() -> None:
    recipe = Recipe("circle", settings={"C": 3.0})
    content = bundle.to_bytes(recipe.plain(), Trace())
    assert Recipe.read(bundle.load(content).recipe) == recipe
    for other in ({"own": "x.py:y"}, {"task": 3}, {"task": "circle", "data": ["n"]}, {"seed": "1"}):
        with pytest.raises(Refused):
            Recipe.read(bundle.load(bundle.to_bytes(other, Trace())).recipe)


def test_a_trace_may_grow_while_it_is_saved() -> None:
    trace, stop = Trace(), threading.Event()

    def grow() -> None:
        k = 0
        while not stop.is_set():
            trace.append(Step(k, np.full(3, float(k)), (Cut(0, k, np.ones(1), 1.0),), state={"k": k}))
            k += 1
            time.sleep(0.0005)

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        for _ in range(20):
            found = bundle.load(bundle.to_bytes({}, trace)).trace
            assert found.column("k").tolist() == list(range(len(found)))
    finally:
        stop.set()
        writer.join()


def test_a_thinned_trace_keeps_its_stride_and_goes_on_thinning() -> None:
    w = np.zeros(100)
    trace, bigger = Trace(weight_bytes=4000), Trace()
    for k in range(50):
        trace.append(Step(k, w + k, state={"k": k}))
        bigger.append(Step(k, w + k, state={"k": k}))
    assert trace.weights.stride > 1
    content = bundle.to_bytes({}, trace)
    found = bundle.load(content).trace
    assert list(found.weights.kept) == list(trace.weights.kept)
    assert found.weights.stride == trace.weights.stride
    assert found.weights.nbytes == trace.weights.nbytes
    assert bundle.to_bytes({}, found) == content
    found.append(Step(50, w, state={"k": 50}))
    trace.append(Step(50, w, state={"k": 50}))
    assert list(found.weights.kept) == list(trace.weights.kept)


def test_a_run_that_was_cancelled_before_its_first_step_can_be_saved() -> None:
    trace = Trace()
    trace.append(Stopped("cancelled", "the run was cancelled", -1))
    found = bundle.load(bundle.to_bytes({"task": "circle"}, trace))
    assert len(found.trace) == 0
    assert found.trace.stops == trace.stops


def test_figures_without_end_survive() -> None:
    recipe = Recipe("circle", settings={"C": math.inf})
    trace = trained(recipe, 2)
    found = bundle.load(bundle.to_bytes(recipe.plain(), trace))
    assert Recipe.read(found.recipe) == recipe
    assert found.trace.starts[0][1].settings["C"] == math.inf


def test_a_member_that_shrinks_too_well_is_stored_as_it_is() -> None:
    trace = Trace()
    trace.append(Step(0, np.zeros(100_0000), state={"k": 0}))
    content = bundle.to_bytes({}, trace)
    assert len(content) > 8_000_000
    assert bundle.load(content).trace.at(0).w.shape == (100_0000,)


# files that are no runs


class Canary:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return os.mkdir, (str(self.path),)


def members_of(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as whole:
        return {name: whole.read(name) for name in whole.namelist()}


def sealed(content: bytes) -> bytes:
    """With a valid checksum at the end, as a forger would."""
    return content[:-64] + hashlib.sha256(content[:-64]).hexdigest().encode()


def forged(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED, honest: bool = True) -> bytes:
    """An archive of these members, with digests and checksum in order."""
    members = dict(members)
    manifest = members.pop("run.json", None)
    if manifest is not None and honest:
        tree = json.loads(manifest)
        tree["sha256"] = {name: hashlib.sha256(content).hexdigest() for name, content in members.items()}
        manifest = json.dumps(tree).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as whole:
        for name, content in members.items():
            whole.writestr(name, content)
        if manifest is not None:
            whole.writestr("run.json", manifest)
        whole.comment = archive.SEAL + b"0" * 64
    return sealed(out.getvalue())


def with_member(name: str, content: bytes) -> bytes:
    return forged(members_of(sample()) | {name: content})


def with_tree(member: str, change: Callable[[Any], Any]) -> bytes:
    tree = json.loads(members_of(sample())[member])
    change(tree)
    return with_member(member, json.dumps(tree).encode())


def npy(header: str, body: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    text = header.encode() + b"\n"
    return b"\x93NUMPY" + version + struct.pack("<H", len(text)) + text + body


def test_the_forger_of_these_tests_makes_a_good_file_when_nothing_is_changed() -> None:
    assert len(bundle.load(forged(members_of(sample()))).trace) == 8


def test_a_pickle_under_our_name_is_refused_and_never_run(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        payload = pickle.dumps(Canary(canary), protocol)
        objects = io.BytesIO()
        np.save(objects, np.array([Canary(canary)], object), allow_pickle=True)
        refused(payload)
        refused(sealed(payload + archive.SEAL + b"0" * 64))
        refused(forged({"run.json": payload}, honest=False))
        refused(with_member("run.json", members_of(sample())["run.json"]) + payload)
        for name in ("kept.json", "arrays/float64.npy", "arrays/types.npy", "arrays/extra.npy", "kept.pkl"):
            refused(with_member(name, payload))
            refused(with_member(name, objects.getvalue()))
    assert not canary.exists()


def test_a_file_cut_off_anywhere_is_refused() -> None:
    content = sample()
    for percent in range(100):
        refused(content[: len(content) * percent // 100])
    refused(content[:-1])
    refused(content + b"\x00")


def test_a_file_with_one_byte_changed_is_refused() -> None:
    content, draw = sample(), random.Random(0)
    places = [draw.randrange(len(content)) for _ in range(200)] + list(
        range(len(content) - 120, len(content))
    )
    for place in places:
        changed = bytearray(content)
        changed[place] ^= draw.randrange(1, 256)
        refused(bytes(changed))


def test_a_changed_byte_is_found_even_when_the_outer_checksum_was_made_anew() -> None:
    content, draw = sample(), random.Random(1)
    before = bundle.load(content)
    for _ in range(200):
        changed = bytearray(content)
        changed[draw.randrange(len(content) - 100)] ^= draw.randrange(1, 256)
        try:
            found = bundle.load(sealed(bytes(changed)))
        except Refused:
            continue
        # Only fields of the zip format that carry no content (time stamps, attributes) may differ.
        assert bundle.to_bytes(found.recipe, found.trace) == bundle.to_bytes(before.recipe, before.trace)


LYING = [
    "{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999,), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (100000, 100000), }",
    "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
    "{'descr': '<f8', 'fortran_order': True, 'shape': (1,), }",
    "{'descr': '>f8', 'fortran_order': False, 'shape': (1,), }",
    "{'descr': '<c16', 'fortran_order': False, 'shape': (1,), }",
    "{'descr': '<M8[s]', 'fortran_order': False, 'shape': (1,), }",
    "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (__import__('os').getpid(),), }",
    "{" + " " * 60_000 + "}",
]


@pytest.mark.parametrize("header", LYING)
def test_an_array_that_lies_about_itself_is_refused_before_memory_is_taken(header: str) -> None:
    content = with_member("arrays/float64.npy", npy(header, b"\x00" * 8))
    tracemalloc.start()
    refused(content)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000


def test_tables_that_do_not_fit_the_numbers_are_refused() -> None:
    content = members_of(sample())
    sizes, types = (np.load(io.BytesIO(content[f"arrays/{name}.npy"])) for name in ("sizes", "types"))

    def table(name: str, values: Any) -> str:
        return refused(with_member(f"arrays/{name}.npy", archive.npy(np.asarray(values))))

    assert "does not fit" in table("sizes", sizes + 1)
    assert "does not fit" in table("sizes", -sizes)
    assert "does not fit" in table("sizes", np.where(sizes == sizes.max(), 1 << 62, sizes))
    assert "cannot be" in table("sizes", sizes[:-1])
    assert "does not fit" in table("types", 1 - np.minimum(types, 1))
    assert "cannot be" in table("more", sizes)


@pytest.mark.parametrize("zeros", [3_000_000, 40_000_000])
def test_a_zip_bomb_is_refused_from_its_directory(zeros: int) -> None:
    text = with_member("kept.json", b" " * zeros)
    array = with_member("arrays/float64.npy", b"\x00" * zeros)
    tracemalloc.start()
    sentences = refused(text), refused(array)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert all("times its size" in s or "more than the 32 MB" in s for s in sentences)
    assert peak < 5_000_000


def test_a_member_that_unpacks_to_more_than_it_says_is_refused() -> None:
    content = bytearray(with_member("kept.json", b" " * 30_000_000))
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = content.find(b"kept.json", content.find(signature))
        while content[at - (30 if offset == 22 else 46) : at - (26 if offset == 22 else 42)] != signature:
            at = content.find(b"kept.json", at + 1)
        start = at - (30 if offset == 22 else 46)
        content[start + offset : start + offset + 4] = struct.pack("<L", 500_000)
    tracemalloc.start()
    refused(sealed(bytes(content)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5_000_000


@pytest.mark.parametrize(
    "name", ["../run.json", "/etc/passwd", "arrays/../x.npy", "C:\\x.npy", "a.zip", "kept.JSON"]
)
def test_a_member_with_a_foreign_name_is_refused(name: str) -> None:
    assert "no part of a run" in refused(with_member(name, b"{}"))


def test_a_hundred_thousand_members_are_refused_before_any_is_listed() -> None:
    content = forged({f"arrays/{k}.npy": b"" for k in range(100_000)}, zipfile.ZIP_STORED)
    tracemalloc.start()
    assert "directory" in refused(content)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000, "a list of the members takes 50 MB"


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_repeated_encrypted_and_strangely_packed_members_are_refused() -> None:
    content = members_of(sample())
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as whole:
        for name in (*content, "kept.json"):
            whole.writestr(name, content[name])
        whole.comment = archive.SEAL + b"0" * 64
    assert "no part of a run" in refused(sealed(out.getvalue()))
    assert "strange way" in refused(forged(content, zipfile.ZIP_LZMA))
    encrypted = bytearray(forged(content))
    flags = encrypted.find(b"PK\x01\x02") + 8
    encrypted[flags] |= 1
    assert "encrypted" in refused(sealed(bytes(encrypted)))


def test_a_wrong_digest_a_missing_member_and_an_unlisted_one_are_refused() -> None:
    content = members_of(sample())
    changed = content | {"kept.json": content["kept.json"].replace(b"1", b"2", 1)}
    assert "checksum of kept.json" in refused(forged(changed, honest=False))
    assert "list its own members" in refused(forged(content | {"more.json": b"{}"}, honest=False))
    missing = {name: part for name, part in content.items() if name != "kept.json"}
    assert "list its own members" in refused(forged(missing, honest=False))
    assert "holds no run.json" in refused(forged({"kept.json": b"{}"}))


@pytest.mark.parametrize(
    "text",
    [
        b'{"columns": NaN}',
        b'{"columns": Infinity}',
        b'{"columns": 1e999}',
        b'{"columns": 1, "columns": 2}',
        b'{"columns": ' + b"1" * 100_000 + b"}",
        b'{"columns": 0.' + b"1" * 100_000 + b"}",
        b"[" * 200_000,
        b'{"a":' * 100_000,
        b"[" * 500 + b"]" * 500,
        b"\xff\xfe{}",
        b"",
        b"null",
        b"[]",
        b'"text"',
    ],
)
def test_json_that_is_no_clean_json_or_no_run_is_refused(text: bytes) -> None:
    refused(with_member("kept.json", text))
    refused(forged(members_of(sample()) | {"run.json": text}, honest=False))


def test_a_run_of_a_newer_version_says_who_made_it() -> None:
    def newer(tree: Any) -> None:
        tree["format"], tree["explorer"] = 2, "9.1.0"

    assert "made by version 9.1.0 (format 2)" in refused(with_tree("run.json", newer))


def changes() -> dict[str, tuple[str, Callable[[Any], Any]]]:
    """Ways in which a well-formed file can still be no run."""

    def put(*path: Any) -> Callable[[Any], Any]:
        *way, last, value = path

        def change(tree: Any) -> None:
            for key in way:
                tree = tree[key]
            tree[last] = value

        return change

    deep: Any = 0
    for _ in range(400):
        deep = {"$tuple": [deep]}
    return {
        "steps": ("run.json", put("steps", 9)),
        "steps as text": ("run.json", put("steps", "8")),
        "endless steps": ("run.json", put("steps", 10**30)),
        "recipe": ("run.json", put("recipe", [1])),
        "start": ("run.json", put("starts", 0, 1, "n", "many")),
        "start at": ("run.json", put("starts", 0, 0, 99)),
        "stop": ("run.json", put("stops", 0, 1, "reason", None)),
        "column": ("kept.json", put("columns", "primal", 3)),
        "missing column": ("kept.json", lambda tree: tree["columns"].pop("dual")),
        "unknown kind": ("kept.json", put("certified", {"$exec": "import os"})),
        "array number": ("kept.json", put("certified", {"$array": 10**9})),
        "negative array": ("kept.json", put("certified", {"$array": -1})),
        "array by name": ("kept.json", put("certified", {"$array": "x"})),
        "array by list": ("kept.json", put("certified", {"$array": [[0], 1]})),
        "shape": ("kept.json", put("certified", {"$array": [0, 99, 99]})),
        "order": ("kept.json", put("weights", "at", 0, 5)),
        "stride": ("kept.json", put("weights", "stride", -1)),
        "weights": ("kept.json", put("weights", "kept", 0, "w")),
        "cut": ("kept.json", put("cuts", "kept", 0, [[1]])),
        "state": ("kept.json", put("state", "kept", 0, 5)),
        "float": ("kept.json", put("state", "kept", 0, {"x": {"$float": "1e5"}})),
        "plane": ("kept.json", put("state", "kept", 0, {"x": {"$plane": [1]}})),
        "keys": ("kept.json", put("state", "kept", 0, {"x": {"$pairs": [[[1], 2]]}})),
        "deep": ("kept.json", put("state", "kept", 0, {"x": deep})),
        "sparse": (
            "kept.json",
            put("state", "kept", 0, {"x": {"$sparse": [{"$array": 0}, {"$array": 1}, 3]}}),
        ),
    }


@pytest.mark.parametrize("change", changes())
def test_a_well_formed_file_that_is_no_run_is_refused(change: str) -> None:
    refused(with_tree(*changes()[change]))


def test_a_short_text_cannot_ask_for_endless_values(monkeypatch: pytest.MonkeyPatch) -> None:
    def change(tree: Any) -> None:
        tree["state"]["kept"][0] = {"x": [{"$run": [0, 90]}] * 20_000}

    content = with_tree("kept.json", change)
    monkeypatch.setattr(codec, "VALUES", 100_000)
    tracemalloc.start()
    assert "more than 100,000 values" in refused(content)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000
    for count in (-(10**9), 10**12, "3"):
        with pytest.raises(Refused):
            decode([{"$run": [0, count]}], [np.zeros(1)])


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="there is no file"):
        bundle.load(tmp_path / "none.zip")
    with pytest.raises(Refused, match="there is no file"):
        bundle.load(tmp_path)


def test_a_file_that_is_too_large_is_not_even_read(tmp_path: Path) -> None:
    path = tmp_path / "large.zip"
    with open(path, "wb") as file:
        file.truncate(archive.FILE_BYTES + 1)
    with pytest.raises(Refused, match="more than the 256 MB"):
        bundle.load(path)


# saving


def saved(path: Path, learner: str) -> bytes:
    """Save a sample there and return its bytes."""
    found = bundle.load(sample(learner))
    bundle.save(path, found.recipe, found.trace)
    return path.read_bytes()


def test_a_saved_file_is_the_bytes_of_its_run_and_nothing_else_is_left(tmp_path: Path) -> None:
    assert saved(tmp_path / "run.zip", "mira") == sample("mira")
    assert os.listdir(tmp_path) == ["run.zip"]
    if os.name == "posix":
        umask = os.umask(0)
        os.umask(umask)
        assert (tmp_path / "run.zip").stat().st_mode & 0o777 == 0o666 & ~umask


def failing(error: OSError) -> Callable[..., Any]:
    def fail(*args: Any, **kwargs: Any) -> Any:
        raise error

    return fail


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_full_or_broken_disk_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, code: int
) -> None:
    path = tmp_path / "run.zip"
    before = saved(path, "mira")
    with monkeypatch.context() as patched:
        patched.setattr(os, call, failing(OSError(code, os.strerror(code))))
        with pytest.raises(Refused, match=os.strerror(code)):
            saved(path, "sgd")
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["run.zip"]
    assert saved(path, "sgd") == sample("sgd")


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="this system cannot limit the size of files")
def test_a_disk_that_fills_up_while_writing_leaves_the_old_file(tmp_path: Path) -> None:
    path, new = tmp_path / "run.zip", tmp_path / "new.zip"
    before, _ = saved(path, "mira"), saved(new, "one-slack")
    script = (
        "import resource, signal, sys\n"
        "from explorer.engine.refusals import Refused\n"
        "from explorer.engine.runs import saved as bundle\n"
        "found = bundle.load(sys.argv[2])\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))\n"
        "try:\n"
        "    bundle.save(sys.argv[1], found.recipe, found.trace)\n"
        "except Refused as refusal:\n"
        "    sys.exit(7)\n"
    )
    assert subprocess.run([sys.executable, "-c", script, path, new], check=False).returncode == 7
    assert path.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["new.zip", "run.zip"]


def test_an_interrupt_between_writing_and_replacing_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.zip"
    before = saved(path, "mira")

    def interrupt(*args: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", interrupt)
        with pytest.raises(KeyboardInterrupt):
            saved(path, "sgd")
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["run.zip"]


SAVER = """
import sys
from explorer.engine.runs import saved as bundle
a, b = bundle.load(sys.argv[2]), bundle.load(sys.argv[3])
print("ready", flush=True)
while True:
    bundle.save(sys.argv[1], a.recipe, a.trace)
    bundle.save(sys.argv[1], b.recipe, b.trace)
"""


def test_a_process_killed_while_saving_never_leaves_a_broken_file(tmp_path: Path) -> None:
    a, b, path = tmp_path / "a.zip", tmp_path / "b.zip", tmp_path / "run.zip"
    either = {saved(a, "one-slack"), saved(b, "n-slack")}
    saved(path, "one-slack")
    draw = random.Random(2)
    for _ in range(8):
        child = subprocess.Popen([sys.executable, "-c", SAVER, path, a, b], stdout=subprocess.PIPE)
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        time.sleep(draw.uniform(0.0, 0.15))
        child.kill()
        child.wait()
        child.stdout.close()
        assert path.read_bytes() in either
        bundle.load(path)
    strays = [name for name in os.listdir(tmp_path) if name.endswith(".tmp")]
    for name in strays:
        os.utime(tmp_path / name, (0, 0))
    saved(path, "mira")
    assert sorted(os.listdir(tmp_path)) == ["a.zip", "b.zip", "run.zip"]


def test_only_old_temporary_files_of_the_same_name_are_swept(tmp_path: Path) -> None:
    token = "0123456789abcdef"
    names = [f".run.zip.{token}.tmp", f".run2.zip.{token}.tmp", ".run.zip.mine.tmp", f"run.zip.{token}.tmp"]
    fresh = f".run.zip.{token[::-1]}.tmp"
    for name in (*names, fresh):
        (tmp_path / name).write_bytes(b"x")
    for name in names:
        os.utime(tmp_path / name, (0, 0))
    saved(tmp_path / "run.zip", "mira")
    assert sorted(os.listdir(tmp_path)) == sorted([*names[1:], fresh, "run.zip"])


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"could not be written \(No such file or directory\)"):
        saved(tmp_path / "none" / "run.zip", "mira")


def test_a_name_with_strange_characters_is_only_a_name(tmp_path: Path) -> None:
    for name in ("-x [a]*?.zip", "über\u202e\n.zip", "'; echo.zip"):
        assert saved(tmp_path / name, "mira") == sample("mira")
    assert len(os.listdir(tmp_path)) == 3
