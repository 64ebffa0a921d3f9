"""Runs a slice of a function: its free names are made up, backward follows each round."""

from __future__ import annotations

import ast
import builtins
import time
from collections.abc import Callable, Iterable, Iterator
from types import CodeType
from typing import Any

import torch

from autograd_lint.live.confirm.cooking import PREPARED, Inputs, cook, held, written
from autograd_lint.live.confirm.executed import Executed
from autograd_lint.live.confirm.jobs import Job
from autograd_lint.live.confirm.loading import Loaded, module_name
from autograd_lint.live.confirm.names import binds, changes
from autograd_lint.live.confirm.recipes import Recipes
from autograd_lint.live.confirm.search import Trial, search
from autograd_lint.live.confirm.slices import Slice, free_names, slice_of
from autograd_lint.live.confirm.standins import StandIn
from autograd_lint.live.confirm.steps import STEPS, Notes, Stopped, differentiate, kind_of, tensors
from autograd_lint.live.confirm.uses import recipes_for
from autograd_lint.live.confirm.watch.values import given

SECONDS = 4.0
_FRESH = frozenset({"tensor", "integers", "flags", "tensors", "record"})


def slice_harness(job: Job, tree: ast.Module, notes: Notes) -> Callable[[], None]:
    """What runs the slice around the goal of a job. Raises Stopped where it does not run."""
    cut = slice_of(tree, job.goal, job.generations)
    if cut is None:
        raise Stopped("there are no statements to cut out")
    loaded = Loaded(job.filename, tree, job.root, passive=True)
    known = {k: v for k, v in loaded.module.__dict__.items() if k not in loaded.unknown}
    piece = _Piece(job, cut, tree, known, notes)
    recipes = piece.arguments()
    notes.assumptions += loaded.assumptions
    return lambda: piece.run(recipes)


