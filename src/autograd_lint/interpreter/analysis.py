"""The whole analysis of one file: gate, runs along several paths, faults."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.machine import EngineError
from autograd_lint.interpreter import merging
from autograd_lint.interpreter.control import Control
from autograd_lint.interpreter.driving import drive_class, drive_function
from autograd_lint.interpreter.expressions import evaluate
from autograd_lint.interpreter.imports import run_module_body
from autograd_lint.interpreter.machine import Frame, Interpreter, World
from autograd_lint.interpreter.paths import BudgetExceeded, Path, alternatives
from autograd_lint.interpreter.scope import Scope
from autograd_lint.interpreter.statements import run_block
from autograd_lint.interpreter.values import Class, Function, Module, Value
from autograd_lint.operators.table import load
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source

MODULE_BUDGET = 60_000  # steps of one run of a module body
DRIVER_BUDGET = 15_000  # steps of one run of a driver
FILE_BUDGET = 600_000  # steps of all runs over a file
PATHS = 6  # decisions that are flipped one by one

# What a fault needs somewhere: an in-place write, a backward, an optimizer, a flag, numpy.
TRIGGER = re.compile(
    r"[a-z0-9]_\(|inplace|[-+*/@&|^%]=|\]\s*=[^=]|\.data\b|\.backward\(|autograd|requires_grad"
    r"|numpy|\bnp\.|optim|out=|asarray|__i[a-z]+__|deepcopy|retain_grad|inference_mode"
)
WORD = re.compile(r"[A-Za-z_]\w*")

Drive = Callable[[Interpreter], None]


def analyse(source: Source, project: Project | None = None) -> list[Fault]:
    """The faults of a file, each once, by place.

    Raises SyntaxError, ValueError or RecursionError where the text cannot be parsed.
    """
    if "torch" not in source.text or not TRIGGER.search(source.text):
        return []
    return _Analysis(source, project or Project.alone()).run()


@dataclass
class _Analysis:
    source: Source
    project: Project
    world: World = field(init=False)
    modules: dict[str, Module] = field(default_factory=dict)
    scope: Scope = field(default_factory=Scope)
    driven: set[ast.AST] = field(default_factory=set)
    steps: int = 0
    faults: list[Fault] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.world = World(self.project, load(), evaluate, run_block)

    def run(self) -> list[Fault]:
        tree = self.source.tree
        self._explore_module(tree)
        for value in self._undriven(tree):
            if self.steps > FILE_BUDGET:
                break
            self._explore_value(value)
        return merging.distinct(self.faults)

    def _explore_module(self, tree: ast.Module) -> None:
        """Run the module body; its names are what the drivers then work with."""

        def drive(interp: Interpreter) -> None:
            scope = Scope(names={"__name__": "__main__"})
            own = Module(self.source, scope)
            interp.modules = {self.source.filename: own}
            interp.frames = [Frame(scope, self.source)]
            run_module_body(interp, tree.body)

        first = self._explore(drive, MODULE_BUDGET)
        self.modules = first.modules
        if first.modules:
            self.scope = first.modules[self.source.filename].scope

    def _explore_value(self, value: Value) -> None:
        def drive(interp: Interpreter) -> None:
            interp.modules = self.modules
            interp.frames = [Frame(self.scope, self.source)]
            if isinstance(value, Class):
                drive_class(interp, value, self.driven)
            elif isinstance(value, Function):
                drive_function(interp, value)

        self._explore(drive, DRIVER_BUDGET)

    def _explore(self, drive: Drive, budget: int) -> Interpreter:
        """Run a driver along several paths and keep what they find."""
        first = self._run(drive, Path(), budget)
        runs = [first]
        for path in alternatives(first.path, PATHS):
            if self.steps > FILE_BUDGET:
                break
            runs.append(self._run(drive, path, budget))
        for run in runs:
            self.driven |= run.entered
        self.faults.extend(merging.merge(runs))
        return first

    def _run(self, drive: Drive, path: Path, budget: int) -> Interpreter:
        interp = Interpreter(self.world, path, budget)
        try:
            drive(interp)
        except EngineError:
            interp.stopped = True
        except (BudgetExceeded, Control, RecursionError):
            pass
        self.steps += path.steps
        return interp

    def _undriven(self, tree: ast.Module) -> Iterator[Value]:
        """Classes, the last first (they use the earlier ones), then functions nobody has called."""
        interesting = self._interesting(tree)
        values = [self.scope.names.get(name) for name in interesting]
        for value in reversed(values):
            if isinstance(value, Class) and self._own(value.node) and self._has_undriven(value):
                yield value
        for value in values:
            if isinstance(value, Function) and value.node not in self.driven:
                yield value

    def _own(self, node: ast.ClassDef) -> bool:
        return not any("autograd.Function" in ast.unparse(base) for base in node.bases)

    def _has_undriven(self, cls: Class) -> bool:
        functions = [v for v in cls.attributes.values() if isinstance(v, Function)]
        return any(function.node not in self.driven for function in functions)

    def _interesting(self, tree: ast.Module) -> list[str]:
        """The top-level definitions in which, or in what they use, a fault may be."""
        texts = {node.name: self._text(node) for node in _definitions(tree.body)}
        found = {name for name, text in texts.items() if TRIGGER.search(text)}
        words = {name: set(WORD.findall(text)) for name, text in texts.items() if name not in found}
        while True:
            more = {name for name, used in words.items() if name not in found and used & found}
            if not more:
                return [name for name in texts if name in found]
            found |= more

    def _text(self, node: ast.stmt) -> str:
        return "\n".join(self.source.lines[node.lineno - 1 : node.end_lineno])


def _definitions(
    body: list[ast.stmt],
) -> Iterator[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    """Top-level definitions, those under `if` and `try` too."""
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node
        elif isinstance(node, (ast.If, ast.Try)):
            yield from _definitions(node.body)
            yield from _definitions(node.orelse)
