"""Steps for code that nobody runs: construct, call, backward, optimizer step, and again."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from autograd_lint.live.confirm.executed import Executed
from autograd_lint.live.confirm.jobs import Drive, Job
from autograd_lint.live.confirm.loading import Loaded
from autograd_lint.live.confirm.recipes import (
    Recipes,
    constructor_recipes,
    cook,
    first_recipes,
)
from autograd_lint.live.confirm.search import Attempt, search

STEPS = 3


class Stopped(Exception):
    """A witness could not be built; the text says why."""


def driver_for(job: Job, tree: ast.Module, assumptions: list[str]) -> Callable[[], None]:
    """What drives the target of a job, with arguments that were found by trying.

    Raises Stopped where there are none.
    """
    loaded = Loaded(job.filename, tree, job.root)
    assumptions += loaded.assumptions
    builder = _Builder(job, loaded, assumptions)
    if job.drive is Drive.FUNCTION:
        function = _found(loaded, job.target)
        return builder.repeated(lambda: (function, function), job.target)
    cls = _found(loaded, job.target)
    make = builder.constructor(cls)
    name = job.method or "forward"

    def prepare() -> tuple[Any, Callable[..., Any]]:
        instance = make()
        called = instance if name == "forward" else getattr(instance, name)
        return instance, called

    return builder.repeated(prepare, f"{job.target}.{name}")


def _found(loaded: Loaded, path: str) -> Any:
    value: Any = loaded.module
    for name in path.split("."):
        value = getattr(value, name, None)
    if value is None or not callable(value):
        raise Stopped(f"`{path}` could not be made")
    return value


class _Builder:
    def __init__(self, job: Job, loaded: Loaded, assumptions: list[str]) -> None:
        self._job = job
        self._loaded = loaded
        self._assumptions = assumptions
        self._nodes = _definitions(loaded.tree)

    def constructor(self, cls: type) -> Callable[[], Any]:
        """How to make an instance, with arguments that were found."""
        first = constructor_recipes(cls, self._nodes.get(f"{self._job.target}.__init__"))
        found = self._search(first, lambda recipes: self._make(cls, recipes))
        self._note(f"{self._job.target}()", found)
        return lambda: self._make(cls, found.recipes)

    def repeated(
        self, prepare: Callable[[], tuple[Any, Callable[..., Any]]], path: str
    ) -> Callable[[], None]:
        """How to run the steps of a training loop around what `prepare` gives."""
        owner, called = prepare()
        function = owner.forward if called is owner and isinstance(owner, nn.Module) else called
        first = first_recipes(function, self._nodes.get(path))
        if isinstance(owner, nn.Module) and called is owner:
            first = fitted(first, owner)

        def once(recipes: Recipes) -> None:
            owner, called = prepare()
            self._train(owner, called, recipes, 1)

        found = self._search(first, once)
        self._note(path, found)

        def run() -> None:
            torch.manual_seed(0)
            owner, called = prepare()
            self._train(owner, called, found.recipes, STEPS)

        return run

    def _make(self, cls: type, recipes: Recipes) -> Any:
        made = cls(**cook(recipes, input_grad=False, device=self._job.device))
        return made.to(self._job.device) if isinstance(made, nn.Module) else made

    def _train(self, owner: Any, called: Callable[..., Any], recipes: Recipes, steps: int) -> None:
        """The canonical training step, some times."""
        if isinstance(owner, nn.Module):
            owner.train()
        parameters = _parameters(owner)
        for _ in range(steps):
            values = cook(recipes, input_grad=self._job.input_grad, device=self._job.device)
            _differentiate(called(**values))
            with torch.no_grad():
                for parameter in parameters:
                    if parameter.grad is not None:
                        parameter.add_(parameter.grad, alpha=-0.01)
                        parameter.grad = None

    def _search(self, first: Recipes, call: Callable[[Recipes], Any]) -> Attempt:
        executed = Executed(self._job.filename)

        def traced(recipes: Recipes) -> None:
            executed.rows.clear()
            with executed:
                call(recipes)

        return search(first, traced, lambda: len(executed.rows))

    def _note(self, path: str, found: Attempt) -> None:
        for name, recipe in found.recipes.items():
            self._assumptions.append(f"`{name}` of `{path}` is {recipe}")
        if self._job.input_grad:
            self._assumptions.append("tensor arguments require grad")
        if found.error is not None:
            raise Stopped(f"no arguments were found with which `{path}` runs: {found.error}")


def _definitions(tree: ast.Module) -> dict[str, ast.AST]:
    """Functions and methods by dotted name."""
    found: dict[str, ast.AST] = {}
    stack: list[tuple[str, ast.AST]] = [("", tree)]
    while stack:
        prefix, node = stack.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                found[prefix + child.name] = child
                stack.append((f"{prefix}{child.name}.", child))
            elif isinstance(child, ast.stmt):
                stack.append((prefix, child))
    return found


def fitted(recipes: Recipes, module: nn.Module) -> Recipes:
    """The first tensor argument as the module's first layer wants it."""
    from dataclasses import replace

    shape, kind = _wanted(module)
    for name, recipe in recipes.items():
        if recipe.kind == "tensor" and shape is not None:
            return {**recipes, name: replace(recipe, kind=kind, shape=shape)}
    return recipes


def _wanted(module: nn.Module) -> tuple[tuple[int, ...] | None, str]:
    for layer in module.modules():
        if isinstance(layer, (nn.Conv1d, nn.Conv2d, nn.Conv3d)):
            return (2, layer.in_channels, *[16] * len(layer.kernel_size)), "tensor"
        if isinstance(layer, (nn.BatchNorm2d, nn.InstanceNorm2d)):
            return (2, layer.num_features, 16, 16), "tensor"
        if isinstance(layer, nn.BatchNorm1d):
            return (4, layer.num_features), "tensor"
        if isinstance(layer, nn.Linear):
            return (2, layer.in_features), "tensor"
        if isinstance(layer, nn.Embedding):
            return (2, 4), "integers"
        if isinstance(layer, nn.RNNBase):
            return (2, 2, layer.input_size), "tensor"
        if isinstance(layer, nn.RNNCellBase):
            return (2, layer.input_size), "tensor"
        if isinstance(layer, nn.LayerNorm):
            return (2, 2, *layer.normalized_shape), "tensor"
    return None, "tensor"


def _parameters(owner: Any) -> list[nn.Parameter]:
    if isinstance(owner, nn.Module):
        return list(owner.parameters())
    members = getattr(owner, "__dict__", {}).values()
    return [p for member in members if isinstance(member, nn.Module) for p in member.parameters()]


def _differentiate(result: Any) -> None:
    roots = [tensor for tensor in _tensors(result) if tensor.requires_grad]
    unique = list({id(tensor): tensor for tensor in roots}.values())
    if unique:
        torch.autograd.backward(unique, [torch.ones_like(tensor) for tensor in unique])


def _tensors(value: Any, depth: int = 3) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)) and depth:
        return [tensor for item in value for tensor in _tensors(item, depth - 1)]
    return []
