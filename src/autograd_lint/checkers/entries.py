"""Runs that do a whole training: those of a program, and those of a function that nothing in a file
calls, or of the methods of an object, which make the optimizers that they step. Of such a run it is
known who trains what."""

from __future__ import annotations

from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.libraries.torch.modules.opaque_modules import own_parameters
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.record import Entry
from autograd_lint.vm.values import Class, Instance, Unknown


def is_seen_from_the_start(interp: Interpreter) -> bool:
    """Whether the run is one of a whole program, a function, or an object from its making on."""
    return interp.whole or interp.state(Entry).given is not None


def has_trained_alone(interp: Interpreter) -> bool:
    """Whether a run that is over was one of a whole program, or of a function or an object that has
    made all optimizers that it has stepped."""
    record = interp.state(TrainingRecord)
    own = sum(one.steps for one in record.optimizers.values())
    return interp.whole or (interp.state(Entry).given is not None and 0 < own == record.steps)


def is_of_caller(interp: Interpreter, module: Instance | Unknown) -> bool:
    """Whether a module, or one that it is a part of, was given to what a harness runs: in which
    mode it is, only the callers know."""
    given, held = interp.state(Entry).given or (), of_callers(interp)
    return any(one is module for one in given) or any(id(t) in held for t in own_parameters(module))


def of_callers(interp: Interpreter) -> set[int]:
    """The parameters, by identity, of the modules that were given to what a harness runs: whether
    they were loaded before, only the callers know."""
    given = interp.state(Entry).given or ()
    return {id(tensor) for one in given for tensor in own_parameters(one)}


def object_of_entry(interp: Interpreter) -> Instance | None:
    """The object that a harness has made, and whose methods it runs; None of other runs."""
    frame = next((one for one in interp.frames if one.function is not None), None)
    made = frame.receiver if frame is not None and not interp.whole else None
    return made if isinstance(made, Instance) and isinstance(made.cls, Class) else None


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
