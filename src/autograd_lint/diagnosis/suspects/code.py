"""The statements of a file with what is around them, and what names in them are bound to."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from autograd_lint.immutable import immutable
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

Function = ast.FunctionDef | ast.AsyncFunctionDef
Loop = (ast.For, ast.AsyncFor, ast.While)
SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Delete, ast.Raise)
# Methods whose result may be the tensor itself, or share its memory.
ALIASES = frozenset({"detach", "cpu", "data", "view", "reshape", "to", "float", "contiguous"})
_HOPS = 3  # bindings from a name back to an argument
_MOST = 2_000  # statements before another that are looked at
_ROWS = 60  # rows of a statement that are looked at as one
_LONGEST = 4_000  # characters of code that are looked at as one
_QUIET = re.compile(r"no_grad|inference_mode")


@dataclass(frozen=True)
class Line:
    """A statement: its code on one line, the function and the loop around it, and whether it runs
    where no gradients are recorded."""

    source: Source
    node: ast.stmt
    function: Function | None
    loop: ast.stmt | None
    quiet: bool

    @cached_property
    def code(self) -> str:
        """The code of a simple statement, or the head of a compound one; a long one is cut."""
        return _code(self.source, self.node)

    @cached_property
    def parts(self) -> list[ast.AST]:
        """The nodes of a simple statement, or of the head of a compound one."""
        node = self.node
        heads: list[ast.AST] = [node]
        if isinstance(node, (ast.If, ast.While)):
            heads = [node.test]
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            heads = [node.iter]
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            heads = [item.context_expr for item in node.items]
        elif not isinstance(node, (*SIMPLE, ast.Assert)):
            heads = []
        return [part for head in heads for part in ast.walk(head)]

    @property
    def speaks(self) -> bool:
        """Whether it does something: no docstring, no import."""
        node = self.node
        if isinstance(node, ast.Expr):
            return not isinstance(node.value, ast.Constant)
        return not isinstance(node, (ast.Import, ast.ImportFrom, ast.Pass, ast.Global))

    @property
    def rows(self) -> range:
        """The rows of a simple statement, or the first one of a compound one."""
        if isinstance(self.node, (*SIMPLE, ast.Assert)):
            return range(self.node.lineno, (self.node.end_lineno or self.node.lineno) + 1)
        return range(self.node.lineno, self.node.lineno + 1)

    @property
    def scope(self) -> ast.AST:
        """The function around it, or the module."""
        return self.function or self.source.tree


def lines(source: Source) -> Iterator[Line]:
    """All statements of a file; raises what `Source.tree` does."""
    yield from _below(source, source.tree, None, None, False)


def _below(
    source: Source, node: ast.AST, function: Function | None, loop: ast.stmt | None, quiet: bool
) -> Iterator[Line]:
    for child in ast.iter_child_nodes(node):
        inside, around, silent = function, loop, quiet
        if isinstance(child, Function):
            silent = any(_QUIET.search(ast.unparse(one)) for one in child.decorator_list)
            inside, around = child, None
        elif isinstance(child, (ast.With, ast.AsyncWith)):
            silent = quiet or any(_QUIET.search(ast.unparse(one)) for one in child.items)
        elif isinstance(child, Loop):
            around = child
        if isinstance(child, ast.stmt):
            yield Line(source, child, inside, loop, silent if inside is function else quiet)
        if isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            yield from _below(source, child, inside, around, silent)


def spelt(node: ast.expr | None) -> str | None:
    """A name or dotted name as the program spells it."""
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return None
    inner: ast.expr = node
    while isinstance(inner, ast.Attribute):
        inner = inner.value
    return ast.unparse(node) if isinstance(inner, ast.Name) else None


@immutable
class Said:
    """A statement of a function: what it computes as code, the names that it binds to that, and
    whether it runs where no gradients are recorded."""

    node: ast.stmt
    value: ast.expr | None
    given: str
    bound: tuple[str, ...]
    several: bool
    quiet: bool


@query
def _said(source: Source) -> dict[ast.AST, list[Said]]:
    """The statements of each function of a file, and of the module, in their order."""
    found: dict[ast.AST, list[Said]] = {}
    for line in lines(source):
        node = line.node
        if isinstance(node, (*SIMPLE, ast.For, ast.AsyncFor)):
            value = getattr(node, "value", None)
            value = value if isinstance(value, ast.expr) else None
            given = _code(source, value) if value is not None else ""
            several, bound = _binds(node)
            found.setdefault(line.scope, []).append(
                Said(node, value, given, bound, several, line.quiet)
            )
    return found


def _binds(node: ast.stmt) -> tuple[bool, tuple[str, ...]]:
    """Whether a statement binds several names at once, and which names."""
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return True, tuple(_bound(node.target))
    if not isinstance(node, ast.Assign):
        return False, ()
    several = isinstance(node.targets[0], (ast.Tuple, ast.List))
    return several, tuple(one for target in node.targets for one in _bound(target))


def _code(source: Source, node: ast.stmt | ast.expr) -> str:
    last = node.end_lineno or node.lineno
    if last - node.lineno > _ROWS:
        return source.lines[node.lineno - 1].strip()[:_LONGEST]
    if isinstance(node, (ast.expr, *SIMPLE, ast.Assert)):
        if sum(map(len, source.lines[node.lineno - 1 : last])) > _LONGEST:
            return source.lines[node.lineno - 1].strip()[:_LONGEST]
        return ast.unparse(node)
    return source.lines[node.lineno - 1].strip()[:_LONGEST]


def before(line: Line) -> Iterator[Said]:
    """The statements of the same function before a statement, the nearest first."""
    every = _said(line.source).get(line.scope, [])
    at = bisect_left(every, line.node.lineno, key=lambda one: one.node.lineno)
    return reversed(every[max(0, at - _MOST) : at])


def made(line: Line, name: str) -> ast.expr | None:
    """What a name was last bound to before a statement of the same function."""
    for one in before(line):
        if name in one.bound and isinstance(one.node, ast.Assign):
            return one.node.value
    return None


def is_made_quietly(line: Line, name: str) -> bool:
    """Whether a name was last bound, in the same function, where no gradients are recorded."""
    found = next((one for one in before(line) if name in one.bound), None)
    return found is not None and found.quiet and isinstance(found.node, ast.Assign)


def set_elsewhere(line: Line, name: str) -> list[ast.expr]:
    """What an attribute of `self` is bound to anywhere in a file."""
    return _attributes(line.source).get(name, []) if name.startswith("self.") else []


@query
def _attributes(source: Source) -> dict[str, list[ast.expr]]:
    found: dict[str, list[ast.expr]] = {}
    for said in _said(source).values():
        for one in said:
            if isinstance(one.node, ast.Assign) and not one.several:
                for name in one.bound:
                    if name.startswith("self."):
                        found.setdefault(name, []).append(one.node.value)
    return found


def dimensions(line: Line, name: str) -> int:
    """How many dimensions a tensor has at least, by how the function indexes it."""
    keys = (
        part.slice
        for part in ast.walk(line.scope)
        if isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Tuple)
        and spelt(part.value) == name
    )  # fmt: skip
    return max((sum(map(_takes_one, key.elts)) for key in keys), default=0)


def _takes_one(index: ast.expr) -> bool:
    """Whether an index stands for a dimension that is there: not for `None` or `...`."""
    return not (isinstance(index, ast.Constant) and index.value in (None, ...))


def is_argument_by_another_name(line: Line, name: str) -> bool:
    """Whether a name was bound to an argument itself, or to a view or conversion of it."""
    value = made(line, name)
    for _ in range(_HOPS):
        while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            if value.func.attr not in ALIASES:
                return False
            value = value.func.value
        source = spelt(value)
        if source is None:
            return False
        if is_parameter(line, source):
            return True
        value = made(line, source)
    return False


def may_be_anothers(line: Line, name: str) -> bool:
    """Whether a name is bound, on some path, to a view or conversion of what the function was given
    or goes through, or to that itself."""
    for one in before(line):
        if name not in one.bound or not isinstance(one.node, ast.Assign) or one.several:
            continue
        source = spelt(_unconverted(one.node.value))
        if source is not None and (is_parameter(line, source) or unpacked(line, source)):
            return True
    return False


def _unconverted(value: ast.expr) -> ast.expr:
    """What a value is a view or conversion of."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if value.func.attr not in ALIASES:
            break
        value = value.func.value
    return value


