"""Steps for code that nobody runs: construct, call, backward, optimizer step, and again."""

from __future__ import annotations

import ast
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from autograd_lint.live.confirm.cooking import PREPARED, Inputs, cook, written
from autograd_lint.live.confirm.executed import Executed
from autograd_lint.live.confirm.jobs import Harness, Job
from autograd_lint.live.confirm.loading import Loaded, module_name
from autograd_lint.live.confirm.recipes import (
    Recipes,
    constructor_recipes,
    first_recipes,
    options_of,
)
from autograd_lint.live.confirm.search import Attempt, Trial, search
from autograd_lint.live.confirm.uses import with_structures
from autograd_lint.live.confirm.watch.values import Given, given
from autograd_lint.live.messages import classify

STEPS = 3
SECONDS = 6.0
PATIENCE = 4.0


class Stopped(Exception):
    """A witness could not be built; the text says why."""


@dataclass
class Notes:
    """What was assumed to drive a target, the same as a program, and the tensors handed over."""

    assumptions: list[str] = field(default_factory=list)
    program: str = ""
    handed: list[Given] = field(default_factory=list)


def harness_for(job: Job, tree: ast.Module, notes: Notes) -> Callable[[], None]:
    """What drives the target of a job, with arguments that were found by trying.

    Raises Stopped where there are none.
    """
    loaded = Loaded(job.filename, tree, job.root)
    notes.assumptions += loaded.assumptions
    builder = _Builder(job, loaded, notes)
    if job.harness is Harness.FUNCTION:
        function = _found(loaded, job.target)
        return builder.repeated([Way(lambda: function)], job.target)
    cls = _found(loaded, job.target)
    name = job.method or "forward"
    ways = [Way(make, name) for make in builder.constructors(cls)]
    return builder.repeated(ways, f"{job.target}.{name}")


@dataclass(frozen=True)
class Maker:
    """How to make an instance of a class."""

    make: Callable[[type, Recipes], Any]
    cls: type
    recipes: Recipes

    def __call__(self) -> Any:
        return self.make(self.cls, self.recipes)


@dataclass(frozen=True)
class Way:
    """How to come by what is called: a method of a new instance, or a function itself."""

    make: Callable[[], Any]
    method: str = ""

    def prepare(self) -> tuple[Any, Callable[..., Any]]:
        """The owner, and what to call."""
        owner = self.make()
        return owner, owner if self.method in ("", "forward") else getattr(owner, self.method)

    def written(self, target: str) -> str:
        """The line of a program that does the same."""
        if not isinstance(self.make, Maker):
            return f"called = {target}"
        method = "" if self.method == "forward" else f".{self.method}"
        made = f"{target}({_listed(self.make.recipes, Inputs())})"
        return f"owner = {made}\ncalled = owner{method}"


def _found(loaded: Loaded, path: str) -> Any:
    value: Any = loaded.module
    for name in path.split("."):
        value = getattr(value, name, None)
    if value is None or not callable(value):
        raise Stopped(f"`{path}` could not be made")
    return value


