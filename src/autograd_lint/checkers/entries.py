"""Functions that nothing in a file calls, and classes, that do a whole training: they make the
optimizer of what they make, and step it. Of such a run it is known who trains what."""

from __future__ import annotations

import ast

from autograd_lint.facts.body import body
from autograd_lint.facts.imported_paths import path_in
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.frames import Frame
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class, Instance


def trains_by_itself(interp: Interpreter) -> bool:
    """Whether the run is one of a whole program, or of a function that does a whole training."""
    if interp.whole:
        return True
    frame = _first(interp)
    if frame is None or frame.function is None or frame.receiver is not None:
        return False
    return interp.query(frame.source, _training_definitions).issuperset({frame.function.node})


def training_object(interp: Interpreter) -> Instance | None:
    """The object that is made and then used by the run, where its class does a whole training."""
    frame = _first(interp)
    made = frame.receiver if frame is not None and not interp.whole else None
    if frame is None or not isinstance(made, Instance) or not isinstance(made.cls, Class):
        return None
    trains = made.cls.node in interp.query(frame.source, _training_definitions)
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
def _training_definitions(source: Source) -> frozenset[ast.AST]:
    """The functions and classes of a file that make an optimizer of torch and step it."""
    functions = frozenset(one for one in source.each(ast.FunctionDef) if _trains(source, one))
    return functions | {one for one in source.each(ast.ClassDef) if _trains(source, one)}


def _trains(source: Source, definition: ast.AST) -> bool:
    made = {
        one.path
        for one in body(definition).assigned()
        if isinstance(one.value, ast.Call)
        and path_in(source, one.value.func).startswith("torch.optim.")
    }
    return any(call.method == "step" and call.owner in made for call in body(definition).calls)
