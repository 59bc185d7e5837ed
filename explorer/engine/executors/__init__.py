"""Where whole oracle passes are computed: on threads of this process, in other processes, or on a Dask
cluster.

    with parallel_config("dask", scheduler="tcp://10.0.0.1:8786"):
        for event in train(problem, OneSlack()):
            ...

Every executor gives the same result but for the order in which sums are rounded.
"""

from explorer.engine.executors.choice import EXECUTORS, map_each, parallel_config, spread
from explorer.engine.executors.passes import SpreadProblem

__all__ = ["EXECUTORS", "SpreadProblem", "map_each", "parallel_config", "spread"]
