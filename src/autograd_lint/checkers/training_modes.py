"""Modules that are validated in training mode: dropout drops, and batches are normalized by
themselves.

for epoch in range(epochs):
    train_one_epoch(model)
    with torch.no_grad():                       # without model.eval()
        for x, y in validation:
            correct += (model(x).argmax(1) == y).sum().item()
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.layer_calls import LayerCalls
from autograd_lint.checkers.module_modes import (
    depends_as_usual,
    mode_set_at,
    training,
)
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.surroundings import is_inside
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import CERTAINLY
from autograd_lint.facts.effects import trains_in
from autograd_lint.facts.evaluation_names import evaluates_by_name
from autograd_lint.facts.result_uses import is_measured
from autograd_lint.libraries.torch.modules.opaque_modules import own_parameters
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.vm.events import ModuleCalled
from autograd_lint.vm.frames import Frame, forward_of, path
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Unknown, Value

Block = TypeVar("Block", bound=ast.stmt)
_GRADIENT = re.compile(r"(?<!autograd)\.grad\b")
_STEPPED = frozenset({Assumption(Kind.UPDATES_TRAINED, weight=0)})


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """A module has given a result with a graph in training mode, during a call of a harness, for
    what it was given by code of a file; `calls` have led there."""

    module: Instance | Unknown
    node: Node
    place: Place
    during: Frame | None
    given: Value
    calls: tuple[Place, ...]
    source: Source


@dataclass(frozen=True, slots=True, eq=False)
class Validation:
    """A module was measured in training mode, in a `loop` that trains nothing itself; `node` is the
    graph, where one was recorded, `because` what it rests on that it was measured, `named` says
    that it was by a function that is named so and trains nothing."""

    module: Instance | Unknown
    node: Node | None
    place: Place
    during: Frame | None
    given: Value
    loop: ast.For | None
    because: frozenset[Assumption]
    named: bool


@dataclass(slots=True, eq=False, repr=False)
class TrainingModes(Checker):
    """The calls in training mode of modules whose mode matters."""

    trainings: list[Training] = field(default_factory=list)
    validations: list[Validation] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ModuleCalled, cls.module_called)

    def module_called(self, interp: Interpreter, event: ModuleCalled) -> None:
        """A module has given a result: for a training, or to measure it?"""
        module, node, call = event.module, event.node, event.call
        if not event.itself or training(module) is not True or is_part_of_forward(interp):
            return
        if not interp.state(LayerCalls).has_run_dependent(module):
            return
        place, during, given = interp.place(call.node), interp.harness_call, call.get(0, "input")
        because = _why_validation(interp, module, call.node)
        if because is not None:
            around = _around(interp.source, call.node)
            loop = around if isinstance(around, ast.For) else None
            named = _is_named_so(interp)
            self.validations.append(
                Validation(module, node, place, during, given, loop, because, named)
            )
        elif node is not None:
            calls, source = path(interp.frames), interp.source
            self.trainings.append(Training(module, node, place, during, given, calls, source))

    def end(self, interp: Interpreter) -> None:
        """The run is over: which module was measured as it is trained?"""
        if not self.validations:
            return
        optimized = {id(tensor) for tensor in interp.state(TrainingRecord).optimized()}
        for one in self.validations:
            if one.node is not None and one.node.walked_at:
                continue
            trained = next(self._trained(one), None)
            moved = any(id(own) in optimized for own in own_parameters(one.module))
            if trained and (moved or (not optimized and _moves(trained.source))):
                stepped = CERTAINLY if moved else _STEPPED
                note(
                    interp,
                    Pitfall.TRAINING_MODE,
                    one.place,
                    needed=Needed(trained.place, "call"),
                    assumptions=depends_as_usual(one.module) | one.because | stepped,
                )

    def _trained(self, one: Validation) -> Iterator[Training]:
        """The calls by which the module was trained, if on something else, or by another function
        than one that is named as what measures, and not by what its loop calls; what several calls
        of a harness do one after the other, a caller need not do so."""
        calls = [other for other in self.trainings if other.module is one.module]
        if any(other.given is one.given for other in calls) and not one.named:
            return
        if any(_is_in_loop(one, other) for other in calls):
            return
        for other in calls:
            if other.during is one.during and other.node.walked_at:
                yield other


def _moves(source: Source) -> bool:
    """Whether a file may move parameters: by steps, or by the gradients that it reads."""
    return ".step(" in source.text or _GRADIENT.search(source.text) is not None


def _is_in_loop(one: Validation, training: Training) -> bool:
    """Whether the loop in which a module is measured calls what trains it, as one does that lets an
    agent act and learn in turns."""
    loop = one.loop
    if loop is None:
        return False
    rows = (call.row for call in training.calls if call.filename == one.place.filename)
    return any(loop.lineno <= row <= (loop.end_lineno or 0) for row in rows)


def is_part_of_forward(interp: Interpreter) -> bool:
    """Whether a module runs as a part of another one."""
    # Mostly it is the innermost one.
    return any(forward_of(frame) is not None for frame in reversed(interp.frames))


def is_validation(interp: Interpreter, module: Instance | Unknown, call: ast.AST) -> bool:
    """Whether a call stands in code that trains nothing and measures its result."""
    source = interp.source
    measured = interp.memoized("validation", call, lambda node: _is_measured(source, node))
    if not measured or _is_asked_for(interp, module):
        return False
    return not interp.engine.recording or not _is_before_a_step(source, call)


def _why_validation(
    interp: Interpreter, module: Instance | Unknown, call: ast.AST
) -> frozenset[Assumption] | None:
    """What it rests on that a call validates a module; None where it does not. A function that is
    named so, trains nothing and runs the module without grad mode is taken to do so, wherever it
    measures what comes of it."""
    if is_validation(interp, module, call):
        return CERTAINLY
    function = interp.frame.function
    if function is None or interp.engine.recording or not _is_named_so(interp):
        return None
    if _is_asked_for(interp, module):
        return None
    return frozenset({Assumption(Kind.MEANT_AS_EVALUATION, function.name, weight=0)})


def _is_named_so(interp: Interpreter) -> bool:
    """Whether the function that runs is named as what evaluates, and trains nothing."""
    function = interp.frame.function
    if function is None or not evaluates_by_name(function.name):
        return False
    return not trains_in(interp.source, function.node)


def _is_asked_for(interp: Interpreter, module: Instance | Unknown) -> bool:
    """Whether a function that trains nothing has put the module into training mode itself."""
    function = interp.frame.function
    if function is None or not is_inside(mode_set_at(interp, module), function):
        return False
    return not trains_in(function.source, function.node)


def _is_measured(source: Source, call: ast.AST) -> bool:
    """Whether a call stands in a loop or function that trains nothing and measures its result."""
    around = _around(source, call)
    if around is None or trains_in(source, around) or not is_measured(source, call, around):
        return False
    return not _is_part_of_a_step(source, call)


def _around(source: Source, call: ast.AST) -> ast.AST | None:
    """The innermost loop around a call; where that trains, or there is none, the innermost `with`
    or function in it."""
    loops = _holding(source, call, ast.For)
    if loops and not trains_in(source, loops[-1]):
        return loops[-1]
    blocks = [*_holding(source, call, ast.With), *_holding(source, call, ast.FunctionDef)]
    inner = [one for one in blocks if not loops or one.lineno > loops[-1].lineno]
    return max(inner, key=lambda one: one.lineno, default=None)


def _is_part_of_a_step(source: Source, call: ast.AST) -> bool:
    """Whether the innermost loop around a call is one of an iteration that trains behind it, as one
    that gathers the terms of a loss."""
    loops = _holding(source, call, ast.For)
    return len(loops) > 1 and _trains_behind(source, loops[-2], loops[-1].lineno)


def _is_before_a_step(source: Source, call: ast.AST) -> bool:
    """Whether a call stands in a `with` of an iteration, or of a function, that trains behind it,
    as one that computes a loss in other precision."""
    loops, functions = _holding(source, call, ast.For), _holding(source, call, ast.FunctionDef)
    around: list[ast.For | ast.FunctionDef] = [*loops, *functions]
    if not around:
        return False
    innermost = max(around, key=lambda one: one.lineno)
    blocks = _holding(source, call, ast.With)
    inner = [one for one in blocks if one.lineno > innermost.lineno]
    return bool(inner) and _trains_behind(source, innermost, inner[0].lineno)


def _trains_behind(source: Source, block: ast.For | ast.FunctionDef, row: int) -> bool:
    """Whether an iteration of a loop, or a function, trains behind a row, other than in a loop of
    its own."""
    behind = (one for one in block.body if one.lineno > row)
    return any(
        not isinstance(one, (ast.For, ast.While)) and trains_in(source, one) for one in behind
    )


def _holding(source: Source, node: ast.AST, kind: type[Block]) -> list[Block]:
    """The statements of a kind around a node, the outermost first."""
    row = getattr(node, "lineno", 0)
    found = [one for one in source.each(kind) if one.lineno <= row <= (one.end_lineno or 0)]
    return sorted(found, key=lambda one: one.lineno)
