"""What a class gives out of what its objects hold, for whoever asks it for that."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.facts.body import Function, parameters_of
from autograd_lint.project.code import code_of
from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

ENDS = (ast.Return, ast.Yield, ast.YieldFrom)
ASKING = frozenset({"parameters", "named_parameters"})
PARTS = frozenset({"values", "items"})
ADDING = frozenset({"append", "extend", "update"})
GATHERING = frozenset({"list", "tuple", "set", "iter", "enumerate", "zip", "sum", "reversed"})
CHAINS = frozenset({"chain", "from_iterable"})
OF_CONTAINERS = frozenset(name for kind in (list, dict, tuple) for name in dir(kind))
Named = dict[str, list[ast.expr]]


@query
def given_out(_: Source, function: ast.AST) -> frozenset[str]:
    """The attributes of its object that a function returns, parts of them or their parameters.

    One that takes the place of a module's own `parameters` gives out whatever it looks at.
    """
    if getattr(function, "name", "") in ASKING:
        return frozenset(_own(walk(function)))
    ends = [part.value for part in walk(function) if isinstance(part, ENDS) and part.value]
    returned = (one for end in ends for one in _directly(end))
    return frozenset((*_own(returned), *_own(_asked(function, ends))))


@query
def used_as_objects(_: Source, function: ast.AST) -> frozenset[str]:
    """The attributes of its object that a function calls, or asks for what no container has."""
    found = []
    for node in walk(function):
        if isinstance(node, ast.Call):
            found.append(node.func)
        elif isinstance(node, ast.Attribute) and node.attr not in OF_CONTAINERS:
            found.append(node.value)
    return frozenset(_own(iter(found)))


@query
def used_in(_: Source, function: ast.AST) -> frozenset[str]:
    """The attributes of its object that a function other than the constructor speaks of."""
    makes = isinstance(function, ast.FunctionDef) and function.name == "__init__"
    return frozenset() if makes else frozenset(_own(walk(function)))


@query
def wrapped(_: Source, function: ast.AST) -> frozenset[str]:
    """The attributes of its object that a function binds to one of its arguments in brackets.

    `self.encoder = (encoder,)` is how a module is kept from being registered.
    """
    own = parameters_of(function) if isinstance(function, Function) else []
    pairs = [pair for node in walk(function) for pair in _bound(node)]
    return frozenset(_own(target for target, value in pairs if _names_alone(value, own)))


def _names_alone(value: ast.expr, names: list[str]) -> bool:
    """Whether the code of a list or tuple has one element, which is one of the names."""
    elements = value.elts if isinstance(value, (ast.List, ast.Tuple)) else []
    return len(elements) == 1 and isinstance(elements[0], ast.Name) and elements[0].id in names


def _own(nodes: Iterator[ast.AST]) -> Iterator[str]:
    """The names of those nodes that are attributes of the object itself."""
    for node in nodes:
        if isinstance(node, ast.Attribute) and code_of(node.value) == "self":
            yield node.attr


def _directly(value: ast.expr) -> Iterator[ast.expr]:
    """What is returned, or the parts of it, without a thought for what it was before."""
    for part in value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]:
        yield part.value if isinstance(part, ast.Subscript) else part


def _asked(function: ast.AST, ends: list[ast.expr]) -> Iterator[ast.expr]:
    """What is asked for the parameters that are given out at these ends."""
    if not any(_asks(node) for node in walk(function)):
        return iter(())
    named = _named(function)
    asking = (part.func for part in _led_to(ends, named) if isinstance(part, ast.Call))
    asked = [one.value for one in asking if isinstance(one, ast.Attribute) and _asks(one)]
    return _led_to(asked, named)


def _asks(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in ASKING


def _led_to(starts: list[ast.expr], named: Named) -> Iterator[ast.expr]:
    """The expressions that some others get their elements from, themselves first."""
    named, left = dict(named), list(starts)
    while left:
        part = left.pop()
        yield part
        left += named.pop(part.id, []) if isinstance(part, ast.Name) else _sources(part)


def _sources(part: ast.expr) -> list[ast.expr]:
    """What an expression only gathers, or takes its elements of."""
    match part:
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Dict(values=parts):
            return parts
        case ast.Subscript(value=value) | ast.Starred(value=value) | ast.DictComp(value=value):
            return [value]
        case ast.ListComp(elt=value) | ast.SetComp(elt=value) | ast.GeneratorExp(elt=value):
            return [value]
        case ast.BinOp(op=ast.Add()):
            return [part.left, part.right]
        case ast.Call(func=ast.Name(id=name)) if name in GATHERING | CHAINS:
            return part.args
        case ast.Call(func=ast.Attribute(attr=name)) if name in CHAINS:
            return part.args
        case ast.Call(func=ast.Attribute(attr=name, value=value)) if name in PARTS:
            return [value]
    return []


def _named(function: ast.AST) -> Named:
    """Of what the names of a function are made."""
    named: Named = {}
    for node in walk(function):
        for target, value in _bound(node):
            for part in walk(target):
                if isinstance(part, ast.Name):
                    named.setdefault(part.id, []).append(value)
    return named


def _bound(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The targets that a node binds or adds to, with what they get."""
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((target, value) for target in targets)
        case ast.AugAssign(target=target, value=value, op=ast.Add()):
            yield target, value
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield target, value
        case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
            yield target, value
        case ast.Call(func=ast.Attribute(value=target, attr=name), args=parts) if name in ADDING:
            yield from ((target, part) for part in parts)
