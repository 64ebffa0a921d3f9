"""Where Python itself ends a program: what a value that is known does not allow."""

from __future__ import annotations

import builtins
from collections import Counter, OrderedDict, defaultdict, deque
from types import GeneratorType

from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.control import PythonRaises
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.record import Lacking
from autograd_lint.vm.values import Class, External, Instance, Items, Mapping, Value, constant

_CONTAINERS = (list, tuple, set, frozenset, dict, deque, Counter, OrderedDict, defaultdict)
_TORCH_SIZE = frozenset({"numel"})
_BARE = frozenset({"object", "builtins.object", "abc.ABC"})  # classes that set no attributes
# What sets attributes whose names do not stand in the text.
_SETTING_UNSEEN = ("setattr", "__dict__", "vars(", "exec(")


def ends(interp: Interpreter, error: str) -> None:
    """Python raises `error`: the program ends here, or goes on where it catches that.

    Only the run of the program itself, as long as nothing had to be decided or left out in it, has
    values that are those of a real run. Everywhere else the run goes on with a value that is not
    known.
    """
    decided = interp.choices.path.decisions
    if interp.whole and not (interp.importing or _left_out(interp) or decided):
        raise PythonRaises(error)


def _left_out(interp: Interpreter) -> bool:
    """Whether anything of the program had to be left out in the run."""
    return interp.record.cut_short > 0 or interp.record.gave_up


def ends_without_attribute(interp: Interpreter, value: Value, name: str) -> None:
    """Python raises where a value of its own has no attribute of that name."""
    if constant(value):
        missing = not hasattr(value, name)
    elif isinstance(value, Items) and value.taken is not None:
        missing = not hasattr(GeneratorType, name)
    elif isinstance(value, (Items, Mapping)) and not (isinstance(value, Items) and value.fields):
        missing = name not in _TORCH_SIZE and not any(hasattr(one, name) for one in _CONTAINERS)
    else:
        missing = False
    if missing:
        ends(interp, "AttributeError")


def ends_unset(interp: Interpreter, instance: Instance) -> None:
    """Python raises where an object has no such attribute, if all that could set it is seen."""
    cls = instance.cls
    if not isinstance(cls, Class) or instance.unknown is not None or cls.metaclass() is not None:
        return
    seen = all(map(_is_seen, (base for own in cls.mro() for base in own.bases)))
    plain = not any(own.definition.decorator_list for own in cls.mro())
    sources = {interp.world.source, *(own.source for own in cls.mro())}
    if seen and plain and not any(interp.query(one, _sets_unseen) for one in sources):
        ends(interp, "AttributeError")
        if not _left_out(interp):
            interp.state(Lacking).found = True


def _is_seen(base: Value) -> bool:
    """Whether all that a base class sets on its objects is known."""
    return isinstance(base, Class) or (isinstance(base, External) and base.path in _BARE)


def catches(names: set[str], error: str) -> bool:
    """Whether a handler for classes of these names catches an error of Python."""
    cls = getattr(builtins, error, None)
    order = cls.__mro__ if isinstance(cls, type) else ()
    return not names.isdisjoint({error, *(one.__name__ for one in order)})


@query
def _sets_unseen(source: Source) -> bool:
    return any(mark in source.text for mark in _SETTING_UNSEEN)
