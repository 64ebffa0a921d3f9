"""Names that mean a new tensor on one side of a condition, and an argument on the other.

if weights is None:
    scale = torch.ones(3)
else:
    scale = weights           # the caller's
scale[mask] = 0
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from autograd_lint.facts.body import Function, parameters_of
from autograd_lint.facts.deciding_branches import writing, written_name
from autograd_lint.project.code import called_name, last_name
from autograd_lint.project.nodes import binds, walk
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

# Methods and functions whose result may be the tensor that they are given, or a view of it.
_VIEWING = frozenset(
    {
        "as_strided", "chunk", "contiguous", "cpu", "cuda", "detach", "diagonal", "double",
        "expand", "expand_as", "flatten", "float", "half", "movedim", "narrow", "permute",
        "ravel", "rearrange", "reshape", "select", "split", "squeeze", "swapaxes", "t", "to",
        "transpose", "type", "type_as", "unbind", "unflatten", "unfold", "unsqueeze", "view",
        "view_as", "asarray", "as_tensor", "from_numpy", "get", "pop", "getattr",
    }
)  # fmt: skip
_COPYING = frozenset({"clone", "copy", "deepcopy"})
_UNKNOWN = ast.Constant(None)  # stands for what a name means where nothing tells
# What an argument, or an option, is called that asks for being written.
_MEANT = re.compile(
    r"(?:^|_)(?:outs?|outputs?|results?|in_?place|caches?|buf(?:fer)?s?|workspace)(?:_|$)"
)


@dataclass(frozen=True, slots=True)
class Borrowed:
    """A statement that writes to the `argument` where the `test` of a condition holds, or does not
    (`where`), and to what `own` has made in the other case."""

    statement: ast.stmt
    argument: str
    own: ast.expr
    test: ast.expr
    where: bool


@dataclass(frozen=True, slots=True)
class _Side:
    """One outcome of a condition (`holds` or not): the statements that it leads to, and what a name
    is bound to by them; None where it stays what it was."""

    holds: bool
    block: list[ast.stmt]
    value: ast.expr | None


@query
def borrowed_names(source: Source, node: ast.AST) -> tuple[Borrowed, ...]:
    """The statements of a function that write to an argument or to a tensor of its own, as a
    condition before them decides."""
    if not isinstance(node, Function) or not (statements := writing(source, node)):
        return ()
    branches = [one for one in walk(node) if isinstance(one, (ast.If, ast.Assign))]
    return tuple(
        found
        for statement in statements
        for branch in branches
        if branch.lineno < statement.lineno
        for found in _borrowed(node, branch, statement)
        if not _is_rebound(node, branch, statement)
    )


def _borrowed(
    function: Function, branch: ast.If | ast.Assign, statement: ast.stmt
) -> Iterator[Borrowed]:
    name = written_name(statement)
    first, second = _sides(branch, name)
    for given, other in ((first, second), (second, first)):
        behind = statement in given.block or _last(branch) < statement.lineno
        value, own = (
            side.value if side.value is not None else _before(function, branch, name)
            for side in (given, other)
        )
        argument = _argument(function, branch, value) if behind else ""
        meant = not argument or _is_copy(own, argument) or _is_meant(argument, _test(branch))
        if _makes_new(own) and not meant:
            yield Borrowed(statement, argument, own, _test(branch), given.holds)


def _test(branch: ast.If | ast.Assign) -> ast.expr:
    chosen = branch.value if isinstance(branch, ast.Assign) else branch
    return chosen.test if isinstance(chosen, (ast.If, ast.IfExp)) else ast.Constant(True)


def _sides(branch: ast.If | ast.Assign, name: str) -> tuple[_Side, _Side]:
    body: list[ast.stmt] = []
    orelse: list[ast.stmt] = []
    values: tuple[ast.expr | None, ast.expr | None] = (None, None)
    match branch:
        case ast.Assign(targets=[ast.Name(id=target)], value=ast.IfExp() as chosen):
            values = (chosen.body, chosen.orelse) if target == name else values
        case ast.If() if not (_ends(branch.body) or _ends(branch.orelse)):
            body, orelse = branch.body, branch.orelse
            values = (_last_bound(body, name), _last_bound(orelse, name))
    return _Side(True, body, values[0]), _Side(False, orelse, values[1])


def _is_rebound(function: Function, branch: ast.stmt, statement: ast.stmt) -> bool:
    """Whether what a statement writes is bound anew between a condition and the statement."""
    name, rows = written_name(statement), range(_last(branch) + 1, statement.lineno)
    return any(binds(one, name) and getattr(one, "lineno", 0) in rows for one in walk(function))


def _ends(block: list[ast.stmt]) -> bool:
    leaving = (ast.Return, ast.Raise, ast.Continue, ast.Break)
    return bool(block) and isinstance(block[-1], leaving)


def _last_bound(block: list[ast.stmt], name: str) -> ast.expr | None:
    """What the statements of a block, one after the other, leave a name bound to."""
    bound = [value for one in block if (value := _bound(one, name)) is not None]
    return bound[-1] if bound else None


def _bound(statement: ast.stmt, name: str) -> ast.expr | None:
    match statement:
        case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
            return value
        case ast.AnnAssign(target=ast.Name(id=target), value=value) if target == name:
            return value
    return None


def _before(function: Function, branch: ast.stmt, name: str) -> ast.expr:
    """What a name means before a condition: what the body of the function has bound it to last,
    and no loop or other condition since."""
    earlier = list(takewhile(lambda one: one.lineno < branch.lineno, function.body))
    bound = _last_bound(earlier, name)
    last = bound.lineno if bound is not None else function.lineno
    within = (one for one in walk(function) if isinstance(one, ast.Name) and binds(one, name))
    if any(last < one.lineno < branch.lineno for one in within):
        return _UNKNOWN
    return bound if bound is not None else ast.Name(name, ast.Load())


def _argument(function: Function, branch: ast.stmt, value: ast.expr) -> str:
    """The argument that a value is; empty where it is none, or was bound anew before."""
    name = value.id if isinstance(value, ast.Name) else ""
    if name not in parameters_of(function):
        return ""
    rebound = any(
        binds(one, name)
        for one in walk(function)
        if getattr(one, "lineno", branch.lineno) < branch.lineno
    )
    return "" if rebound else name


def _makes_new(value: ast.expr) -> bool:
    """Whether a value is a tensor of its own as a rule: computed, or made by a call."""
    if isinstance(value, ast.Call):
        return called_name(value) not in _VIEWING
    return isinstance(value, (ast.BinOp, ast.UnaryOp))


def _is_copy(value: ast.expr, argument: str) -> bool:
    """Whether a value is just a copy of the argument: whether to copy is what was decided."""
    copied = called_name(value) in _COPYING
    names = {one.id for one in ast.walk(value) if isinstance(one, ast.Name)}
    whole = not any(isinstance(one, ast.Subscript) for one in ast.walk(value))
    return copied and whole and argument in names


def _is_meant(argument: str, test: ast.expr) -> bool:
    """Whether the argument, or the condition, is named after being written in place."""
    names = [argument, *(part for part in map(last_name, ast.walk(test)) if part)]
    return any(map(_MEANT.search, names))


def _last(node: ast.stmt | ast.expr) -> int:
    return node.end_lineno or node.lineno


@query
def read_behind(scope: ast.AST, call: ast.Call) -> frozenset[str]:
    """The names that a function, or a file, reads behind a call whose result they are not given."""
    names = [one for one in walk(scope) if isinstance(one, ast.Name)]
    read = {one.id for one in names if isinstance(one.ctx, ast.Load) and _last(call) < one.lineno}
    statements = (one for one in walk(scope) if isinstance(one, ast.Assign))
    around = (one for one in statements if one.lineno <= call.lineno <= _last(one))
    bound = {part.id for one in around for target in one.targets for part in _stored(target)}
    return frozenset(read - bound)


def _stored(target: ast.expr) -> list[ast.Name]:
    return [one for one in ast.walk(target) if isinstance(one, ast.Name)]
