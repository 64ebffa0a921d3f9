"""What a name stands for, by how code uses it: a tensor, a number, an object with members."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import torch
from torch import nn

from autograd_lint.live.confirm.recipes import Recipe, Recipes, named
from autograd_lint.live.confirm.standins import guess, guess_word, is_number

MEMBER, ITEM = ".", "["
_INDEX, _INDEXING, _CALL, _TOLD = "[]", "at", "()", "told"
_ITERATED, _COUNTED, _TESTED = "iter", "count", "test"
_COUNTS = frozenset({"range", "view", "reshape", "expand", "repeat", "zeros", "ones", "empty"})
_LISTS = frozenset({"append", "extend", "insert", "pop"})
_DICTS = frozenset({"items", "keys", "values", "get", "update", "setdefault"})


@dataclass
class _Use:
    """How one value is used, and what is taken from it."""

    ways: set[str] = field(default_factory=set)
    parts: dict[str, _Use] = field(default_factory=dict)

    def part(self, key: str) -> _Use:
        return self.parts.setdefault(key, _Use())


def recipes_for(nodes: Iterable[ast.AST], names: Iterable[str]) -> Recipes:
    """A recipe for each name, and for what is taken from it: `self`, `self.weight`, ..."""
    uses = {name: _Use() for name in names}
    for node in nodes:
        _note(node, uses)
    found: Recipes = {}
    for name, use in uses.items():
        found.update(_recipes(name, name, use))
    return found


_SETTINGS = ("args", "cfg", "conf", "config", "hparams", "opt", "options", "params", "settings")


def with_structures(recipes: Recipes, node: ast.AST | None) -> Recipes:
    """The same, but for parameters whose members a function uses: those get them."""
    if node is None:
        return recipes
    found = dict(recipes)
    for name, recipe in recipes.items():
        if recipe.kind in ("tensor", "stand-in") and name not in _SETTINGS:
            own = recipes_for([node], [name])
            found.update(own if own[name].kind in ("object", "dictionary") else {})
    return found


def _note(node: ast.AST, uses: dict[str, _Use]) -> None:
    for inner in ast.walk(node):
        for child, way in _children(inner):
            use = _use_of(child, uses)
            if use is not None and way:
                use.ways.add(way)


def _children(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Parts of an expression, each with the way in which it is used there."""
    if isinstance(node, ast.Call):
        yield node.func, _CALL
        called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        called = node.func.id if isinstance(node.func, ast.Name) else called
        for argument in node.args:
            yield argument, _COUNTED if called in _COUNTS else ""
    elif isinstance(node, (ast.For, ast.comprehension)):
        yield node.iter, _ITERATED
    elif isinstance(node, (ast.If, ast.IfExp)):
        yield node.test, _TESTED
    elif isinstance(node, ast.BoolOp):
        yield from ((value, _TESTED) for value in node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand, _TESTED
    elif isinstance(node, ast.FormattedValue):
        yield node.value, _TOLD
    elif isinstance(node, (ast.Subscript, ast.Attribute)):
        yield node, ""
        if isinstance(node, ast.Subscript):
            yield node.slice, _INDEXING


def _use_of(node: ast.AST, uses: dict[str, _Use]) -> _Use | None:
    """The use that an expression is a part of, entered where it is new."""
    if isinstance(node, ast.Name):
        return uses.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = _use_of(node.value, uses)
        return owner.part(MEMBER + node.attr) if owner is not None else None
    if isinstance(node, ast.Subscript):
        owner = _use_of(node.value, uses)
        if owner is None:
            return None
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            return owner.part(ITEM + node.slice.value)
        if isinstance(node.slice, ast.JoinedStr):
            owner.part(ITEM)
            return None
        owner.ways.add(_INDEX)
    return None


def _recipes(path: str, name: str, use: _Use) -> Recipes:
    """The recipe for a value, and those for its members if it is to have some."""
    members = {key: part for key, part in use.parts.items() if key.startswith(MEMBER)}
    items = {key: part for key, part in use.parts.items() if key.startswith(ITEM)}
    own = [key for key in members if not hasattr(torch.Tensor, key[1:])]
    if items:
        return _with_parts(
            path, "dictionary", {key: one for key, one in items.items() if key != ITEM}
        )
    asked = {key[1:] for key in members}
    if asked & _DICTS:
        return {path: Recipe("dictionary")}
    if asked & _LISTS:
        return {path: Recipe("list")}
    kind = named(name)
    if kind is not None and all(_has(kind, key[1:]) for key in members):
        return {path: Recipe(kind)}
    if own or name == "self":
        return _with_parts(path, "object", members)
    return {path: _simple(name, use, is_tensor=bool(members))}


def _with_parts(path: str, kind: str, parts: dict[str, _Use]) -> Recipes:
    found = {path: Recipe(kind, value=tuple(parts))}
    for key, part in parts.items():
        found.update(_recipes(path + key, key[1:], part))
    return found


def _has(kind: str, member: str) -> bool:
    owners = {"optimizer": torch.optim.SGD, "model": nn.Module, "criterion": nn.Module}
    return hasattr(owners.get(kind, list), member) or member == "param_groups"


def _simple(name: str, use: _Use, *, is_tensor: bool) -> Recipe:
    if _CALL in use.ways:
        return Recipe("function")
    if is_tensor or _INDEX in use.ways:
        return Recipe("tensor")
    if _ITERATED in use.ways:
        return Recipe("tensors")
    if _TOLD in use.ways and not is_tensor:
        return Recipe("number", value=guess_word(name))
    if _INDEXING in use.ways:
        return Recipe("number", value=1)
    if _COUNTED in use.ways or is_number(name):
        return Recipe("number", value=guess(name))
    if _TESTED in use.ways:
        return Recipe("number", value=True)
    return Recipe("tensor")
