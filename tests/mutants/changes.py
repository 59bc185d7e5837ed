"""Small changes of a source, each of which ought to make some test fail.

A change replaces one node of the syntax tree: a comparison, an operator, a number, a condition, min by max,
the end of a range; or drops one statement. What no test can see is left alone: docstrings, annotations,
decorators, imports, assertions, messages of errors. The list depends on the source alone, and a change is
known by what stood there and what stands there now.
"""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
TWINS = {
    "min": "max",
    "max": "min",
    "minimum": "maximum",
    "maximum": "minimum",
    "argmin": "argmax",
    "argmax": "argmin",
    "fmin": "fmax",
    "fmax": "fmin",
    "any": "all",
    "all": "any",
    "floor": "ceil",
    "ceil": "floor",
    "zeros": "ones",
    "ones": "zeros",
    "zeros_like": "ones_like",
}
QUIET = (ast.Import, ast.ImportFrom, ast.Assert, ast.Raise, ast.AnnAssign, ast.JoinedStr)
"""Nothing below these is changed, but for the value of an annotated assignment."""


@dataclass(frozen=True)
class Change:
    """Node number `place` of the tree becomes `node`; `line` to `end` is where it stood."""

    place: int
    line: int
    end: int
    kind: str
    before: str
    after: str
    node: ast.AST

    @property
    def text(self) -> str:
        """The change in words, the same as long as this line is."""
        return f"{self.kind}: {self.before} -> {self.after}"


def changes(source: str) -> list[Change]:
    """Every change of a source."""
    tree = ast.parse(source)
    quiet = silent(tree)
    found = []
    for place, node in enumerate(ast.walk(tree)):
        if id(node) in quiet:
            continue
        for kind, new in variants(node):
            line, end = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
            found.append(Change(place, line, end, kind, shown(node), shown(new), new))
    return found


def shown(node: ast.AST) -> str:
    """A node as one line of code."""
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 120 else text[:117] + "..."


def changed(source: str, change: Change) -> ast.Module:
    """The tree of the source with this one change."""
    tree = ast.parse(source)
    old = next(node for place, node in enumerate(ast.walk(tree)) if place == change.place)
    new = ast.copy_location(copy.deepcopy(change.node), old)
    return ast.fix_missing_locations(Put(old, new).visit(tree))


class Put(ast.NodeTransformer):
    """Puts one node in the place of another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else super().generic_visit(node)


def silent(tree: ast.AST) -> set[int]:
    """The nodes in which nothing is changed."""
    out: set[int] = set()
    for node in ast.walk(tree):
        parts: list[ast.AST] = []
        if isinstance(node, QUIET):
            parts = [node]
        if isinstance(node, ast.AnnAssign):
            parts = [node.target, node.annotation]
            out.add(id(node))
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            parts = [*node.decorator_list, *([node.returns] if getattr(node, "returns", None) else [])]
        if isinstance(node, ast.arg) and node.annotation:
            parts = [node.annotation]
        call = node.value if isinstance(node, ast.Expr) else node
        if isinstance(call, ast.Call) and ast.unparse(call.func).split(".")[-1] in ("cast", "pulse", "knob"):
            parts = [node]
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            parts = [node]
        if is_message(node):
            parts = [node]
        out |= {id(below) for part in parts for below in ast.walk(part)}
    return out


def is_message(node: ast.AST) -> bool:
    """Whether a statement or value is text alone, or the body of a protocol."""
    value = node.value if isinstance(node, ast.Expr) else node
    return isinstance(value, ast.Constant) and (isinstance(value.value, str) or value.value is ...)


def variants(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """What a node may become, and of which kind that change is."""
    if isinstance(node, ast.Compare):
        for new in COMPARISONS.get(type(node.ops[0]), ()):
            yield "comparison", ast.Compare(node.left, [new(), *node.ops[1:]], node.comparators)
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        yield "arithmetic", ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)
    elif isinstance(node, ast.AugAssign) and type(node.op) in OPERATORS:
        yield "arithmetic", ast.AugAssign(node.target, OPERATORS[type(node.op)](), node.value)
        yield "dropped", ast.Pass()
    elif isinstance(node, ast.BoolOp):
        yield "boolean", ast.BoolOp(ast.And() if isinstance(node.op, ast.Or) else ast.Or(), node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        yield "boolean" if isinstance(node.op, ast.Not) else "arithmetic", node.operand
    elif isinstance(node, ast.Constant):
        yield from constants(node)
    elif isinstance(node, ast.Call):
        yield from calls(node)
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        yield from conditions(node)
    elif isinstance(node, ast.Slice) and node.upper is not None and not isinstance(node.upper, ast.Constant):
        yield "off by one", ast.Slice(node.lower, less_one(node.upper), node.step)
    elif isinstance(node, ast.Return) and isinstance(node.value, ast.BinOp):
        yield "returned", ast.Return(ast.UnaryOp(ast.USub(), node.value))
    elif is_dropped(node):
        yield "dropped", ast.Pass()


def constants(node: ast.Constant) -> Iterator[tuple[str, ast.AST]]:
    """Another number, or the other truth value."""
    if isinstance(node.value, bool):
        yield "constant", ast.Constant(not node.value)
    elif isinstance(node.value, int):
        yield "constant", ast.Constant(node.value + 1)
    elif isinstance(node.value, float):
        yield "constant", ast.Constant(1.0 if node.value == 0.0 else 10.0 * node.value)


def calls(node: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    """The smallest for the largest, a range that ends before its last number."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in TWINS:
        new: ast.expr = ast.Name(TWINS[name], ast.Load())
        if isinstance(node.func, ast.Attribute):
            new = ast.Attribute(node.func.value, TWINS[name], ast.Load())
        yield "twin", ast.Call(new, node.args, node.keywords)
    if name == "range" and node.args:
        at = 0 if len(node.args) == 1 else 1
        ends = [*node.args[:at], less_one(node.args[at]), *node.args[at + 1 :]]
        yield "off by one", ast.Call(node.func, ends, node.keywords)


def conditions(node: ast.If | ast.While | ast.IfExp) -> Iterator[tuple[str, ast.AST]]:
    """The condition turned round, where it is no comparison, which has changes of its own."""
    if not isinstance(node.test, ast.Compare):
        turned = copy.copy(node)
        turned.test = ast.UnaryOp(ast.Not(), node.test)
        yield "condition", turned


def less_one(node: ast.expr) -> ast.expr:
    """The value before this one."""
    return ast.BinOp(node, ast.Sub(), ast.Constant(1))


def is_dropped(node: ast.AST) -> bool:
    """Whether a statement can be left out without leaving a name undefined."""
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Subscript | ast.Attribute) for target in node.targets)
    return isinstance(node, ast.Expr | ast.Continue | ast.Break)
