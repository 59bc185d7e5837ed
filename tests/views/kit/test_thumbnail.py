"""Pictures of the data in the gallery: what is in them is counted in the data."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from explorer.dashboards.gallery.page import picture_of
from explorer.dashboards.gallery.presets import PRESETS, Preset
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Dataset, Problem
from explorer.engine.structures.classes.own import Listed
from explorer.session.problem_cache import problem_of
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.drawing.runs import runs_of
from explorer.views.kit.drawing.state_colours import fills
from explorer.views.kit.drawing.svg import HEIGHT, WIDTH, fit_places, legible_example, markers
from explorer.views.kit.drawing.theme import DARK, LIGHT, THEMES
from explorer.views.kit.thumbnail import thumbnail
from explorer.views.kit.words.label_words import partition
from explorer.views.similarity.thumbnail import cluster_names, pair_similarity
from explorer.views.trellis.thumbnail import chain_thumbnail

MOST_BYTES = 15_000


def made(task: str, **data: object) -> Problem:
    return problem_of(Recipe(task=task, data=data))[0]


def parsed(problem: Problem, turn: int = 0) -> ElementTree.Element:
    """The picture as a tree: text that is not escaped is no XML."""
    return ElementTree.fromstring(thumbnail(problem, LIGHT, turn))


def painted(part: ElementTree.Element) -> dict[str, int]:
    """How many cells of each colour a matrix has."""
    return {
        path.attrib["stroke"]: sum(map(int, re.findall(r"h(\d+)", path.attrib["d"])))
        for path in part.iter("path")
    }


def matrices(root: ElementTree.Element) -> list[ElementTree.Element]:
    return [part for part in root.iter("g") if part.get("shape-rendering") == "crispEdges"]


def marked(root: ElementTree.Element, scale: float) -> dict[str, int]:
    """How many markers of each colour there are among those of one size."""
    inside = next(part for part in root.iter("g") if part.get("transform") == f"scale({scale})")
    return {part.attrib["fill"]: len(part.findall("path")) for part in inside.findall("g")}


def of_states(problem: Problem, labels: object) -> dict[str, int]:
    """How many parts have each state, by the colour of the state."""
    count = np.bincount(np.asarray(labels), minlength=len(depiction_of(problem).states(problem)))
    return {
        c: n
        for c, n in zip(fills(depiction_of(problem).states(problem), LIGHT), count.tolist(), strict=True)
        if n
    }


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.title)
def test_every_preset_has_a_small_picture_that_says_what_it_shows(preset: Preset) -> None:
    for theme in THEMES.values():
        shown = picture_of(preset, theme)
        root = ElementTree.fromstring(shown)
        assert (root.get("role"), root.get("viewBox")) == ("img", f"0 0 {WIDTH} {HEIGHT}")
        assert len(root.get("aria-label", "")) > 10
        assert len(root) > 0
        assert len(shown.encode()) <= MOST_BYTES


@pytest.mark.parametrize("task", ["blocks", "gaussian-hmm"])
def test_a_sequence_has_a_cell_of_its_state_at_every_position(task: str) -> None:
    problem = made(task)
    for turn in (0, 3):
        heat, strip = matrices(parsed(problem, turn))
        assert painted(strip) == of_states(problem, problem.dataset.labels[turn])
        assert painted(heat).keys() <= {LIGHT.low, LIGHT.high}


def test_a_word_of_images_shows_every_pixel_that_is_not_blank_and_every_state() -> None:
    problem = made("digit-words")
    i = legible_example(problem.dataset.labels, 5, 0)
    root, x = parsed(problem), problem.dataset.inputs[i]
    shown = [
        sum(map(int, re.findall(r"h(\d+)", ElementTree.tostring(part, "unicode")))) for part in matrices(root)
    ]
    assert shown == [int(np.count_nonzero(np.rint(5 * image / image.max()))) for image in x]
    assert "".join(part.text or "" for part in root.iter("text")) == "".join(
        map(str, problem.dataset.labels[i])
    )


def test_a_sentence_has_a_chip_in_the_colour_of_its_tag_under_each_word() -> None:
    problem = made("tagging")
    i = legible_example(problem.dataset.labels, 11, 0)
    root = parsed(problem)
    chips = [part.attrib["fill"] for part in root.iter("rect")]
    words = [part.text for part in root.iter("text") if "font-weight" not in part.attrib]
    colours = fills(depiction_of(problem).states(problem), LIGHT)
    assert chips == [colours[k] for k in problem.dataset.labels[i][: len(chips)]]
    assert words == list(problem.dataset.meta["words"][i][: len(chips)])
    assert len(chips) >= 5


@pytest.mark.parametrize(
    ("task", "scale"), [("circle", 6), ("four-points", 6), ("two-gaussians", 4.4), ("animals", 3.4)]
)
def test_points_have_one_marker_each_in_the_colour_and_shape_of_their_class(task: str, scale: float) -> None:
    problem = made(task)
    root = parsed(problem)
    assert marked(root, scale) == of_states(problem, problem.dataset.labels)
    ends = {
        re.sub(r"^M\S+ [\d.]+", "", path.attrib["d"]) for path in root.iter("path") if "z" in path.attrib["d"]
    }
    assert len(ends) == len(depiction_of(problem).states(problem))


def test_a_costly_mistake_is_written_beside_the_classes() -> None:
    plain, dear = (problem_of(Recipe(task="animals", loss=loss))[0] for loss in ("", "dog-as-bus-costs-100"))
    assert "costs 100" in thumbnail(dear, LIGHT)
    assert "costs" not in thumbnail(plain, LIGHT)


def test_handwritten_digits_show_one_image_of_each_class() -> None:
    root = parsed(made("digits"))
    assert len(matrices(root)) == 10
    assert [part.text for part in root.iter("text")] == list("0123456789")


@pytest.mark.parametrize("task", ["stripes", "blobs"])
def test_a_grid_shows_its_true_cells_at_the_right(task: str) -> None:
    problem = made(task)
    seen, truth = matrices(parsed(problem, 2))
    assert painted(truth) == of_states(problem, problem.dataset.labels[2])
    assert seen.get("transform") != truth.get("transform")


def test_a_large_grid_is_thinned_out() -> None:
    small, large = thumbnail(made("blobs"), LIGHT), thumbnail(made("blobs", size=100), LIGHT)
    assert len(large) <= MOST_BYTES
    assert "100 by 100" in large
    assert sum(painted(matrices(ElementTree.fromstring(large))[1]).values()) == 40 * 40
    assert sum(painted(matrices(ElementTree.fromstring(small))[1]).values()) == 16 * 16


@pytest.mark.parametrize(("task", "scale"), [("trees", 6.5), ("clubs", 5)])
def test_a_graph_has_a_marker_for_each_node_and_a_line_for_each_edge(task: str, scale: float) -> None:
    problem = made(task)
    root = parsed(problem, 1)
    assert marked(root, scale) == of_states(problem, problem.dataset.labels[1])
    lines = next(path.attrib["d"] for path in root.iter("path") if "L" in path.attrib["d"])
    assert lines.count("L") == len(problem.dataset.inputs[1].edges)


@pytest.mark.parametrize("task", ["synth1", "synth2"])
def test_labels_that_are_on_are_filled_and_others_are_rings(task: str) -> None:
    problem = made(task)
    rings = [circle.attrib["fill"] == "none" for circle in parsed(problem).iter("circle")]
    assert rings == (problem.dataset.labels[:7].ravel() == 0).tolist()


@pytest.mark.parametrize("task", ["clouds", "marbles", "moons", "links"])
def test_items_with_places_lie_there_in_the_colour_of_their_cluster(task: str) -> None:
    problem = made(task)
    truth = partition(problem.dataset.labels[0])
    colours = fills(cluster_names(problem.dataset.inputs[0], truth), LIGHT)
    assert marked(parsed(problem), 5) == {colours[k]: n for k, n in enumerate(np.bincount(truth).tolist())}


def test_links_that_are_learned_are_drawn() -> None:
    problem = made("links")
    lines = next(path.attrib["d"] for path in parsed(problem).iter("path") if "L" in path.attrib["d"])
    assert lines.count("L") == np.count_nonzero(np.asarray(problem.dataset.labels[0]) >= 0)
    assert cluster_names(made("marbles").dataset.inputs[0], partition(made("marbles").dataset.labels[0])) == [
        "red",
        "green",
        "blue",
    ]


@pytest.mark.parametrize("task", ["clusters", "news", "synth", "news-areas", "web-pages"])
def test_similarity_is_higher_within_clusters_and_every_item_has_a_dot(task: str) -> None:
    problem = made(task)
    truth = partition(problem.dataset.labels[0])
    few = np.arange(len(truth))
    s, off = pair_similarity(problem.dataset.inputs[0], truth, few), ~np.eye(len(truth), dtype=bool)
    same = truth[:, None] == truth[None, :]
    assert s[same & off].mean() == pytest.approx(0.7)
    assert s[~same].mean() == pytest.approx(-0.3)
    assert len(re.findall(r"M\S+ \S+?h0", thumbnail(problem, LIGHT))) == len(truth)


def test_similarity_of_some_items_is_about_those_items() -> None:
    problem = made("clusters")
    x, truth = problem.dataset.inputs[0], partition(problem.dataset.labels[0])
    few = np.array([5, 0, 6, 1])
    given = np.array([[x.pairs[_pair(a, b, x.m), 0] if a != b else 0.0 for b in few] for a in few])
    found, off = pair_similarity(x, truth, few), ~np.eye(4, dtype=bool)
    assert np.corrcoef(found[off], given[off])[0, 1] == pytest.approx(1.0)


def _pair(a: int, b: int, m: int) -> int:
    """The row of a pair among all pairs i < j, by counting."""
    return [(i, j) for i in range(m) for j in range(i + 1, m)].index((min(a, b), max(a, b)))


def test_mentions_of_somebody_carry_a_letter_and_those_of_nobody_else_do_not() -> None:
    problem = made("coreference")
    truth = partition(problem.dataset.labels[0])
    root = parsed(problem)
    size = np.bincount(truth)[truth][: len(list(root.iter("rect")))]
    carried = [part.text for part in root.iter("text") if "font-weight" in part.attrib]
    assert len(carried) == np.count_nonzero(size > 1)


@pytest.mark.parametrize("task", ["register-trees", "micro-trees"])
def test_a_tree_has_an_arc_from_each_head_and_one_stem(task: str) -> None:
    problem = made(task)
    i = legible_example(problem.dataset.labels, 5, 0)
    heads = problem.dataset.labels[i].tolist()
    step = (WIDTH - 16) / len(heads)
    arcs = [path.attrib["d"] for path in parsed(problem).iter("path") if path.get("fill") == "none"]
    tops = [re.match(r"M(\S+) 86A.* (\S+) 86$", arc) for arc in arcs]
    assert [round((float(arc[1]) - 8) / step + 0.5) if arc else 0 for arc in tops] == heads
    assert [round((float(arc[2]) - 8) / step + 0.5) for arc in tops if arc] == [
        d for d, h in enumerate(heads, 1) if h
    ]


def test_words_of_the_data_are_escaped() -> None:
    problem = made("tagging")
    words = tuple(("<b>&'",) * len(y) for y in problem.dataset.labels)
    sly = replace(
        problem, dataset=replace(problem.dataset, meta=dict(problem.dataset.meta) | {"words": words})
    )
    assert {part.text for part in parsed(sly).iter("text") if "font-weight" not in part.attrib} == {"<b>&'"}
    circle = made("circle")
    named = replace(circle, dataset=replace(circle.dataset, meta={"states": ("<i>", "'&", '"')}))
    assert parsed(named).get("aria-label") == "12 points of the classes <i>, '&, \""


def test_other_problems_and_points_in_space_have_no_thumbnail() -> None:
    data = Dataset("line", inputs=[-1.0, 1.0], labels=[-1, 1])
    own = Listed(
        data, lambda x, y: np.array([x * y]), lambda y, guess: float(y != guess), lambda x: (-1, 1), dim=1
    )
    assert thumbnail(own, LIGHT) == ""
    circle = made("circle")
    space = replace(
        circle, dataset=replace(circle.dataset, inputs=np.random.default_rng(0).normal(size=(12, 3)))
    )
    assert thumbnail(space, LIGHT) == ""


def test_places_keep_their_shape_and_stay_in_the_thumbnail() -> None:
    at = np.random.default_rng(0).normal(size=(50, 2)) * [3.0, 1.0]
    equal, wide = fit_places(at), fit_places(at, equal=False)
    ratio = np.ptp(equal, axis=0) / np.ptp(at, axis=0)
    assert ratio[0] == pytest.approx(ratio[1])
    for found in (equal, wide):
        assert np.all((found > 0) & (found < [180, HEIGHT]))
        assert np.argmax(found[:, 1]) == np.argmin(at[:, 1])


def test_runs_of_equal_numbers() -> None:
    assert runs_of(np.array([2, 2, 0, 1, 1, 1])) == [(2, 0, 2), (0, 2, 1), (1, 3, 3)]


def test_markers_have_an_edge_that_the_paper_needs() -> None:
    at = np.array([[1.0, 2.0]])
    light, dark = (markers(at, [0], ["#0b62a4"], 5, theme) for theme in (LIGHT, DARK))
    assert f"stroke='{LIGHT.background}'" in light
    assert f"stroke='{DARK.text}'" in dark


def test_another_turn_shows_another_example_of_a_legible_size() -> None:
    problem = made("digit-words")
    sizes = [
        len(problem.dataset.labels[legible_example(problem.dataset.labels, 5, turn)]) for turn in range(3)
    ]
    assert sizes == sorted((len(y) for y in problem.dataset.labels), key=lambda size: abs(size - 5))[:3]
    assert chain_thumbnail(problem, LIGHT, 0)[1] != chain_thumbnail(problem, LIGHT, 1)[1]
