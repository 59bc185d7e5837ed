"""The karate club, and clubs like it: who sides with whom when a club splits, told by who is friends with
whom.

Zachary 1977 drew the friendships of 34 members of a club that split between its instructor, Mr. Hi, and its
Officer. One club is one example; to learn from, others are drawn from a block model of four groups (two
leaders, two sides of 16 members) that has the expected number of friendships of the true club between any two
groups:

    P(friends) = friendships between the two groups in the true club / possible ones

The true club is the first test example. Features are what is known without the answer: the network and its
two leaders,

    leaders   1, friends / 10, (distance to the Officer - distance to Mr. Hi) / 2, (friends in the circle of
              Mr. Hi - in that of the Officer) / 10; a distance counts at most 4, a circle is a leader and his
              friends
    opinion   1, friends / 10, what the member said: +1 for Mr. Hi, -1 for the Officer, plus noise N(0, 1);
              nobody asked the true members, their opinions are invented in the same way

Cost: about 15 ms a club, for the places at which to draw its members.
"""

from functools import lru_cache

import networkx as nx
import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.graphs import Graph, graph, graphs
from explorer.engine.vectors import Array, Ints

SIDES = ("Mr. Hi", "Officer")
HI, OFFICER = 0, 33
FAR = 4
FEATURES = {
    "leaders": ("1", "friends", "nearer to Mr. Hi", "in the circle of Mr. Hi"),
    "opinion": ("1", "friends", "opinion of Mr. Hi"),
}


def karate(
    n: int = 20, n_test: int = 20, features: str = "leaders", noise: float = 1.0, seed: int = 0
) -> tuple[Dataset, Dataset]:
    """Drawn clubs to train on; the true club and n_test - 1 drawn ones to test on. `noise` is that of the
    opinions.
    """
    if features not in FEATURES:
        raise Refused(f"features is {features!r}; choose one of {', '.join(FEATURES)}")
    if min(n, n_test) < 1:
        raise Refused(f"n is {n} and n_test is {n_test}; draw at least one club of each")
    if not (np.isfinite(noise) and noise >= 0.0):
        raise Refused(f"noise is {noise}; it is a standard deviation, choose 0 or more")
    rng = np.random.default_rng(seed)
    friends = (
        [drawn_club(rng) for _ in range(n)],
        [true_club()[0], *(drawn_club(rng) for _ in range(n_test - 1))],
    )
    side = true_club()[1]
    opinions = [2.0 * (side == 0) - 1.0 + noise * rng.normal(size=(len(f), len(side))) for f in friends]
    parts = (
        [_club(f, opinion, features) for f, opinion in zip(part, said, strict=True)]
        for part, said in zip(friends, opinions, strict=True)
    )
    meta = {"feature_names": FEATURES[features]}
    train, test = (
        graphs(name, part, [side] * len(part), SIDES, **meta)
        for name, part in zip(("clubs", "karate club and others (test)"), parts, strict=True)
    )
    return train, test


@lru_cache(maxsize=1)
def true_club() -> tuple[Ints, Ints]:
    """The friendships (78, 2) of the true club, and the side (34,) that every member took."""
    source = nx.karate_club_graph()
    side = np.array([SIDES.index(source.nodes[v]["club"]) for v in source])
    friends = np.array(sorted((min(a, b), max(a, b)) for a, b in source.edges))
    for part in (friends, side):
        part.setflags(write=False)
    return friends, side


@lru_cache(maxsize=1)
def chances() -> Array:
    """How likely any two members (34, 34) are friends in a club like the true one; 0 below the diagonal."""
    friends, side = true_club()
    group = side.copy()
    group[[HI, OFFICER]] = 2, 3
    ties = np.zeros((34, 34))
    ties[friends[:, 0], friends[:, 1]] = 1.0
    possible = np.triu(np.ones((34, 34)), 1)
    member = np.eye(4)[group]
    counted, most = (member.T @ (part + part.T) @ member for part in (ties, possible))
    share = np.divide(counted, most, out=np.zeros((4, 4)), where=most > 0)
    found: Array = np.triu(share[np.ix_(group, group)], 1)
    found.setflags(write=False)
    return found


def drawn_club(rng: np.random.Generator) -> Ints:
    """The friendships of a club like the true one: same members, same sides, other friends."""
    return np.argwhere(rng.random((34, 34)) < chances())


def _club(friends: Ints, opinion: Array, features: str) -> Graph:
    """One club as a graph that can be drawn."""
    source = nx.Graph()
    source.add_nodes_from(range(34))
    source.add_edges_from(friends.tolist())
    spots = nx.spring_layout(source, seed=0)
    own = [opinion] if features == "opinion" else [*_leaders(source)]
    rows = np.column_stack([np.ones(34), [source.degree(v) / 10 for v in range(34)], *own])
    return graph(rows, friends, place=np.array([spots[v] for v in range(34)]), names=member_names())


def _leaders(source: nx.Graph) -> tuple[Array, Array]:
    """Nearness, and friends in the leader's circle: positive where Mr. Hi is the nearer one."""
    far, inside = np.full((2, 34), float(FAR)), np.zeros((2, 34))
    for k, leader in enumerate((HI, OFFICER)):
        for v, steps in nx.single_source_shortest_path_length(source, leader, cutoff=FAR).items():
            far[k, v] = steps
        circle = {leader, *source[leader]}
        inside[k] = [len(circle.intersection(source[v])) for v in range(34)]
    return (far[1] - far[0]) / 2, (inside[0] - inside[1]) / 10


def member_names() -> tuple[str, ...]:
    """The two leaders by name, the others by number."""
    return tuple({HI: SIDES[0], OFFICER: SIDES[1]}.get(v, f"member {v + 1}") for v in range(34))


@settings
class Clubs:
    """Friendship networks like Zachary's karate club: every member follows one of two leaders."""

    n: int = knob(20, "Training networks, drawn like the club.", low=1, high=500)
    n_test: int = knob(20, "Test networks; the first one is the club itself.", low=1, high=500)
    noise: float = knob(
        1.0, "Standard deviation of the noise on each member's voiced opinion.", low=0.0, high=5.0
    )
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> tuple[Dataset, Dataset | None]:
        """Training and test networks."""
        return karate(self.n, self.n_test, noise=self.noise, seed=self.seed)
