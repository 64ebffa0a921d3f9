"""What to hand to a parameter: guesses from its name and use, repairs from error messages."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn

from autograd_lint.live.confirm.standins import Record, StandIn, guess, guess_word

BASE = 8
Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to make one value: a tensor of a shape, a number, a module, an optimizer, ..."""

    kind: str
    shape: Shape = (BASE, BASE)
    value: Any = None

    def __str__(self) -> str:
        if self.kind in ("tensor", "integers"):
            return f"a {self.kind.removesuffix('s')} tensor of shape {list(self.shape)}"
        return repr(self.value) if self.kind == "number" else f"a {self.kind}"


Recipes = dict[str, Recipe]
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
    for kind, words in _WORDS.items():
        if name in words or f".{kind}" in uses:
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


def cook(recipes: Recipes, *, input_grad: bool, device: str) -> dict[str, Any]:
    """The values of a call, made anew."""
    made: dict[str, Any] = {}
    model = _model().to(device)
    for name, recipe in recipes.items():
        made[name] = _made(recipe, model, input_grad, device)
    return made


def _made(recipe: Recipe, model: nn.Module, input_grad: bool, device: str) -> Any:
    if recipe.kind == "tensor":
        tensor = torch.rand(recipe.shape, device=device) + 0.1
        return (tensor.requires_grad_() * 1.0) if input_grad else tensor
    if recipe.kind == "integers":
        return torch.randint(0, 2, recipe.shape, device=device)
    if recipe.kind == "tensors":
        one = replace(recipe, kind="tensor")
        return [_made(one, model, input_grad, device) for _ in range(recipe.value or 2)]
    simple: dict[str, Callable[[], Any]] = {
        "model": lambda: model,
        "optimizer": lambda: torch.optim.SGD(model.parameters(), lr=0.1),
        "criterion": lambda: nn.MSELoss(),
        "loader": lambda: [(torch.rand(BASE, BASE), torch.rand(BASE, BASE)) for _ in range(3)],
        "stand-in": StandIn,
        "record": lambda: Record(input_grad),
        "none": lambda: None,
    }
    return simple[recipe.kind]() if recipe.kind in simple else recipe.value


def _model() -> nn.Module:
    return nn.Sequential(nn.Linear(BASE, BASE), nn.Tanh(), nn.Linear(BASE, BASE))


_WRITTEN = {
    "model": "model",
    "optimizer": "torch.optim.SGD(model.parameters(), lr=0.1)",
    "criterion": "nn.MSELoss()",
    "loader": f"[(torch.rand({BASE}, {BASE}), torch.rand({BASE}, {BASE})) for _ in range(3)]",
    "none": "None",
}


def written(recipes: Recipes, *, input_grad: bool) -> str:
    """The arguments of a call as Python; what cannot be written down is `...`."""
    parts = [f"{name}={_code(recipe, input_grad)}" for name, recipe in recipes.items()]
    return ", ".join(parts)


def _code(recipe: Recipe, input_grad: bool) -> str:
    if recipe.kind == "tensor":
        grad = ".requires_grad_() * 1.0" if input_grad else ""
        return f"(torch.rand({recipe.shape}) + 0.1){grad}"
    if recipe.kind == "integers":
        return f"torch.randint(0, 2, {recipe.shape})"
    if recipe.kind == "tensors":
        one = _code(replace(recipe, kind="tensor"), input_grad)
        return f"[{one} for _ in range({recipe.value or 2})]"
    if recipe.kind == "number":
        return repr(int(recipe.value)) if isinstance(recipe.value, StandIn) else repr(recipe.value)
    return _WRITTEN.get(recipe.kind, "...")


# -- repairs ----------------------------------------------------------------------------------


def repaired(recipes: Recipes, message: str) -> Iterator[Recipes]:
    """The other recipes that a message asks for."""
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
)


def _ranks(recipes: Recipes, message: str) -> Iterator[Recipes]:
    wanted = [int(found[1]) for rank in _RANKS if (found := rank.search(message))]
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