class _Piece:
    def __init__(
        self, job: Job, cut: Slice, tree: ast.Module, module: dict[str, Any], notes: Notes
    ) -> None:
        self._job = job
        self._cut = cut
        self._module = module
        self._notes = notes
        self._free = [name for name in free_names(cut.statements) if self._is_unknown(name)]
        self._paths = {p for node in cut.again for p in binds(node) | changes(node)}
        self._is_told = any(_calls_backward(node) for node in cut.statements)
        self._once, self._again = (self._compiled(part) for part in (cut.once, cut.again))
        self._called_again = _writes_first(job, cut) and not self._is_told
        several = cut.looped or self._called_again or job.wanted in ("", "graph-freed")
        self._rounds = STEPS if several else 1
        self._inputs = Inputs(job.input_grad, job.leaves, trained=True, device=job.device)
        self._imports = list(_imports(tree, set(free_names(cut.statements)), job.filename))

    def arguments(self) -> Recipes:
        """The recipes with which the slice runs, or fails as it is to. Raises Stopped."""
        notes = self._notes
        executed = Executed(self._job.filename)

        def call(recipes: Recipes) -> None:
            executed.rows.clear()
            with executed:
                self.run(recipes)

        wanted, goal = self._job.wanted, set(self._cut.goals)
        trial = Trial(
            call,
            lambda: len(executed.rows),
            lambda: goal <= executed.rows,
            lambda error: kind_of(error) == wanted != "",
            wanted != "",
        )
        first = recipes_for(self._cut.statements, self._free)
        found = search(first, {}, trial, time.process_time() + SECONDS)
        rows = ", ".join(map(str, self._cut.rows))
        notes.assumptions.append(f"only rows {rows} are run")
        notes.assumptions += [f"the branch at row {row} is taken" for row in self._cut.conditions]
        notes.assumptions += [f"`{name}` is {found.recipes[name]}" for name in found.recipes]
        if self._job.input_grad:
            notes.assumptions.append("tensors that are made up require grad")
        if found.error is not None:
            raise Stopped(f"no values were found with which rows {rows} run: {found.error}")
        notes.program = self._program(found.recipes)
        return found.recipes

    def run(self, recipes: Recipes) -> None:
        """The rounds that show it, each with new tensors and a backward from what it computed."""
        torch.manual_seed(0)
        names = {**self._module, **cook(recipes, self._inputs)}
        self._notes.handed[:] = given(held([names[name] for name in self._free]))
        results: list[torch.Tensor] = []  # of calls whose backward comes at the end
        with torch.enable_grad():
            exec(self._once, names)
            for count in range(self._rounds):
                if count:
                    names.update(self._renewed(recipes))
                exec(self._again, names)
                if self._called_again:
                    results += self._roots(names)
                elif not self._is_told:
                    self._differentiate(names)
            differentiate(results)

    def _differentiate(self, names: dict[str, Any]) -> None:
        roots = [root for root in self._roots(names) if root.requires_grad]
        if not roots and self._job.input_grad:
            raise Stopped("nothing that it computes requires grad")
        differentiate(roots)

    def _renewed(self, recipes: Recipes) -> dict[str, Any]:
        if self._called_again:
            return {}
        kept = self._paths if self._cut.looped else self._outliving()
        values = cook(recipes, self._inputs)
        return {
            name: value
            for name, value in values.items()
            if recipes[name].kind in _FRESH and name not in kept
        }

    def _roots(self, names: dict[str, Any]) -> Iterator[torch.Tensor]:
        """What the round computed; where graphs are to be kept, not what outlives it."""
        paths = self._paths - (set() if self._job.wanted else set(self._kept()))
        roots = [root for path in sorted(paths) for root in tensors(_value(names, path))]
        if any(root.requires_grad for root in roots):
            yield from roots
        else:
            made_up = (name for name in self._free if name not in self._paths)
            yield from (root for name in made_up for root in tensors(names.get(name)))

    def _kept(self) -> Iterable[str]:
        """What is there before a round and changed in it."""
        there = {*self._free, *(path for one in self._cut.once for path in binds(one))}
        return (path for path in self._paths if path.partition(".")[0] in there)

    def _outliving(self) -> set[str]:
        """What the caller of the function keeps: where graphs are to be kept, what it changes."""
        return set() if self._job.wanted else {p for one in self._cut.again for p in changes(one)}

    def _is_unknown(self, name: str) -> bool:
        if name in self._module:
            return isinstance(self._module[name], StandIn)
        return not hasattr(builtins, name)

    def _compiled(self, statements: list[ast.stmt]) -> CodeType:
        tree = ast.Module(statements, [])
        try:
            return compile(tree, self._job.filename, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            raise Stopped(f"the statements do not stand alone: {error}") from None

    def _program(self, recipes: Recipes) -> str:
        values = written(recipes, self._inputs)
        seed = ["", "torch.manual_seed(0)", PREPARED]
        made = [f"{name} = {code}" for name, code in values.items()]
        once = [ast.unparse(node) for node in self._cut.once]
        body = [ast.unparse(node) for node in self._cut.again]
        after: list[str] = []
        if not self._is_told:
            (after if self._called_again else body).extend(self._written_backward())
        if self._called_again:
            made.append("results = []")
            body.append(f"results += [{self._written_roots()}]")
        rounds = "\n".join(body).replace("\n", "\n    ")
        loop = [f"for step in range({self._rounds}):", f"    {rounds}", *after, ""]
        return "\n".join([*self._imports, *seed, *made, *once, *loop])

    def _written_roots(self) -> str:
        return ", ".join(sorted(self._paths) or self._free)

    def _written_backward(self) -> list[str]:
        given = "results" if self._called_again else f"[{self._written_roots()}]"
        return [
            f"roots = [one for one in {given} if getattr(one, 'requires_grad', False)]",
            "torch.autograd.backward(roots, [torch.ones_like(one) for one in roots])",
        ]


def _imports(tree: ast.Module, used: set[str], filename: str) -> Iterator[str]:
    """What a program with these statements imports; definitions come from their file."""
    yield from ("from types import SimpleNamespace", "", "import torch", "from torch import nn")
    used = used - {"torch", "nn"}
    own = []
    for node in tree.body:
        bound = binds(node) & used
        if bound and isinstance(node, (ast.Import, ast.ImportFrom)):
            yield ast.unparse(node)
        elif bound and isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            own.append(node.name)
    if own:
        yield f"from {module_name(filename)[0]} import {', '.join(own)}"


def _writes_first(job: Job, cut: Slice) -> bool:
    """Whether it is the next call whose write changes what this one saves."""
    saves = job.wanted == "saved-tensor-modified" and not cut.looped
    return saves and len(cut.goals) > 1 and job.goal[0] <= cut.goals[0]


def _calls_backward(node: ast.AST) -> bool:
    called = (n.func for n in ast.walk(node) if isinstance(n, ast.Call))
    return any(isinstance(one, ast.Attribute) and one.attr == "backward" for one in called)


def _value(names: dict[str, Any], path: str) -> Any:
    name, *members = path.split(".")
    value = names.get(name)
    for member in members:
        value = getattr(value, member, None)
    return value
