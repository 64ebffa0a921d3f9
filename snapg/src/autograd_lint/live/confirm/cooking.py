"""Values made of recipes, and the same as text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn

from autograd_lint.live.confirm.recipes import BASE, Recipe, Recipes
from autograd_lint.live.confirm.standins import Record, StandIn

_MEMBERS = (".", "[")


@dataclass(frozen=True, slots=True)
class Inputs:
    """What is assumed of all tensors that are made up.

    `leaves` are not computed from others; `trained` parameters hold gradients already.
    """

    requires_grad: bool = False
    leaves: bool = False
    trained: bool = False
    device: str = "cpu"


class Layer(nn.Module):
    """A function with a parameter: gives back its first tensor, scaled."""

    def __init__(self, scale: nn.Parameter) -> None:
        super().__init__()
        self.scale = scale

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The first tensor times a parameter; a matrix where there is none."""
        given = [one for one in (*args, *kwargs.values()) if isinstance(one, torch.Tensor)]
        first = given[0] if given else torch.rand(BASE, BASE, device=self.scale.device)
        return first * self.scale


class Thing(Record):
    """An object with the members that code asks for; it can be called as a layer can."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return Layer(nn.Parameter(torch.ones(())))(*args, **kwargs)


def is_member(name: str) -> bool:
    """Whether a recipe is that of a part of another value."""
    return any(mark in name for mark in _MEMBERS)


def cook(recipes: Recipes, inputs: Inputs) -> dict[str, Any]:
    """The values of a call, made anew."""
    cooking = _Cooking(recipes, inputs)
    return {name: cooking.made(name) for name in recipes if not is_member(name)}


def held(values: list[Any]) -> list[torch.Tensor]:
    """The tensors among values, and among the members of those that have some."""
    found: list[torch.Tensor] = []
    for value in values:
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif isinstance(value, (list, dict, Thing)):
            parts = vars(value) if isinstance(value, Thing) else value
            found += held(list(parts.values()) if isinstance(parts, dict) else parts)
    return found


class _Cooking:
    """One set of values, around one network."""

    def __init__(self, recipes: Recipes, inputs: Inputs) -> None:
        self._recipes = recipes
        self._inputs = inputs
        self._model = _model().to(inputs.device)
        self._layer = Layer(nn.Parameter(torch.ones((), device=inputs.device)))
        for parameter in self._parameters() if inputs.trained else ():
            parameter.grad = torch.ones_like(parameter)

    def made(self, name: str) -> Any:
        """The value of one recipe."""
        recipe = self._recipes[name]
        if recipe.kind == "object":
            thing = Thing(self._unknown)
            for key in recipe.value:
                setattr(thing, key[1:], self.made(name + key))
            return thing
        if recipe.kind == "dictionary" and recipe.value:
            return {key[1:]: self.made(name + key) for key in recipe.value}
        return self._simple(recipe)

    def _simple(self, recipe: Recipe) -> Any:
        device = self._inputs.device
        if recipe.kind == "tensor":
            return self._tensor(recipe)
        if recipe.kind == "integers":
            return torch.randint(0, 2, recipe.shape, device=device)
        if recipe.kind == "flags":
            return torch.arange(torch.Size(recipe.shape).numel()).reshape(recipe.shape) % 2 == 0
        if recipe.kind == "tensors":
            return [self._tensor(recipe) for _ in range(recipe.value or 2)]
        simple: dict[str, Callable[[], Any]] = {
            "model": lambda: self._model,
            "function": lambda: self._layer,
            "optimizer": lambda: torch.optim.SGD(self._parameters(), lr=0.1),
            "criterion": lambda: nn.MSELoss(),
            "loader": lambda: [(torch.rand(BASE, BASE), torch.rand(BASE, BASE)) for _ in range(3)],
            "stand-in": StandIn,
            "record": lambda: Record(self._unknown),
            "list": list,
            "dictionary": dict,
            "array": lambda: torch.rand(recipe.shape).numpy(),
            "none": lambda: None,
        }
        return simple[recipe.kind]() if recipe.kind in simple else recipe.value

    def _unknown(self) -> torch.Tensor:
        return self._tensor(Recipe("tensor"))

    def _tensor(self, recipe: Recipe) -> torch.Tensor:
        tensor = torch.rand(recipe.shape, device=self._inputs.device) + 0.1
        if not self._inputs.requires_grad:
            return tensor
        leaf = tensor.requires_grad_()
        return leaf if self._inputs.leaves else leaf * 1.0

    def _parameters(self) -> list[nn.Parameter]:
        return [*self._model.parameters(), *self._layer.parameters()]


def _model() -> nn.Module:
    return nn.Sequential(nn.Linear(BASE, BASE), nn.Tanh(), nn.Linear(BASE, BASE))


_WRITTEN = {
    "model": "model",
    "function": "layer",
    "optimizer": "torch.optim.SGD(parameters, lr=0.1)",
    "criterion": "nn.MSELoss()",
    "loader": f"[(torch.rand({BASE}, {BASE}), torch.rand({BASE}, {BASE})) for _ in range(3)]",
    "list": "[]",
    "array": f"torch.rand({BASE}, {BASE}).numpy()",
    "none": "None",
}
PREPARED = f"""\
model = nn.Sequential(nn.Linear({BASE}, {BASE}), nn.Tanh(), nn.Linear({BASE}, {BASE}))
scale = nn.Parameter(torch.ones(()))
parameters = [*model.parameters(), scale]


def layer(first, *others, **named):
    return first * scale
"""


def written(recipes: Recipes, inputs: Inputs) -> dict[str, str]:
    """The same values as Python, after `PREPARED`; what cannot be written down is `...`."""
    return {name: _code(name, recipes, inputs) for name in recipes if not is_member(name)}


def _code(name: str, recipes: Recipes, inputs: Inputs) -> str:
    recipe = recipes[name]
    if recipe.kind in ("object", "dictionary"):
        parts = {key[1:]: _code(name + key, recipes, inputs) for key in recipe.value or ()}
        if recipe.kind == "object":
            given = ", ".join(f"{key}={code}" for key, code in parts.items())
            return f"SimpleNamespace({given})"
        return "{" + ", ".join(f"{key!r}: {code}" for key, code in parts.items()) + "}"
    if recipe.kind == "tensor":
        grad = ".requires_grad_()" if inputs.requires_grad else ""
        copied = " * 1.0" if inputs.requires_grad and not inputs.leaves else ""
        return f"(torch.rand({recipe.shape}) + 0.1){grad}{copied}"
    if recipe.kind == "integers":
        return f"torch.randint(0, 2, {recipe.shape})"
    if recipe.kind == "flags":
        count = torch.Size(recipe.shape).numel()
        return f"torch.arange({count}).reshape({recipe.shape}) % 2 == 0"
    if recipe.kind == "tensors":
        one = _code("one", {"one": replace(recipe, kind="tensor")}, inputs)
        return f"[{one} for _ in range({recipe.value or 2})]"
    if recipe.kind == "number":
        return repr(int(recipe.value)) if isinstance(recipe.value, StandIn) else repr(recipe.value)
    return _WRITTEN.get(recipe.kind, "...")
