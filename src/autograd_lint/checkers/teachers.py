"""Networks that only give targets or features, and do so in training mode.

student.train()
for x, y in loader:
    with torch.no_grad():
        wanted = teacher(x)          # nobody has called teacher.eval(): its dropout drops
    loss = distance(student(x), wanted)

A network that is trained itself, or whose parameters follow another one's, is none of them: mean
teachers and momentum encoders run in training mode on purpose.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.entries import (
    has_trained_alone,
    is_of_caller,
    is_seen_from_the_start,
)
from autograd_lint.checkers.layer_calls import LayerCalls
from autograd_lint.checkers.module_modes import depends_as_usual, mode_set_at, training
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_modes import is_part_of_forward, is_validation
from autograd_lint.checkers.training_record import TrainingRecord, mark_of
from autograd_lint.engine.events import noted_at
from autograd_lint.engine.pitfalls import TEACHER, Pitfall
from autograd_lint.facts.callers import covers, innermost_function
from autograd_lint.facts.effects import trains_in
from autograd_lint.libraries.torch.modules.modules import modules
from autograd_lint.libraries.torch.modules.opaque_modules import own_parameters
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.vm.events import ModuleCalled
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Unknown


@dataclass(frozen=True, slots=True, eq=False)
class Taught:
    """A module was called in training mode with grad mode off, after so many optimizer steps, in an
    iteration that trains or elsewhere; `marks` count the writes that its parameters had seen."""

    module: Instance | Unknown
    place: Place
    steps: int
    marks: list[tuple[int, int]]
    is_in_iteration: bool


@dataclass(slots=True, eq=False, repr=False)
class Teachers(Checker):
    """The first such call at each place; `trained` are the modules that gave a graph, by
    identity."""

    taught: dict[Place, Taught] = field(default_factory=dict)
    trained: dict[int, Instance | Unknown] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ModuleCalled, cls.module_called)

    def module_called(self, interp: Interpreter, event: ModuleCalled) -> None:
        """A module has given a result: in training mode, and without a graph?"""
        module = event.module
        if not event.itself or not is_seen_from_the_start(interp):
            return
        mode = training(module)
        if mode is False or is_part_of_forward(interp) or is_of_caller(interp, module):
            return
        if event.node is not None:
            self.trained[id(module)] = module
        elif mode and not interp.engine.recording:
            self._note_call(interp, module, event.call.node)

    def _note_call(self, interp: Interpreter, module: Instance | Unknown, call: ast.AST) -> None:
        place = interp.place(call)
        before = self.taught.get(place)
        if is_validation(interp, module, call):
            return
        if not interp.state(LayerCalls).has_run_dependent(module):
            return
        if before is None or _is_part(before.module, module):
            steps = interp.state(TrainingRecord).steps
            iterates = _is_in_iteration(interp.source, call)
            self.taught[place] = Taught(module, place, steps, _marks(module), iterates)

    def end(self, interp: Interpreter) -> None:
        """The run is over: which of them has nobody changed, while others were trained?"""
        if interp.record.gave_up or interp.opaque_backward or not has_trained_alone(interp):
            return
        record = interp.state(TrainingRecord)
        graphed = self.trained.values() if self.taught else ()
        trained = {id(tensor) for module in graphed for tensor in own_parameters(module)}
        for one in self.taught.values():
            own = {id(tensor) for tensor in own_parameters(one.module)}
            given_away = any(value is one.module for value in record.given_away)
            if not trained - own or record.steps <= one.steps or given_away:
                continue
            if trained & own and not one.is_in_iteration:
                continue  # It was trained before, and so were others after it.
            if one.marks and _marks(one.module) == one.marks:
                note(
                    interp,
                    Pitfall.TRAINING_MODE,
                    one.place,
                    detail=TEACHER,
                    noted=noted_at(mode_set_at(interp, one.module), "put into training mode here"),
                    assumptions=depends_as_usual(one.module),
                )


def _is_in_iteration(source: Source, call: ast.AST) -> bool:
    """Whether a call stands in a loop that trains, or in a function that trains in no loop."""
    row = getattr(call, "lineno", 0)
    function = innermost_function(source, row)
    parts = ast.walk(function or source.tree)
    loops = [one for one in parts if isinstance(one, (ast.For, ast.While))]
    training = [one for one in loops if trains_in(source, one)]
    if training or function is None:
        return any(covers(one, row) for one in training)
    return trains_in(source, function)


def _is_part(inner: Instance | Unknown, outer: Instance | Unknown) -> bool:
    """Whether a module is a part of another one, which gives its result after it."""
    if isinstance(inner, Unknown) or isinstance(outer, Unknown):
        return False
    return inner is not outer and any(part is inner for part in modules(outer))


def _marks(module: Instance | Unknown) -> list[tuple[int, int]]:
    return [mark_of(tensor) for tensor in own_parameters(module)]
