"""An oracle lab as a query string, and back: the instance, the oracles with their settings, and a step.

    ?v=1&kind=complete&size=10&...&seed=12&oracles=greedy;belief propagation(damping=0.5)&show=greedy&step=3

All oracles with their usual settings are not written.
"""

from dataclasses import asdict

from explorer.dashboards.address import THEME
from explorer.engine.catalogue.oracle_names import oracle_named, spell
from explorer.engine.structures.fields.oracles import FIELD_ORACLES
from explorer.labs.fields.comparison import titles
from explorer.labs.fields.handover import HANDOVER
from explorer.labs.fields.instance import (
    COUPLINGS,
    KINDS,
    LARGEST_SEED,
    SCORES,
    TAKEN,
    FieldChoice,
    kind_named,
)
from explorer.labs.fields.state import FIRST, FieldSetup
from explorer.session.links import codec
from explorer.session.links.codec import Part, Reading

DRAWN = FIRST.choice
CHOICE = (
    Part("kind", DRAWN.kind, menu=(*KINDS, TAKEN)),
    Part("size", DRAWN.size, 0, 1000),
    Part("states", DRAWN.states, 0, 1000),
    Part("scores", DRAWN.scores, menu=SCORES),
    Part("couplings", DRAWN.couplings, menu=COUPLINGS),
    Part("coupling", DRAWN.coupling, 0.0, 5.0),
    Part("attraction", DRAWN.attraction, 0.0, 1.0),
    Part("seed", DRAWN.seed, 0, LARGEST_SEED),
    Part("taken", DRAWN.taken),
)
LOOK = (Part("show", FIRST.shown), Part("step", FIRST.step), THEME)


def query(setup: FieldSetup, theme: str = "light") -> str:
    """The query string of a lab, without the question mark."""
    some = {} if list(setup.oracles) == titles() else {"oracles": ";".join(setup.oracles)}
    return codec.query(
        asdict(setup.choice) | some | {"show": setup.shown, "step": setup.step, "theme": theme}
    )


def read(text: str) -> tuple[FieldSetup, tuple[str, ...]]:
    """The lab of a query string, and a sentence for each part that was left out."""
    said = Reading(text, "the first instance")
    sized = {"size", "states"} & set(said.texts)
    choice = FieldChoice(**said.take_all(CHOICE))
    if choice.kind == TAKEN and HANDOVER.get(choice.taken) is None:
        said.faults.append(
            "The example that the link names is no longer kept here: open it again from the studio."
        )
        choice = FIRST.choice
    fitted = choice.in_range()
    if (fitted.size, fitted.states) != (choice.size, choice.states) and sized:
        said.faults.append(
            f"{kind_named(choice.kind).title}: size and states of the link were brought into range."
        )
    oracles, look = _oracles(said), said.take_all(LOOK)
    return FieldSetup(fitted, oracles, look["show"], look["step"]), said.end()


def _oracles(said: Reading) -> tuple[str, ...]:
    """The oracles that a link names, each once, in menu order; all of them if it names none that exists."""
    named = said.take_each("oracles", lambda name: oracle_named(name, FIELD_ORACLES))
    found = {one.title: spell(one) for one in named}
    return tuple(found[title] for title in titles() if title in found) or tuple(titles())
