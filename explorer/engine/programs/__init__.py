"""Linear and integer programs as objects in the style of PyGLPK, solved by HiGHS; and their picture in
the plane.
"""

from explorer.engine.programs.lpx import LPX, Bar, BarCollection, env

__all__ = ["LPX", "Bar", "BarCollection", "env"]
