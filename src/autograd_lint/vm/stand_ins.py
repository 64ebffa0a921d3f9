"""Objects that answer for unknown values of which it is known what class of the program they are.

An argument is what its annotation says, and what a test (`isinstance`) has found it to be. The
object is made as a harness makes one, when the program first asks for something of it.
"""

from __future__ import annotations

from autograd_lint.vm.abstract_methods import leaves_methods_open
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import (
    ASKED_CLASSES,
    NO_OBJECT,
    STAND_IN,
    WRITTEN_AS,
    Class,
    Instance,
    Items,
    Lazy,
    Unknown,
    Value,
)

# Classes whose objects are no plain ones: values by name, tuples, dictionaries, interfaces.
_NOT_MADE = {
    *("Enum", "IntEnum", "StrEnum", "Flag", "Protocol", "NamedTuple", "TypedDict", "Tensor"),
    *("Exception", "BaseException", "dict", "list", "tuple", "set", "str", "int", "float", "type"),
    *("Parameter", "Function", "Buffer"),
}


def stand_in(interp: Interpreter, value: Unknown) -> Instance | None:
    """The object that an unknown value is, as far as its class is known."""
    known = value.attributes.get(STAND_IN)
    if isinstance(known, Instance):
        return known
    if value.hint or value.tensor is not None or NO_OBJECT in value.attributes:
        return None
    value.attributes[NO_OBJECT] = True  # while it is made
    cls = _class_of(interp, value)
    if cls is None or not _is_made(cls):
        return None
    made = interp.world.make_object(interp, cls, value)
    if made is not None:
        del value.attributes[NO_OBJECT]
        value.attributes[STAND_IN] = made
        value.source = None
    return made


def _class_of(interp: Interpreter, value: Unknown) -> Class | None:
    """The class that a test has found it to be of on this path, or that it is annotated with."""
    found = [cls for answer in list(value.attributes.values()) for cls in _asked(interp, answer)]
    if found:
        return found[-1] if isinstance(found[-1], Class) else None
    named = value.attributes.get(WRITTEN_AS)
    cls = named.compute(interp) if isinstance(named, Lazy) else None
    return cls if isinstance(cls, Class) else None


def _asked(interp: Interpreter, answer: Value) -> list[Value]:
    """The one class that `isinstance` was asked for, where the path has found it true."""
    if not isinstance(answer, Unknown) or not interp.choices.found_true(answer):
        return []
    classes = answer.attributes.get(ASKED_CLASSES)
    return classes.items if isinstance(classes, Items) and len(classes.items) == 1 else []


def _is_made(cls: Class) -> bool:
    """Whether an object of the class is what the value may be: of an abstract class it is one of a
    derived class, with attributes and methods of its own."""
    names = {path.rpartition(".")[2] for path in cls.external_bases()}
    plain = names.isdisjoint(_NOT_MADE) and cls.metaclass() is None
    return plain and not leaves_methods_open(cls)
