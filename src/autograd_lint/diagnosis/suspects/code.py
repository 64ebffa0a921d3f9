"""The statements of a file with what is around them, and what names in them are bound to."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from autograd_lint.project.source import Source

Function = ast.FunctionDef | ast.AsyncFunctionDef
Loop = (ast.For, ast.AsyncFor, ast.While)
SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Delete, ast.Raise)
_QUIET = re.compile(r"no_grad|inference_mode")
_SAID_ONLY = re.compile(r"\.(?:shape|size|dim|device|dtype|ndim|numel|requires_grad)\b|\blen\(")


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
        """The code of a simple statement, or the head of a compound one."""
        if isinstance(self.node, (*SIMPLE, ast.Assert)):
            return ast.unparse(self.node)
        return self.source.lines[self.node.lineno - 1].strip()

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


def made(line: Line, name: str) -> ast.expr | None:
    """What a name was last bound to before a statement of the same function."""
    found: ast.Assign | None = None
    for node in ast.walk(line.scope):
        if not isinstance(node, ast.Assign) or node is line.node:
            continue
        bound = name in [one for target in node.targets for one in _bound(target)]
        if bound and node.lineno < line.node.lineno:
            found = node if found is None or node.lineno > found.lineno else found
    return found.value if found is not None else None


def unpacked(line: Line, name: str) -> bool:
    """Whether a name was last bound as one of several, or goes through something in a loop."""
    for node in ast.walk(line.scope):
        if isinstance(node, ast.Assign) and node.lineno < line.node.lineno:
            target = node.targets[0]
            if isinstance(target, (ast.Tuple, ast.List)) and name in _bound(target):
                return True
        if isinstance(node, (ast.For, ast.comprehension)) and name in _bound(node.target):
            return True
    return False


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


def reads(line: Line, name: str) -> list[ast.stmt]:
    """The statements that compute with a name before a statement, or in the same loop."""
    word = re.compile(rf"(?<![\w.]){re.escape(name)}(?![\w])")
    loop = line.loop
    found: list[ast.stmt] = []
    for node in ast.walk(line.scope):
        value: ast.expr | None = getattr(node, "value", None)
        if node is line.node or not isinstance(node, SIMPLE) or value is None:
            continue
        again = loop is not None and loop.lineno < node.lineno <= (loop.end_lineno or 0)
        if node.lineno >= line.node.lineno and not again:
            continue
        given = ast.unparse(value)
        if word.search(_SAID_ONLY.sub("", given)) and not _only_asked(given, word):
            found.append(node)
    return found


def _only_asked(code: str, word: re.Pattern[str]) -> bool:
    """Whether only the shape and the like of a name are asked for."""
    asked = [match.end() for match in word.finditer(code)]
    return all(_SAID_ONLY.match(code[end:]) for end in asked)


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
