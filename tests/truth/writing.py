"""The writer of random programs: its lines, its names, its dice."""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

T = TypeVar("T")

SIZES = {"mat": "3, 3", "vec": "3", "scalar": ""}
RANKS = {"scalar": 0, "vec": 1, "mat": 2}


@dataclass(frozen=True)
class Var:
    """A variable of the program: what it is called, its shape, and what it probably is.

    `kind` is `float`, `int` or `mask`; `grad` and `leaf` are guesses that steer the dice, no truth.
    """

    name: str
    shape: str
    kind: str = "float"
    grad: bool = False
    leaf: bool = False
    rebind: bool = True


@dataclass(frozen=True)
class Routine:
    """A function or module that can be called with tensors of the given shapes.

    `grad` guesses whether its result requires grad: True, False, or None when an argument decides.
    """

    name: str
    shapes: tuple[str, ...]
    result: str
    keywords: tuple[str, ...] = ()
    grad: bool | None = None
    parameters: bool = False


@dataclass
class Writer:
    """Writes one program. `statement` writes one random statement (it closes the circle)."""

    dice: random.Random
    statement: Callable[["Writer"], None]
    lines: list[str] = field(default_factory=list)
    depth: int = 0
    names: int = 0
    grad_mode: bool = True
    decided: bool = True
    in_function: bool = False
    scope: list[Var] = field(default_factory=list)
    routines: list[Routine] = field(default_factory=list)
    called: set[str] = field(default_factory=set)
    optimizers: list[str] = field(default_factory=list)
    lists: list[tuple[str, str]] = field(default_factory=list)

    def line(self, text: str) -> None:
        """Adds one line at the present indentation."""
        self.lines.append("    " * self.depth + text)

    def fresh(self, prefix: str) -> str:
        """A name not used before."""
        self.names += 1
        return f"{prefix}{self.names}"

    def chance(self, share: float) -> bool:
        """True with that probability; shrinks towards False."""
        return self.dice.randrange(100) >= 100 - round(share * 100)

    def pick(self, options: Sequence[T]) -> T:
        """One of the options; shrinks towards the first."""
        return options[self.dice.randrange(len(options))]

    def weighted(self, options: Sequence[tuple[int, T]]) -> T:
        """One of the options, by weight."""
        point = self.dice.randrange(sum(weight for weight, _ in options))
        for weight, option in options:
            point -= weight
            if point < 0:
                return option
        raise AssertionError("weights are positive")

    def variables(self, shape: str | None = None, kind: str = "float") -> list[Var]:
        """The variables in scope of that shape (any, when None) and kind."""
        return [v for v in self.scope if v.kind == kind and shape in (None, v.shape)]

    def bind(self, var: Var) -> Var:
        """Puts a variable in scope, in place of one of the same name."""
        self.scope = [v for v in self.scope if v.name != var.name]
        self.scope.append(var)
        return var

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """An indented block; what is bound in it is not in scope after it."""
        self.line(head)
        names = {v.name for v in self.scope}
        kept = (list(self.routines), list(self.optimizers), list(self.lists))
        self.depth += 1
        start = len(self.lines)
        yield
        if len(self.lines) == start:
            self.line("pass")
        self.depth -= 1
        self.routines, self.optimizers, self.lists = kept
        self.scope = [v for v in self.scope if v.name in names]

    @contextmanager
    def mode(self, enabled: bool) -> Iterator[None]:
        """Remembers the grad mode of the code written inside."""
        before, self.grad_mode = self.grad_mode, enabled
        yield
        self.grad_mode = before

    @contextmanager
    def function(self, scope: list[Var]) -> Iterator[None]:
        """A scope of its own for the body of a function."""
        outer = (self.scope, self.in_function, self.grad_mode, self.optimizers, self.lists)
        self.scope, self.in_function, self.grad_mode = scope, True, True
        self.optimizers, self.lists = [], []
        yield
        self.scope, self.in_function, self.grad_mode, self.optimizers, self.lists = outer

    def body(self, most: int) -> None:
        """Between one statement and `most`."""
        for _ in range(1 + self.dice.randrange(most)):
            self.statement(self)

    def regrade(self, name: str, grad: bool) -> None:
        """Notes that a variable probably requires grad now."""
        self.scope = [replace(v, grad=grad) if v.name == name else v for v in self.scope]

    def uses(self, name: str) -> int:
        """In how many lines a variable occurs so far."""
        word = re.compile(rf"\b{re.escape(name)}\b")
        return sum(bool(word.search(line)) for line in self.lines)

    def text(self) -> str:
        """The program."""
        return "\n".join(self.lines) + "\n"
