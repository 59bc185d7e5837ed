"""Links that nobody means well with: those of every page, changed at random, and read.

A link is drawn from what a page writes of itself; then parts are changed, doubled, dropped, mixed with those
of other pages, and given nasty values. Whatever comes, reading gives a page and sentences.
"""

import random
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qsl, urlencode

from explorer.dashboards.clusters import link as clusters
from explorer.dashboards.lab import link as lab
from explorer.dashboards.race import link as race
from explorer.dashboards.studies import link as studies
from explorer.dashboards.studio import link as studio
from explorer.engine.catalogue.oracle_names import every_oracle
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.tasks import TASKS
from explorer.engine.learners import LEARNERS, name_of
from explorer.labs.clusterings.state import FIRST as FIRST_CLUSTERS
from explorer.labs.fields.state import FIRST as FIRST_FIELD
from explorer.session.race import FIRST as FIRST_RACE
from explorer.studies import STUDIES
from explorer.views import VIEWS

Pairs = list[tuple[str, str]]

LONGEST = 500
"""Characters of a sentence at most."""

NUMBERS = (
    *(
        "0",
        "-1",
        "--1",
        "+-1",
        "1e400",
        "-1e400",
        "nan",
        "inf",
        "-inf",
        "9" * 400,
        "1_000",
        "٣",
        "0x10",
        "1e",
    ),
    *(
        ".",
        "1" + "0" * 18,
        "-" + "9" * 30,
        "1.5",
        "",
        " 7 ",
        "\x00",
        "1e-400",
        "0.0000001",
        "2147483648",
        "true",
    ),
)
TEXTS = (
    *(
        "none",
        "None",
        "()",
        "a;b",
        ";;;",
        "0-0:0",
        "1,2",
        "0-1:nan",
        "0-1:1e999",
        "٣-٤:١",
        "é",
        "𝟙",
        "%",
        "..",
    ),
    *("<script>", "%00", "/etc/passwd", "x.py:name", "a" * 3000, "(" * 500, "greedy(", "greedy)", "x(y=z)"),
    *("x(y)", "task.conll", "sample_data/names.conll", "-1:1", "1:2:3", "nan:nan", "\ud7ff", "\n"),
    *("belief propagation(sweeps=1000000000,tolerance=0)", "branch and bound(most=1" + "0" * 60 + ")"),
)
OWN_POINTS = "source=points&points=1,2;500,500;900,10&truth=001&own=01"


def written() -> dict[str, list[str]]:
    """What every page writes of itself: the studio of every task, the others as they open."""
    made = [Recipe(task.name) for task in TASKS]
    inside = {f"{view.name_key}.{name}": "1" for view in VIEWS for name in view.linked}
    return {
        "studio": [studio.query(recipe, studio.LAYOUT, inside) for recipe in made],
        "race": [race.query(FIRST_RACE, race.RaceLook())],
        "lab": [lab.query(FIRST_FIELD)],
        "clusters": [
            clusters.query(FIRST_CLUSTERS),
            "source=points&points=1,2;500,500;900,10&truth=001&own=01",
        ],
        "studies": [studies.query(study.name, {}, "light") for study in STUDIES],
    }


READERS: dict[str, Callable[[str], Any]] = {
    "studio": studio.read,
    "race": race.read,
    "lab": lab.read,
    "clusters": clusters.read,
    "studies": studies.read,
}


def names() -> tuple[str, ...]:
    """Values that mean something somewhere."""
    oracles = [kind.title for kind in every_oracle()]
    learners = [name_of(kind) for kind in LEARNERS]
    return (*(task.name for task in TASKS), *oracles, *learners, *(study.name for study in STUDIES))


class Links:
    """Changed links of every page, one after the other; the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.written = {
            page: [parse_qsl(text, keep_blank_values=True) for text in texts]
            for page, texts in written().items()
        }
        self.parts = sorted({name for texts in self.written.values() for one in texts for name, _ in one})
        self.names = names()

    def __iter__(self) -> Iterator[tuple[str, str]]:
        while True:
            for page in READERS:
                yield page, self.link(page)

    def link(self, page: str) -> str:
        """One changed link of a page."""
        pairs = list(self.rng.choice(self.written[page]))
        for _ in range(self.rng.randint(1, 6)):
            self.change(pairs)
        text = urlencode(pairs, errors="surrogatepass")
        return self.scratch(text) if text and self.rng.random() < 0.2 else text

    def change(self, pairs: Pairs) -> None:
        """Another value, another name, a part more or less."""
        rng, at = self.rng, self.rng.randrange(len(pairs)) if pairs else 0
        what = rng.random()
        if what < 0.6 and pairs:
            pairs[at] = pairs[at][0], self.value(pairs[at][1])
        elif what < 0.7 and pairs:
            pairs[at] = (
                rng.choice((*self.parts, "set.", "data.", "see.", "rule.", "see..", "v")),
                pairs[at][1],
            )
        elif what < 0.8 and pairs:
            del pairs[at]
        else:
            pairs.insert(at, (rng.choice(self.parts), self.value("")))

    def value(self, before: str) -> str:
        """A nasty value, one that means something elsewhere, or the one before with letters changed."""
        rng = self.rng
        kind = rng.randrange(4)
        if kind == 3 and before:
            letters = list(before)
            letters[rng.randrange(len(letters))] = rng.choice("0-9.;:,()=éx ")
            return "".join(letters)
        return rng.choice((NUMBERS, TEXTS, self.names, self.names)[kind])

    def scratch(self, text: str) -> str:
        """The bytes of a link, some of them replaced."""
        letters = list(text)
        for _ in range(self.rng.randint(1, 5)):
            letters[self.rng.randrange(len(letters))] = self.rng.choice("%&=;+#?\x7f0z-")
        return "".join(letters)


def faults_of(found: Any) -> tuple[str, ...]:
    """The sentences that go with a page that was read."""
    return found[1] if isinstance(found, tuple) else found.problems


def read(page: str, text: str) -> str:
    """What is wrong with how this link is read; nothing where it gives a page and short sentences."""
    try:
        found = READERS[page](text)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is reported
        return f"{type(error).__name__}: {str(error)[:200]}"
    long = [fault for fault in faults_of(found) if len(fault) > LONGEST]
    return f"a sentence of {len(long[0])} characters: {long[0][:80]}" if long else ""
