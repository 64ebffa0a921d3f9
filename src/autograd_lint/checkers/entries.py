"""Runs that do a whole training: those of a program, and of a function that nothing in a file calls
and of a class that make the optimizer and step it. Of such a run it is known who trains what."""

from __future__ import annotations

import ast

from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.facts.body import body
from autograd_lint.facts.imported_paths import path_in
from autograd_lint.libraries.torch.modules.opaque_modules import own_parameters
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.frames import Frame
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class, Instance, Unknown


def is_seen_from_the_start(interp: Interpreter) -> bool:
    """Whether the run is one of a whole program, or of a function with all that it does."""
    return interp.whole or interp.record.given is not None


def has_trained_alone(interp: Interpreter) -> bool:
    """Whether a run that is over was one of a whole program, or of a function that has made all
    optimizers that it has stepped."""
    record = interp.state(TrainingRecord)
    own = sum(one.steps for one in record.optimizers.values())
    return interp.whole or (interp.record.given is not None and 0 < own == record.steps)


def is_of_caller(interp: Interpreter, module: Instance | Unknown) -> bool:
    """Whether a module, or one that it is a part of, was given to the function that runs: in which
    mode, and with which weights, only its callers know."""
    given = interp.record.given or ()
    held = {id(tensor) for one in given for tensor in own_parameters(one)}
    return any(one is module for one in given) or any(id(t) in held for t in own_parameters(module))


def training_object(interp: Interpreter) -> Instance | None:
    """The object that is made and then used by the run, where its class does a whole training."""
    frame = _first(interp)
    made = frame.receiver if frame is not None and not interp.whole else None
    if frame is None or not isinstance(made, Instance) or not isinstance(made.cls, Class):
        return None
    trains = made.cls.node in interp.query(frame.source, _training_classes)
    return made if trains else None


def is_held_alone(interp: Interpreter, holder: Instance, module: Instance) -> bool:
    """Whether nothing in the project but the class of an object speaks of an attribute under which
    it holds a module."""
    names = [name for name, value in holder.attributes.items() if value is module]
    cls = holder.cls
    if not names or not isinstance(cls, Class):
        return False
    mentions = [interp.world.project.mentions(name) for name in names]
    return all(
        one is not None and all(cls.node in mention.around for mention in one) for one in mentions
    )


def _first(interp: Interpreter) -> Frame | None:
    """The first function that the run has come to."""
    return next((one for one in interp.frames if one.function is not None), None)


@query
def _training_classes(source: Source) -> frozenset[ast.AST]:
    """The classes of a file that make an optimizer of torch and step it."""
    return frozenset(one for one in source.each(ast.ClassDef) if _trains(source, one))


def _trains(source: Source, definition: ast.AST) -> bool:
    made = {
        one.path
        for one in body(definition).assigned()
        if isinstance(one.value, ast.Call)
        and path_in(source, one.value.func).startswith("torch.optim.")
    }
    return any(call.method == "step" and call.owner in made for call in body(definition).calls)