class _Builder:
    def __init__(self, job: Job, loaded: Loaded, notes: Notes) -> None:
        self._job = job
        self._loaded = loaded
        self._notes = notes
        self._nodes = _definitions(loaded.tree)
        self._deadline = time.process_time() + job.seconds * 0.6

    def constructors(self, cls: type) -> list[Maker]:
        """Ways to make an instance: with arguments that were found, with options changed."""
        node = self._nodes.get(f"{self._job.target}.__init__")
        first, options = constructor_recipes(cls, node), options_of(cls)
        found = self._search(first, {}, lambda recipes: self._make(cls, recipes), goal=False)
        self._note(f"{self._job.target}()", found)
        single = [dict([one]) for one in options.items()]
        pairs = [dict(two) for two in itertools.combinations(options.items(), 2)]
        others = [{**found.recipes, **changed} for changed in (*single, *pairs)]
        return [Maker(self._make, cls, recipes) for recipes in [found.recipes, *others]]

    def repeated(self, ways: list[Way], path: str) -> Callable[[], None]:
        """How to run the steps of a training loop around what one of `ways` prepares."""
        best: tuple[Way, Attempt] | None = None
        for way in ways:
            try:
                found = self._arguments(way, path)
            except Exception:
                continue  # an option that the constructor refuses
            if best is None or _better(found, best[1]):
                best = (way, found)
            if best[1].hit or time.process_time() > self._deadline:
                break
            if best[1].on_goal:
                self._deadline = min(self._deadline, time.process_time() + PATIENCE)
        if best is None:
            raise Stopped(f"`{path}` could not be prepared")
        way, found = best
        self._notes.program = _program(self._job, way, found.recipes)
        self._note(path, found)

        def run() -> None:
            self._notes.handed.clear()
            torch.manual_seed(0)
            owner, called = way.prepare()
            self._train(owner, called, found.recipes, STEPS)

        return run

    def _arguments(self, way: Way, path: str) -> Attempt:
        owner, called = way.prepare()
        function = owner.forward if called is owner and isinstance(owner, nn.Module) else called
        node = self._nodes.get(path)
        first = with_structures(first_recipes(function, node), node)
        if isinstance(owner, nn.Module) and called is owner:
            first = fitted(first, owner)

        def once(recipes: Recipes) -> None:
            owner, called = way.prepare()
            self._train(owner, called, recipes, 1)

        return self._search(first, options_of(function), once, goal=True)

    def _make(self, cls: type, recipes: Recipes) -> Any:
        made = cls(**cook(recipes, Inputs(device=self._job.device)))
        return made.to(self._job.device) if isinstance(made, nn.Module) else made

    def _train(self, owner: Any, called: Callable[..., Any], recipes: Recipes, steps: int) -> None:
        """The canonical training step, some times."""
        if isinstance(owner, nn.Module):
            owner.train()
        parameters = _parameters(owner)
        for _ in range(steps):
            values = cook(recipes, Inputs(self._job.input_grad, device=self._job.device))
            self._notes.handed += given(tensors(values))
            differentiate(called(**values))
            with torch.no_grad():
                for parameter in parameters:
                    if parameter.grad is not None:
                        parameter.add_(parameter.grad, alpha=-0.01)
                        parameter.grad = None

    def _search(
        self, first: Recipes, options: Recipes, call: Callable[[Recipes], Any], *, goal: bool
    ) -> Attempt:
        executed = Executed(self._job.filename)

        def traced(recipes: Recipes) -> None:
            executed.rows.clear()
            with executed:
                call(recipes)

        rows = set(self._job.goal) if goal else set()
        trial = Trial(
            traced,
            lambda: len(executed.rows),
            lambda: rows <= executed.rows,
            lambda error: goal and kind_of(error) == self._job.wanted != "",
            goal and self._job.wanted != "",
        )
        deadline = min(self._deadline, time.process_time() + SECONDS)
        return search(first, options, trial, deadline)

    def _note(self, path: str, found: Attempt) -> None:
        for name, recipe in found.recipes.items():
            self._notes.assumptions.append(f"`{name}` of `{path}` is {recipe}")
        if self._job.input_grad:
            self._notes.assumptions.append("tensor arguments require grad")
        if found.error is not None:
            raise Stopped(f"no arguments were found with which `{path}` runs: {found.error}")


def _program(job: Job, way: Way, recipes: Recipes) -> str:
    """The witness as a file that a user can run and hand on."""
    name, folder = module_name(job.filename)
    return f"""\
import sys
from types import SimpleNamespace

import torch
from torch import nn

sys.path[:0] = {[folder, *([job.root] if job.root else [])]!r}
from {name} import {job.target.partition(".")[0]}

torch.manual_seed(0)
{PREPARED}
{way.written(job.target)}
trained = list(getattr(called, "parameters", list)())
for step in range({STEPS}):
    result = called({_listed(recipes, Inputs(job.input_grad))})
    results = result if isinstance(result, (list, tuple)) else [result]
    roots = [one for one in results if isinstance(one, torch.Tensor) and one.requires_grad]
    torch.autograd.backward(roots, [torch.ones_like(one) for one in roots])
    with torch.no_grad():
        for parameter in trained:
            if parameter.grad is not None:
                parameter.add_(parameter.grad, alpha=-0.01)
                parameter.grad = None
"""


def _listed(recipes: Recipes, inputs: Inputs) -> str:
    """The arguments of a call as Python."""
    return ", ".join(f"{name}={code}" for name, code in written(recipes, inputs).items())


def _better(one: Attempt, other: Attempt) -> bool:
    def rank(attempt: Attempt) -> tuple[bool, bool, bool]:
        return attempt.hit, attempt.error is None, attempt.on_goal

    return rank(one) > rank(other)


def kind_of(error: Exception) -> str | None:
    """The kind of an error of autograd's, None for others."""
    kind = classify(error)
    return kind.value if kind else None


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


def differentiate(result: Any) -> None:
    """Backward from everything in a result that requires grad, once each."""
    roots = [tensor for tensor in tensors(result) if tensor.requires_grad]
    unique = list({id(tensor): tensor for tensor in roots}.values())
    if unique:
        torch.autograd.backward(unique, [torch.ones_like(tensor) for tensor in unique])


def tensors(value: Any, depth: int = 3) -> list[torch.Tensor]:
    """The tensors in lists, tuples and dictionaries."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)) and depth:
        return [tensor for item in value for tensor in tensors(item, depth - 1)]
    return []
