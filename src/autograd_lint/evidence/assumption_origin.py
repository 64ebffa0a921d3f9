"""Where what a fault takes to require grad comes from, as the code around it tells."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.faults import Fault
from autograd_lint.facts.body import parameters_of
from autograd_lint.facts.callers import Owner
from autograd_lint.facts.class_kinds import Definition
from autograd_lint.project.code import root_of
from autograd_lint.project.query import query

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_PIL = "PIL"
_OF_IMAGES = {"width", "height"}


def constructor_methods(fault: Fault, owner: Owner) -> list[Owner]:
    """The methods by which an object is given what a fault in another one needs.

    None where the one at fault is given something of that name itself.
    """
    if owner.cls is None or owner.function is None:
        return []
    names = given_names(fault)
    methods = [node for node in owner.cls.body if isinstance(node, Definition)]
    found = [method for method in methods if not names.isdisjoint(parameters_of(method))]
    return [] if owner.function in found else [Owner(owner.source, one, owner.cls) for one in found]


def works_on_images(owner: Owner) -> bool:
    """Whether a function is given an image, and whatever else comes with it: that is data.

    Images of PIL have a `size` of two, where that of a tensor is called, a `width` and a `height`.
    """
    if owner.function is None:
        return False
    asked = _asked(owner.function)
    return "size" in asked or (not asked.isdisjoint(_OF_IMAGES) and _PIL in owner.source.text)


def given_parts(fault: Fault) -> list[ast.expr | None]:
    """The expressions that a fault takes to require grad though the code is only given them."""
    return [_expression(why) for why in _given(fault)]


def given_names(fault: Fault) -> frozenset[str]:
    """The names that these expressions start with; empty for none."""
    return frozenset(root_of(part) if part else "" for part in given_parts(fault))


def given_identifiers(fault: Fault) -> frozenset[str]:
    """All identifiers in what a fault takes to require grad though the code is only given it."""
    return frozenset(word for why in _given(fault) for word in _IDENTIFIER.findall(why.about))


def needs_given_tensor(fault: Fault) -> bool:
    """Whether a tensor must require grad that the code is given: parameters of a module do."""
    return any(why.kind is Kind.REQUIRES_GRAD for why in _given(fault))


def _given(fault: Fault) -> Iterator[Assumption]:
    return (why for why in fault.assumptions if why.given and why.weight)


def _expression(why: Assumption) -> ast.expr | None:
    """The expression that an assumption is about."""
    try:
        return ast.parse(why.about, mode="eval").body
    except (SyntaxError, ValueError):
        return None  # it was cut short, or is the name that we gave it


@query
def _asked(function: ast.AST) -> set[str]:
    """What is asked of the parameters of a function: their `size` only where it is a pair."""
    assert isinstance(function, Definition)
    names = set(parameters_of(function))
    found = {_member(node, names) for node in ast.walk(function)}
    pairs = [node for node in ast.walk(function) if isinstance(node, ast.Assign)]
    sizes = {_member(node.value, names) for node in pairs if _is_pair(node.targets[0])}
    return (found - {"size"}) | (sizes & {"size"})


def _is_pair(target: ast.expr) -> bool:
    return isinstance(target, (ast.Tuple, ast.List)) and len(target.elts) == 2


def _member(node: ast.AST, names: set[str]) -> str:
    """The attribute of a parameter that a node asks for."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return ""
    return node.attr if node.value.id in names else ""
