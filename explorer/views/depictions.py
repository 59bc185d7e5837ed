"""Which structure is shown how: one row for every class of problems.

A depiction says how a label and an input read in words, what the parts of a label and the weights are called,
and how a small picture is drawn; the views after it are made for the structure, the picture of one example
first. The last row is for problems that nobody depicted: labels as they print, weights by number, and the
margin ladder where outputs can be listed.
"""

from dataclasses import replace

from explorer.engine.structures.boxes.problem import BoxDetection
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.chains.second_order import SecondOrderChain
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.structures.clusterings.single_link import SingleLink
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.structures.trees.dual_problem import KernelTrees
from explorer.engine.structures.trees.problem import DependencyTrees
from explorer.views.box_picture.depiction import BOXES
from explorer.views.box_picture.view import BoxPicture
from explorer.views.hyperplane.view import Hyperplane
from explorer.views.kit.depiction import Depiction, register
from explorer.views.kit.view import View
from explorer.views.labelling.depiction import FIELDS
from explorer.views.labelling.view import Labelling
from explorer.views.ladder.depiction import BINARY, MULTICLASS
from explorer.views.ladder.view import Ladder
from explorer.views.sequence.view import Sequence
from explorer.views.similarity.depiction import CLUSTERINGS
from explorer.views.similarity.view import Similarity
from explorer.views.tree_arcs.depiction import KERNEL_TREES, TREES
from explorer.views.tree_arcs.view import TreeArcs
from explorer.views.trellis.depiction import CHAINS, CHAINS_IN_THREES
from explorer.views.trellis.view import Trellis

TABLE: tuple[tuple[type, Depiction, tuple[type[View], ...]], ...] = (
    (Chain, CHAINS, (Sequence, Trellis)),
    (SecondOrderChain, CHAINS_IN_THREES, (Ladder,)),
    (FieldLabelling, FIELDS, (Labelling,)),
    (BoxDetection, BOXES, (BoxPicture,)),
    (Clustering, CLUSTERINGS, (Similarity,)),
    (SingleLink, CLUSTERINGS, (Similarity,)),
    (DependencyTrees, TREES, (TreeArcs,)),
    (KernelTrees, KERNEL_TREES, (TreeArcs,)),
    (Multiclass, MULTICLASS, (Ladder,)),
    (Binary, BINARY, (Ladder, Hyperplane)),
    (object, Depiction(), (Ladder,)),
)
DEPICTIONS = {problem: replace(depiction, views=views) for problem, depiction, views in TABLE}
register(DEPICTIONS)

STRUCTURES: tuple[type[View], ...] = tuple(dict.fromkeys(views[0] for *_, views in TABLE))
"""Pictures of one example's labelling: a page has the one that fits its problem."""

BESIDE: tuple[type[View], ...] = tuple(dict.fromkeys(view for *_, views in TABLE for view in views[1:]))
"""Further views that are made for one structure."""

__all__ = ["BESIDE", "DEPICTIONS", "STRUCTURES"]
