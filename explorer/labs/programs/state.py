"""A program of two variables and up to three rows, solved anew whenever a number changes."""

from typing import Any

import param

from explorer.engine.programs import LPX
from explorer.engine.refusals import Refused

CODE = """lp = LPX()
lp.obj.maximize = True
lp.cols.add(2)
lp.obj[:] = {c0:g}, {c1:g}
for col in lp.cols:
    col.bounds = {bounds}{kind}
lp.rows.add({count})
lp.matrix = [{matrix}]
{ends}
lp.simplex(){integer}"""


def number(default: float, doc: str) -> Any:
    """A coefficient."""
    return param.Number(default, bounds=(-20.0, 40.0), step=0.5, doc=doc)


class ProgramLab(param.Parameterized):
    """maximise c0 x0 + c1 x1 s.t. rows a0 x0 + a1 x1 <= b."""

    c0 = number(1.0, "What a unit of x0 is worth.")
    c1 = number(1.0, "What a unit of x1 is worth.")
    a0 = number(3.0, "First row: factor of x0.")
    a1 = number(4.0, "First row: factor of x1.")
    a_most = number(12.0, "First row: at most this.")
    b0 = number(9.0, "Second row: factor of x0.")
    b1 = number(4.0, "Second row: factor of x1.")
    b_most = number(18.0, "Second row: at most this.")
    nonnegative = param.Boolean(False, doc="Whether x0 and x1 must be 0 or more.")
    whole = param.Boolean(False, doc="Whether x0 and x1 must be whole numbers.")
    tick = param.Integer(0, doc="Grows when a number has changed.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.settings = [name for name in self.param if name not in ("name", "tick")]
        self.param.watch(lambda *_: self.param.update(tick=self.tick + 1), self.settings)

    def program(self) -> LPX:
        """The program with these numbers, solved as far as it goes."""
        lp = LPX()
        lp.obj.maximize = True
        lp.cols.add(2)
        lp.obj[:] = [self.c0, self.c1]
        for col in lp.cols:
            col.kind = int if self.whole else float
            col.bounds = (0.0 if self.nonnegative else None), None
        lp.rows.add(2)
        lp.matrix = [self.a0, self.a1, self.b0, self.b1]
        lp.rows[0].bounds = None, self.a_most
        lp.rows[1].bounds = None, self.b_most
        if lp.simplex() is not None:
            raise Refused("the search did not end; choose other numbers")
        return lp

    def code(self) -> str:
        """The same program as Python."""
        return CODE.format(
            c0=self.c0,
            c1=self.c1,
            bounds="0, None" if self.nonnegative else "None, None",
            kind="; col.kind = int" if self.whole else "",
            count=2,
            matrix=f"{self.a0:g}, {self.a1:g}, {self.b0:g}, {self.b1:g}",
            ends=f"lp.rows[0].bounds = None, {self.a_most:g}\nlp.rows[1].bounds = None, {self.b_most:g}",
            integer="\nlp.integer()" if self.whole else "",
        )
