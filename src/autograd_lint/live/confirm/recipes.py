"""What to hand to a parameter: guesses from its name and use."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from autograd_lint.live.confirm.standins import guess, guess_word

BASE = 8
Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to make one value: a tensor of a shape, a number, a module, an optimizer, ..."""

    kind: str
    shape: Shape = (BASE, BASE)
    value: Any = None

    def __str__(self) -> str:
        if self.kind == "number":
            return repr(self.value)
        if self.kind in _TENSORS:
            return f"{_TENSORS[self.kind]} of shape {list(self.shape)}"
        return f"an {self.kind}" if self.kind.startswith(_VOWELS) else f"a {self.kind}"


Recipes = dict[str, Recipe]
_TENSORS = {"tensor": "a tensor", "integers": "an integer tensor"}
_VOWELS = ("a", "e", "i", "o", "u")
_WORDS = {
    "optimizer": ("opt", "optimizer", "optim"),
    "criterion": ("criterion", "loss_fn", "loss_func", "loss_function"),
    "loader": ("loader", "dataloader", "train_loader", "batches", "dataset", "data_loader"),
    "model": ("model", "net", "network", "module", "encoder", "decoder", "actor", "critic"),
}
_SWITCHES = ("inplace", "training", "train", "bias", "return_", "use_", "is_")


def first_recipes(function: Callable[..., Any], node: ast.AST | None) -> Recipes:
    """A first guess for every parameter that has no default."""
    found: Recipes = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.default is parameter.empty and parameter.kind in (
            parameter.POSITIONAL_ONLY,
            parameter.POSITIONAL_OR_KEYWORD,
            parameter.KEYWORD_ONLY,
        ):
            found[parameter.name] = _first(parameter, _uses(node, parameter.name))
    return found


def options_of(function: Callable[..., Any]) -> Recipes:
    """For parameters with a default another value: the other truth value, a tensor for None."""
    found: Recipes = {}
    for parameter in inspect.signature(function).parameters.values():
        default = parameter.default
        if isinstance(default, bool):
            found[parameter.name] = Recipe("number", value=not default)
        elif default is None:
            found[parameter.name] = _first(parameter, frozenset())
        elif isinstance(default, (int, float)):
            found[parameter.name] = Recipe("number", value=default * 2 or 1)
    return found


def _first(parameter: inspect.Parameter, uses: frozenset[str]) -> Recipe:
    annotation = str(parameter.annotation)
    name = parameter.name.lower()
    kind = named(name) or next((kind for kind in _WORDS if f".{kind}" in uses), None)
    if kind is not None:
        return Recipe(kind)
    if "Tensor" in annotation:
        return Recipe("tensor")
    for text, value in (
        ("int", guess(name)),
        ("float", 0.5),
        ("bool", False),
        ("str", guess_word(name)),
    ):
        if text in annotation:
            return Recipe("number", value=int(value) if text == "int" else value)
    if "Module" in annotation:
        return Recipe("model")
    if ".call" in uses:
        return Recipe("model")
    if ".iter" in uses:
        return Recipe("loader")
    if name.startswith(_SWITCHES):
        return Recipe("number", value=False)
    if ".setting" in uses:
        return Recipe("stand-in")
    return Recipe("tensor")


def named(name: str) -> str | None:
    """The kind of value that a name promises: an optimizer, a model; None for most names."""
    return next((kind for kind, words in _WORDS.items() if name.lower() in words), None)


def _uses(node: ast.AST | None, name: str) -> frozenset[str]:
    """How a function uses a parameter: `.call`, `.iter`, `.optimizer`, `.model`, `.setting`."""
    found = set()
    for inner in ast.walk(node) if node is not None else ():
        if isinstance(inner, ast.Call) and _is(inner.func, name):
            found.add(".call")
        elif isinstance(inner, ast.For) and _is(inner.iter, name):
            found.add(".iter")
        elif isinstance(inner, ast.Attribute) and _is(inner.value, name):
            found.add(_MEMBERS.get(inner.attr) or _member(inner.attr))
    return frozenset(found)


def _member(attribute: str) -> str:
    return ".member" if hasattr(torch.Tensor, attribute) else ".setting"


_MEMBERS = {"step": ".optimizer", "zero_grad": ".optimizer", "parameters": ".model"}


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def constructor_recipes(cls: type, node: ast.AST | None) -> Recipes:
    """First guesses for a constructor: numbers by name, where a function would get tensors."""
    found = first_recipes(cls, node)
    for name, recipe in found.items():
        if recipe.kind == "tensor":
            found[name] = Recipe("number", value=guess(name))
    return found
