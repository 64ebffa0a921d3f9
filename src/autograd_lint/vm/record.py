"""What a run has reached."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.engine.tensor import Tensor
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.vm.values import Definition, Function, Instance, Items, Unknown, Value


@dataclass(slots=True)
class Waiting:
    """How many rounds of a loop are done, and until which it goes on, for the conditions of the
    `asked` statements hold only then: so many `windows` where they hold again and again.

    `far` are comparisons of a counter that become another in a round which is not waited for, by
    what the counter is compared with, `ahead` what comparisons come to in a round that the program
    has skipped to; `skipped` says that it has. `around` is the same of the loop around it.
    """

    windows: int
    done: int = 0
    until: int = 0
    asked: set[ast.AST] = field(default_factory=set)
    far: dict[ast.Compare, int] = field(default_factory=dict)
    skipped: bool = False
    ahead: dict[ast.AST, bool] = field(default_factory=dict)
    around: Waiting | None = None


@dataclass(slots=True)
class Reached:
    """The code that a run has reached: `entered` are the functions that were run, `homes` their
    files, `statements` all that were, `sides` the `if` statements with the sides taken."""

    entered: set[ast.AST] = field(default_factory=set)
    homes: dict[Definition, Source] = field(default_factory=dict)
    statements: set[ast.stmt] = field(default_factory=set)
    sides: set[tuple[ast.AST, bool]] = field(default_factory=set)


@dataclass(slots=True)
class Forwards:
    """The steps of modules that were called: `trained` as for training, `evaluated` without grad
    mode or in evaluation mode. `loaded` says that a module was given a state, and has not taken one
    itself to begin with: what is evaluated then was trained before."""

    trained: set[ast.AST] = field(default_factory=set)
    evaluated: set[ast.AST] = field(default_factory=set)
    loaded: bool = False


@dataclass(slots=True)
class Returned:
    """What calls have returned: `numbers` are those that have last returned a plain number, and
    where that comes from, `remembered` what functions gave that remember it (`lru_cache`), with the
    arguments."""

    numbers: dict[ast.AST, Place] = field(default_factory=dict)
    remembered: dict[tuple[object, ...], tuple[list[Value], Value]] = field(default_factory=dict)


@dataclass(slots=True)
class Record:
    """What a run has reached, and how it has ended.

    `reached` is the code that it has run, `forwards` are the steps of modules that were called,
    `closures` the functions that functions have defined. `led_to` is what in the file that is
    analysed led to places of other files, `grown` are the lists and lists of modules that were
    added to, in order, `objects` those of the program's classes that were made, `unbound` stands
    for names that the program does not bind, `returned` is what calls have returned.
    `ended_by_error` says that an error of autograd ended the run, `raised` that one of the program
    did. `gave_up` says that calls that took too long, or modules that a module is made of, were
    left unknown, `abandoned` are the functions that these calls were in, `cut_short` how many loops
    were left before their last iteration, `trained` those of them that train, each with the calls
    that led to it.
    `waiting` is what conditions in the innermost loop wait for.
    """

    reached: Reached = field(default_factory=Reached)
    forwards: Forwards = field(default_factory=Forwards)
    closures: dict[ast.AST, Function] = field(default_factory=dict)
    led_to: dict[Place, ast.AST | None] = field(default_factory=dict)
    grown: list[Items | Instance] = field(default_factory=list)
    objects: list[Instance] = field(default_factory=list)
    unbound: dict[str, Unknown] = field(default_factory=dict)
    returned: Returned = field(default_factory=Returned)
    ended_by_error: bool = False
    raised: bool = False
    gave_up: bool = False
    abandoned: list[Function] = field(default_factory=list)
    cut_short: int = 0
    trained: set[tuple[ast.AST, ...]] = field(default_factory=set)
    waiting: Waiting | None = None


@dataclass(slots=True)
class Entry:
    """Where a run begins that is not one of a whole program: `given` is what a harness has given
    the function that it runs, or the constructor of the object whose methods it runs, once that is
    made: what it is made of is none of what the program makes."""

    given: tuple[Value, ...] | None = None


@dataclass(slots=True)
class Lacking:
    """Whether an object has lacked what the program reads of it: no run of the program takes the
    path that led there."""

    found: bool = False


@dataclass(slots=True)
class OpaqueBackward:
    """When a backward last went through unknown code, by the engine's clock; 0 where none did.

    `beyond_callers` says whether one went through other unknown code than what a caller has
    computed before it called, `holds_modules` whether such code was given modules of the program.
    """

    last: int = 0
    beyond_callers: bool = False
    holds_modules: bool = False


@dataclass(slots=True)
class LentTensors:
    """The tensors that a base outside of the program was given by its objects: it may keep them,
    have them require grad, and run backward."""

    tensors: set[Tensor] = field(default_factory=set)
