"""What stays the same from run to run over one file."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from autograd_lint.operators.table import Table
from autograd_lint.places import Place
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from autograd_lint.vm.budget import always
from autograd_lint.vm.models import Models
from autograd_lint.vm.values import Class, CodeReads, Function, Instance, Mapping, Unknown, Value

if TYPE_CHECKING:
    from autograd_lint.vm.calls import Call
    from autograd_lint.vm.frames import Frame
    from autograd_lint.vm.machine import Interpreter


Callers = dict[type, Callable[..., Value]]
"""What carries out a call of a value, by the class of the value."""


@dataclass(frozen=True)
class Language:
    """The parts of Python that call each other: how an expression of each class of nodes is
    evaluated, a block executed, and a value called."""

    expressions: dict[type[ast.AST], Callable[..., Value]]
    run_block: Callable[[Interpreter, list[ast.stmt]], None]
    callers: Callers


class Relevance(Protocol):
    """What the machine asks of the text of the program, to spend its steps where they matter."""

    def trains_in(self, source: Source, node: ast.AST) -> bool:
        """Whether something is trained below a node."""

    def leads_to_fault(self, source: Source, node: ast.AST) -> bool:
        """Whether below a node stands what a fault needs."""

    def leads_to_act(self, source: Source, node: ast.AST) -> bool:
        """Whether below a node stands what may concern code elsewhere."""


def _no_object(interp: Interpreter, cls: Class, value: Unknown) -> Instance | None:
    """Where nothing makes objects of classes that are known of a value."""
    return None


def _no_optimizer(interp: Interpreter, call: Call) -> Instance | None:
    """Where nothing tells what code has made that is not seen."""
    return None


@dataclass
class Memory:
    """What was found out about the text of the program.

    `places` are where nodes stand, `nodes` what was computed once for one of them, `queries` the
    questions about the whole text of the file that is analysed, with their answers. `code_reads`
    are the definitions of that file which runs have read.
    """

    places: dict[ast.AST, Place] = field(default_factory=dict)
    nodes: dict[tuple[str, ast.AST], bool] = field(default_factory=dict)
    queries: dict[Callable[..., object], object] = field(default_factory=dict)
    code_reads: CodeReads | None = None


@dataclass
class Imported:
    """What was found out about imported files.

    `meddled` are those whose names or classes the program of the file has changed, or which import
    that file: what was computed in them holds for this analysis alone. `registries` are the tables
    that were asked for keys which only other modules may have entered, with those keys, `near` the
    files that may have entered something into the tables of a file.
    """

    meddled: set[str] = field(default_factory=set)
    registries: dict[Mapping, set[object]] = field(default_factory=dict)
    near: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class World:
    """What stays the same from run to run.

    The file that is analysed, the project, the operator table, the language, and what was found out
    about the text of the program. `models` is what libraries do, `relevance` what the text tells of
    where a fault may be. `make_object` makes the object that an unknown value of a class is.
    `names` makes the names of a module, `imported` is what was found out about the files that are
    imported. `wanted` is asked in the midst of a run. `listener` is told of each call of a function
    of the program. `passed` are the sides of `if` statements that the program is known to have
    taken.
    """

    source: Source
    project: Project
    table: Table
    language: Language
    models: Models
    relevance: Relevance
    make_object: Callable[[Interpreter, Class, Unknown], Instance | None] = _no_object
    optimizer_made: Callable[[Interpreter, Call], Instance | None] = _no_optimizer
    memory: Memory = field(default_factory=Memory)
    names: Callable[[], dict[str, Value]] = dict
    imported: Imported = field(default_factory=Imported)
    wanted: Callable[[], bool] = always
    listener: Callable[[Interpreter, Function, Frame], None] | None = None
    passed: dict[ast.AST, bool] = field(default_factory=dict)

    @cached_property
    def imports(self) -> dict[str, tuple[str, ...]]:
        """What the file that is analysed imports, and what each of the files that it loads does."""
        own = self.source.filename
        loaded = (own, *self.project.loaded(own))
        return {path: self.project.imported(path) for path in loaded}
