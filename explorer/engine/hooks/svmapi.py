"""The module that hook modules import as `svmapi`."""

from explorer.engine.hooks.objects import KernelScores as Model
from explorer.engine.hooks.objects import Sparm, StructModel
from explorer.engine.hooks.vectors import Document
from explorer.engine.hooks.vectors import HookKernel as Kernel
from explorer.engine.hooks.vectors import HookVector as Sparse

__all__ = ["Document", "Kernel", "Model", "Sparm", "Sparse", "StructModel"]
