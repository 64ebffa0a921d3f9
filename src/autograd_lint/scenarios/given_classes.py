"""Classes that the constructor of an object is given: those that callers in its file give.

A network is made of blocks whose class it is given; the functions beside it, which make such
networks, tell what these are.
"""

from __future__ import annotations

import ast
from contextlib import suppress

from autograd_lint.engine.machine import EngineError
from autograd_lint.facts.given_names import names_given
from autograd_lint.vm.calls import Call
from autograd_lint.vm.control import ProgramRaises
from autograd_lint.vm.frames import Frame
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class, External, Unknown, Value


def give_classes(interp: Interpreter, call: Call, cls: Class) -> None:
    """Put the first class that callers in the file give in the place of an unknown argument."""
    module = interp.modules.get(cls.source.filename)
    if module is None or "__init__" not in cls.attributes:
        return
    given = interp.query(cls.source, names_given).get(cls.name, {})
    for name, paths in given.items():
        known = call.keywords.get(name)
        if isinstance(known, Unknown) and not known.hint:
            with interp.activation(Frame(module.scope, cls.source)):
                values = [_value(interp, path) for path in paths]
            found = next((one for one in values if _is_class(one)), None)
            call.keywords[name] = known if found is None else found


def _value(interp: Interpreter, path: str) -> Value:
    with suppress(ProgramRaises, EngineError):
        return interp.evaluate(ast.parse(path, mode="eval").body)
    return None


def _is_class(value: Value) -> bool:
    """Whether a value is a class of the program, or a layer of torch."""
    layer = isinstance(value, External) and value.path.startswith("torch.nn.")
    return isinstance(value, Class) or layer
