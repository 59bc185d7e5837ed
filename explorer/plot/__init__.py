"""Runs as HoloViews elements, for notebooks and papers: overlay with `*`, lay out with `+`, save with
`hv.save`.

Each function draws what the view of the same name shows, from the same frame, without a server. With the
extra [notebook] the elements are drawn by Matplotlib, so that a notebook keeps its pictures;
after `hv.extension("bokeh")` they can be zoomed.
"""

from explorer.plot.curves import bounds, path, race, working_set
from explorer.plot.pictures import labelling, similarity, trellis, weights

__all__ = ["bounds", "labelling", "path", "race", "similarity", "trellis", "weights", "working_set"]
