"""Names and attributes that hold numbers, texts and lists of them, and never a tensor."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from autograd_lint.facts.body import Bound, Function, body, methods_of, path_of
from autograd_lint.facts.signatures import defaults_of
from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query

# What gives numbers and texts whatever it is given: functions by their names, for tensors have
# methods of that name as well (`x.bool()`), and methods by their last ones.
_ALWAYS = frozenset({"len", "int", "float", "bool", "str", "repr", "ord", "range", "isinstance"})
_ALWAYS |= {"hasattr"}
_TELLING = frozenset({"item", "numel", "size", "dim", "tolist", "format", "join"})
# What gives them for them.
_KEEPING = frozenset({"max", "min", "abs", "sum", "round", "divmod", "sorted", "reversed"})
_KEEPING |= {"list", "tuple", "enumerate", "zip"}
_SIZES = frozenset({"shape", "ndim", "in_features", "out_features", "in_channels", "out_channels"})
_SIZES |= {"groups", "kernel_size", "stride"}
_WORD = re.compile(r"[A-Za-z]\w*")
_PLAIN_TYPES = frozenset({"int", "float", "str", "bool", "None", "Literal", "typing", "t"})
_PLAIN_TYPES |= {"Optional", "Union", "Tuple", "tuple", "List", "list", "Sequence"}
_IDENTITY = (ast.Is, ast.IsNot, ast.In, ast.NotIn)


@dataclass(frozen=True, slots=True)
class Scope:
    """A function, inner ones included, and the class whose method it is."""

    function: Function
    cls: ast.ClassDef | None


@dataclass(frozen=True, slots=True)
class _Value:
    expression: ast.expr
    scope: Scope


def scopes(body: list[ast.stmt], cls: ast.ClassDef | None = None) -> Iterator[Scope]:
    """The functions and methods that stand in some statements, in order, but not inner ones."""
    for node in body:
        if isinstance(node, Function):
            yield Scope(node, cls)
        elif isinstance(node, ast.ClassDef):
            yield from scopes(node.body, node)
        elif isinstance(node, (ast.If, ast.Try)):
            yield from scopes(node.body, cls)
            yield from scopes(node.orelse, cls)


def is_plain(value: ast.expr, scope: Scope) -> bool:
    """Whether an expression in a function gives no tensor, as far as the function and its class
    tell: everything that it may come from is a number, a text, a size, or made of these. What is
    entered into a list changes nothing of that."""
    waiting, asked = [_Value(value, scope)], set[tuple[ast.AST, str]]()
    while waiting:
        one = waiting.pop()
        path = _path(one.expression)
        if path:
            owner = one.scope.cls if path.startswith("self.") else one.scope.function
            if owner is not None and (owner, path) in asked:
                continue
            asked.add((owner or one.scope.function, path))
        needed = _givers(path, one.scope) if path else _parts(one)
        if needed is None:
            return False
        waiting += needed
    return True


def takes_plain(function: Function) -> bool:
    """Whether a method takes no tensor, by the annotations and defaults of its parameters."""
    defaults = defaults_of(function)
    own = (one for one in _arguments(function.args) if one.arg not in ("self", "cls"))
    return all(_is_plain_parameter(one.annotation, defaults.get(one.arg)) for one in own)


def _path(value: ast.expr) -> str:
    """A name, or an attribute of the object of a method; empty for anything else."""
    if isinstance(value, ast.Attribute) and value.attr in _SIZES:
        return ""
    path = path_of(value)
    return path if path.count(".") == path.startswith("self.") else ""


def _parts(value: _Value) -> list[_Value] | None:
    """What must be plain for a value to be; None where that does not help."""
    match value.expression:
        case ast.Constant() | ast.JoinedStr() | ast.Attribute():
            found = _constant(value.expression)
        case ast.BinOp(left=left, right=right):
            found = [left, right]
        case ast.UnaryOp(operand=operand):
            found = [operand]
        case ast.BoolOp(values=values) | ast.Tuple(elts=values) | ast.List(elts=values):
            found = values
        case ast.Compare(left=left, ops=ops, comparators=others):
            found = [] if isinstance(ops[0], _IDENTITY) else [left, *others]
        case ast.IfExp(body=one, orelse=other):
            found = [one, other]
        case ast.Subscript(value=owner) | ast.Starred(value=owner):
            found = [owner]
        case ast.ListComp(elt=element) | ast.GeneratorExp(elt=element):
            found = [element]
        case ast.Call():
            found = _called(value.expression)
        case _:
            return None
    return None if found is None else [_Value(one, value.scope) for one in found]


def _constant(value: ast.expr) -> list[ast.expr] | None:
    return None if isinstance(value, ast.Attribute) and value.attr not in _SIZES else []


def _called(call: ast.Call) -> list[ast.expr] | None:
    """What must be plain for the result of a call to be."""
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else path_of(function)
    known = _ALWAYS if isinstance(function, ast.Name) else _TELLING
    if name in known or path_of(function).startswith("math."):
        return []
    return call.args if name in _KEEPING and isinstance(function, ast.Name) else None


def _givers(path: str, scope: Scope) -> list[_Value] | None:
    """What a name or an attribute gets in all places; None where it may get anything."""
    if path.startswith("self."):
        homes = [Scope(one, scope.cls) for one in methods_of(scope.cls)] if scope.cls else []
    else:
        homes = [scope]
    found: list[_Value] = []
    begins = path in _parameters(scope.function)
    for home in homes:
        bound = [one for one in _bindings(home.function).get(path, ()) if one.is_whole]
        if not _takes_plain(path, home.function):
            return None
        first = [one for one in bound if not isinstance(one.statement, ast.AugAssign)]
        begins = begins or bool(first)
        # What a constructor adds to a number is a number.
        told = first if home.function.name == "__init__" else bound
        found += [_Value(one, home) for each in told for one in _given(each)]
    return found if begins else None


def _given(bound: Bound) -> list[ast.expr]:
    """The expressions that decide what a target gets."""
    value = bound.value
    if isinstance(value, ast.Call) and bound.position is not None:
        name = path_of(value.func)
        if name == "enumerate" and bound.position == 0:
            return [ast.Constant(0)]
        if name == "zip" and bound.position < len(value.args):
            return [value.args[bound.position]]
    return [value]


@query
def _bindings(function: ast.AST) -> dict[str, list[Bound]]:
    """The bindings in a function by their paths."""
    found = defaultdict[str, list[Bound]](list)
    for one in body(function).bindings:
        found[one.path].append(one)
    return dict(found)


def _takes_plain(name: str, function: Function) -> bool:
    """Whether all parameters of that name take no tensor, by their annotations and defaults."""
    given = _parameters(function).get(name, ())
    return all(_is_plain_parameter(annotation, default) for annotation, default in given)


@query
def _parameters(
    function: ast.AST,
) -> dict[str, list[tuple[ast.expr | None, ast.expr | None]]]:
    """The parameters of a function and of those in it: annotation and default, by their names."""
    found = defaultdict[str, list[tuple[ast.expr | None, ast.expr | None]]](list)
    for node in walk(function):
        if isinstance(node, Function | ast.Lambda):
            defaults = defaults_of(node)
            for one in _arguments(node.args):
                found[one.arg].append((one.annotation, defaults.get(one.arg)))
    return dict(found)


def _arguments(given: ast.arguments) -> list[ast.arg]:
    spread = [one for one in (given.vararg, given.kwarg) if one is not None]
    return [*given.posonlyargs, *given.args, *given.kwonlyargs, *spread]


def _is_plain_parameter(annotation: ast.expr | None, default: ast.expr | None) -> bool:
    if annotation is not None:
        return _PLAIN_TYPES.issuperset(_WORD.findall(ast.unparse(annotation)))
    parts = default.elts if isinstance(default, (ast.Tuple, ast.List)) else [default]
    return all(isinstance(one, ast.Constant) and one.value is not None for one in parts)