def unpacked(line: Line, name: str) -> bool:
    """Whether a name was bound as one of several, or goes through something in a loop."""
    if any(one.several and name in one.bound for one in before(line)):
        return True
    parts = (part for part in line.parts if isinstance(part, ast.comprehension))
    return any(name in _bound(part.target) for part in parts)


def is_parameter(line: Line, name: str) -> bool:
    """Whether a name is one of the function's arguments."""
    if line.function is None:
        return False
    arguments = line.function.args
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return name in {one.arg for one in every} and name != "self"


def _bound(target: ast.expr) -> list[str]:
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    return [one for part in parts if (one := spelt(part)) is not None]


def after(line: Line) -> Iterator[Said]:
    """The statements after another in the same loop."""
    last = (line.loop.end_lineno or 0) if line.loop is not None else 0
    every = _said(line.source).get(line.scope, ()) if last else ()
    return (one for one in every if line.node.lineno < one.node.lineno <= last)


def called(node: ast.expr | None) -> list[str]:
    """The names of the functions and methods that an expression calls, the outermost first."""
    if node is None:
        return []
    found = []
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            name = part.func.attr if isinstance(part.func, ast.Attribute) else spelt(part.func)
            found += [name] if name else []
        elif isinstance(part, ast.BinOp):
            found.append(_ARITHMETIC.get(type(part.op), ""))
    return [name for name in found if name]


_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
}
