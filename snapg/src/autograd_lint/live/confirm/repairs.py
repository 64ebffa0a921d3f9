"""Other recipes where a call failed: what its message asks for, and what else there is."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace

from autograd_lint.live.confirm.recipes import BASE, Recipe, Recipes, Shape


def repaired(recipes: Recipes, message: str) -> Iterator[Recipes]:
    """The other recipes that a message asks for."""
    yield from _members(recipes, message)
    yield from _sizes(recipes, message)
    yield from _dtypes(recipes, message)
    yield from _ranks(recipes, message)


def varied(recipes: Recipes, options: Recipes) -> Iterator[Recipes]:
    """Recipes in which one parameter is something else, or an option is not left to its default."""
    for name, option in options.items():
        if name not in recipes:
            yield {**recipes, name: option}
    for name, recipe in recipes.items():
        for other in _others(recipe):
            yield {**recipes, name: other}


_LACKING = (
    # what a message says that a value lacks, and what it may be instead
    (re.compile(r"object has no attribute '(?:items|keys|values|get|update)'"), ("dictionary",)),
    (re.compile(r"object has no attribute '(?:append|extend)'"), ("list",)),
    (re.compile(r"object has no attribute '(?:step|zero_grad)'"), ("optimizer",)),
    (re.compile(r"object has no attribute '(?:parameters|train|eval)'"), ("model",)),
    (re.compile(r"object has no attribute"), ("record", "stand-in")),
    (re.compile(r"not callable"), ("function", "criterion")),
    (re.compile(r"expected np.ndarray|expected a numpy|numpy.ndarray"), ("array",)),
    (re.compile(r"[Bb]ool(?:ean)? tensor|must be bool"), ("flags",)),
)


_KIND_OF = {
    # the type that a message names, and the recipes that give it
    "Tensor": ("tensor", "integers", "flags"),
    "Sequential": ("model",),
    "Layer": ("function",),
    "list": ("tensors", "loader", "list"),
    "dict": ("dictionary",),
    "int": ("number",),
    "float": ("number",),
    "StandIn": ("number", "stand-in"),
    "SGD": ("optimizer",),
}
_BLAMED = re.compile(r"'(\w+)' object")


def _members(recipes: Recipes, message: str) -> Iterator[Recipes]:
    blamed = _BLAMED.search(message)
    there = _KIND_OF.get(blamed[1], ()) if blamed else ()
    for pattern, kinds in _LACKING:
        if not pattern.search(message):
            continue
        for kind, (name, recipe) in itertools.product(kinds, recipes.items()):
            if recipe.kind != kind and (recipe.kind in there or not blamed):
                yield {**recipes, name: replace(recipe, kind=kind, value=None)}
        return


_SIZE_PAIRS = (
    # message, group with the size that is there, group with the size that is wanted
    (r"\(\d+x(\d+) and (\d+)x\d+\)", 1, 2),
    (r"to have (\d+) channels, but got (\d+) channels", 2, 1),
    (r"tensor a \((\d+)\) must match the size of tensor b \((\d+)\)", 1, 2),
    (r"tensor a \((\d+)\) must match the size of tensor b \((\d+)\)", 2, 1),
    (r"[Ee]xpected (\d+), got (\d+)", 2, 1),
    (r"target size.*\[(\d+).*input size.*\[(\d+)", 1, 2),
    (r"input batch_size \((\d+)\) to match target batch_size \((\d+)\)", 1, 2),
    (r"size \((\d+), (\d+), (\d+)\), got \[(\d+), (\d+), (\d+)\]", 2, 5),
    (r"[Ee]xpected index \[(\d+)[\d, ]*\] to be (?:no larger|smaller) than self \[(\d+)", 1, 2),
    (r"nnz from indices: (\d+), nnz from values: (\d+)", 2, 1),
    (r"nnz from indices: (\d+), nnz from values: (\d+)", 1, 2),
    (r"expected input with shape \[\*, (\d+)\], but got input of size\[(?:\d+, )*(\d+)\]", 2, 1),
)


def _sizes(recipes: Recipes, message: str) -> Iterator[Recipes]:
    for pattern, there, wanted in _SIZE_PAIRS:
        found = re.search(pattern, message)
        if found is None:
            continue
        old, new = int(found[there]), int(found[wanted])
        for name, recipe in recipes.items():
            for index in reversed(range(len(recipe.shape))):
                if recipe.kind in ("tensor", "integers") and recipe.shape[index] == old:
                    shape = (*recipe.shape[:index], new, *recipe.shape[index + 1 :])
                    yield {**recipes, name: replace(recipe, shape=shape)}


_WANTS_INTEGERS = re.compile(r"Long|must be long|Int but got|indices|index")


def _dtypes(recipes: Recipes, message: str) -> Iterator[Recipes]:
    if not _WANTS_INTEGERS.search(message):
        return
    for name, recipe in recipes.items():
        if recipe.kind == "tensor":
            yield {**recipes, name: replace(recipe, kind="integers")}


_RANKS = (
    re.compile(r"unpack \(expected (\d)"),
    re.compile(r"[Ee]xpected (?:\dD or |\d-D or )?(\d)-?D"),
    re.compile(r"must be (\d)-?D"),
    re.compile(r"(\d)D tensor expected"),
    re.compile(r"number of subscripts in the equation \((\d)\)"),
    re.compile(r"only supports (\d)-dimension"),
    re.compile(r"values to unpack \(expected (\d)"),
)


def _ranks(recipes: Recipes, message: str) -> Iterator[Recipes]:
    wanted = [int(found[1]) for rank in _RANKS if (found := rank.search(message))]
    missing = re.search(r"Dimension out of range .*but got (\d)", message)
    wanted += [int(missing[1]) + 1] if missing else []
    for rank in wanted:
        for name, recipe in recipes.items():
            if recipe.kind in ("tensor", "integers") and len(recipe.shape) != rank:
                yield {**recipes, name: replace(recipe, shape=(2, *[BASE] * (rank - 1))[:rank])}
        for name, recipe in recipes.items():
            if recipe.kind == "tensor":
                yield {**recipes, name: replace(recipe, kind="tensors", value=rank)}


_SHAPES: tuple[Shape, ...] = (
    (BASE, BASE),
    (2, BASE, BASE),
    (2, BASE, BASE, BASE),
    (BASE,),
    (2, 3, 16, 16),
    (2, BASE, 16, 16),
    (),
)


_KINDS = (
    "record",
    "integers",
    "model",
    "stand-in",
    "tensors",
    "none",
    "loader",
    "optimizer",
    "criterion",
)


def _others(recipe: Recipe) -> Iterator[Recipe]:
    """Every other thing that a parameter may be."""
    for shape in _SHAPES:
        if shape != recipe.shape or recipe.kind != "tensor":
            yield Recipe("tensor", shape)
    for kind in _KINDS:
        if kind != recipe.kind:
            yield Recipe(kind)
    for value in (2, 1, 4, 16, 0.5, True, False, [BASE, BASE]):
        if recipe.kind != "number" or recipe.value != value:
            yield Recipe("number", value=value)
