"""Files that switch grad mode off when they are imported, by a program that trains.

torch.set_grad_enabled(False)      # at the top of inference.py
from inference import predict      # in train.py: nothing that follows has a graph
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.events import Modified
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.imported_paths import path_in
from autograd_lint.libraries.torch.events import StepBegun
from autograd_lint.project.modules import Project
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

_MOST = 50  # files that are followed
_OFF = re.compile(rb"^[\w.]*set_grad_enabled\(\s*False", re.MULTILINE)
_OTHER = re.compile(rb"enable_grad\(|set_grad_enabled\(\s*(?!False)")


@dataclass(slots=True, eq=False, repr=False)
class ImportedModes(Checker):
    """`step` is one that an optimizer takes where the run's file has grad mode on."""

    step: Modified | None = None

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, StepBegun, cls.step_begun)

    def step_begun(self, interp: Interpreter, event: StepBegun) -> None:
        """An optimizer steps, so the program trains."""
        if interp.engine.grad_enabled:
            self.step = Modified(event.place, "step", None, 0, by_optimizer=True)

    def end(self, interp: Interpreter) -> None:
        """The run is over: has an import switched grad mode off before it trained?"""
        project, own = interp.world.project, interp.source
        if self.step is None:
            return
        reached = [path for path in project.reached(own.filename) if project.owns(path)]
        if not any(project.look(path, _switches_off) for path in reached):
            return
        if any(project.look(path, _switches_otherwise) for path in (own.filename, *reached)):
            return
        for source in _run_by_import(project, own):
            for call in _switches(source):
                place = source.place(call)
                note(
                    interp,
                    Pitfall.MODE_LEAKS,
                    place,
                    operator="torch.set_grad_enabled",
                    modified=self.step,
                )


def _switches_off(data: bytes) -> bool:
    return _OFF.search(data) is not None


def _switches_otherwise(data: bytes) -> bool:
    """Whether a file may switch grad mode on again."""
    return _OTHER.search(data) is not None


def _run_by_import(project: Project, own: Source) -> Iterator[Source]:
    """The files of the project that the imports at the top of files lead to from `own`."""
    waiting, seen = [own], {own.filename}
    while waiting and len(seen) < _MOST:
        importer = waiting.pop()
        for name, level in _imports_at_top(importer):
            found = project.resolve(name, importer, level)
            if found is None or found.filename in seen or not project.owns(found.filename):
                continue
            seen.add(found.filename)
            waiting.append(found)
            yield found


@query
def _imports_at_top(source: Source) -> list[tuple[str, int]]:
    """The modules that the statements of a file import, and how many dots they are given with."""
    found: list[tuple[str, int]] = []
    for node in source.tree.body:
        if isinstance(node, ast.Import):
            found.extend((alias.name, 0) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            inner = (f"{module}.{alias.name}".strip(".") for alias in node.names)
            found.extend((name, node.level) for name in (module, *inner))
    return found


@query
def _switches(source: Source) -> list[ast.Call]:
    """The calls at the top of a file that switch grad mode off."""
    calls = (node.value for node in source.tree.body if isinstance(node, ast.Expr))
    return [
        call for call in calls if isinstance(call, ast.Call) and _switches_grad_off(source, call)
    ]


def _switches_grad_off(source: Source, call: ast.Call) -> bool:
    argument = call.args[0] if call.args else None
    off = isinstance(argument, ast.Constant) and argument.value is False
    return off and path_in(source, call.func) in (
        "torch.set_grad_enabled",
        "torch.autograd.set_grad_enabled",
    )
