"""Whether a value is an object of a class: `isinstance`, `issubclass`."""

from __future__ import annotations

from collections.abc import Callable

from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.abstract_types import abstract
from autograd_lint.vm.arithmetic import materialized
from autograd_lint.vm.calls import Call
from autograd_lint.vm.contents import all_of, elements
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import (
    ASKED_CLASSES,
    WRITTEN_AS,
    Class,
    External,
    Instance,
    Items,
    Lazy,
    Mapping,
    Unknown,
    Value,
    constant,
)

BASES_IN_TORCH = {
    "torch.optim": "torch.optim.Optimizer",
    "torch.optim.lr_scheduler": "torch.optim.lr_scheduler.LRScheduler",
}
# Other classes there that some version of torch derives others from: `AdamW` is an `Adam` today,
# and the second one was the base of all schedulers before torch 2.
_DERIVED_FROM = {"torch.optim.Adam", "torch.optim.lr_scheduler._LRScheduler"}


def _isinstance(interp: Interpreter, call: Call) -> Value:
    value, wanted = materialized(call.get(0, "obj")), call.get(1, "class")
    options = elements(wanted)
    answers = [is_a(value, option) for option in options]
    if True in answers:
        return True
    if None not in answers:
        return False
    if isinstance(value, Unknown):
        if interp.source.stands_for and all(map(_is_builtin, options)):
            return False  # a model of a library tells first what that does with a tensor
        text = interp.text(call.node)
        answer = value.derived(("isinstance", text), text, "bool")
        answer.usual = _is_written(interp, value, options)
        answer.attributes[ASKED_CLASSES] = Items("tuple", options)
        return answer
    return Unknown(interp.text(call.node), hint="bool")


def _is_builtin(cls: Value) -> bool:
    """Whether a class is one of Python's own, as `dict`."""
    return isinstance(cls, External) and cls.path.startswith("builtins.")


def _issubclass(interp: Interpreter, call: Call) -> Value:
    """`issubclass(cls, classes)`, where the class is one of the program and bases tell it."""
    value, options = call.get(0, "cls"), elements(call.get(1, "class_or_tuple"))
    if isinstance(value, Class) and all_of(options, Class):
        return any(one in value.mro() for one in options)
    return Unknown(interp.text(call.node), hint="bool")


def _is_written(interp: Interpreter, value: Unknown, options: list[Value]) -> bool | None:
    """Whether an argument is annotated with one of some classes, or with quite another one.

    What may be given by its name instead is rather given itself.
    """
    written = value.attributes.get(WRITTEN_AS)
    cls = written.compute(interp) if isinstance(written, Lazy) else None
    if not isinstance(cls, Class):
        is_name = [getattr(one, "path", "") for one in options] == ["builtins.str"]
        return False if is_name and written is None else None
    if any(isinstance(one, Class) and cls in one.mro()[1:] for one in options):
        return None  # one of a special kind, or not
    return any(one in cls.mro() for one in options)


# The classes of which each tensor of floats is an instance.
_TENSORS = {"torch.Tensor", "torch.FloatTensor", "torch.autograd.variable.Variable"}
_PLAIN = {"int", "number", "string", "bool", "shape"}  # what is known of it makes it no tensor
GENERIC = {"List": "list", "Tuple": "tuple", "Set": "set", "Dict": "dict"}  # of `typing`
PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (float,),
    "str": (str,),
    "bool": (bool,),
    "complex": (complex,),
}


def is_a(value: Value, cls: Value) -> bool | None:
    """Whether a value is an object of a class; None where that is not known."""
    if isinstance(value, Unknown):
        plain = value.hint in _PLAIN and isinstance(cls, External) and cls.path == "torch.Tensor"
        return False if plain else None
    if isinstance(value, Instance):
        return _object_is_a(value, cls)
    if not isinstance(cls, External):
        return False if isinstance(cls, Class) else None
    package, _, name = cls.path.rpartition(".")
    if package == "typing":
        name = GENERIC.get(name, name)
    if isinstance(value, Tensor):
        return cls.path in _TENSORS or (name == "Parameter" and value.parameter)
    if isinstance(value, Items):
        return name == value.kind if name in ("list", "tuple", "set") else _sequence(name)
    if isinstance(value, Mapping):
        return name in ("dict", "OrderedDict", "Mapping", "MutableMapping")
    if constant(value):
        return isinstance(value, abstract(cls.path) or PYTHON_TYPES.get(name, ()))
    return None


def _sequence(name: str) -> bool:
    return name in ("Sequence", "Iterable", "Collection")


def _object_is_a(value: Instance, cls: Value) -> bool | None:
    if isinstance(cls, Class):
        if isinstance(value.cls, Class):
            return cls in value.cls.mro() or (None if opaque_bases(value.cls) else False)
        return False
    if not isinstance(cls, External):
        return None
    paths = [value.cls.path] if isinstance(value.cls, External) else value.cls.external_bases()
    if cls.path in paths or any(cls.path in _bases_in_torch(path) for path in paths):
        return True
    unseen = set(paths) - _modelled(value.cls)
    if _is_builtin(cls) and all(map(_bases_in_torch, unseen)):
        return False
    if all(path.startswith("torch.nn.") for path in paths):
        return False
    beside = _is_leaf_in_torch(cls.path) and all(map(_bases_in_torch, paths))
    return False if beside else None


def _modelled(cls: Class | External) -> set[str]:
    """The outside classes that models of libraries stand for, among those a class inherits from."""
    classes = cls.mro() if isinstance(cls, Class) else []
    return {f"{one.source.stands_for}.{one.name}" for one in classes if one.source.stands_for}


def _is_leaf_in_torch(path: str) -> bool:
    """Whether a class is an optimizer or a scheduler of torch that no other one is derived from."""
    base = BASES_IN_TORCH.get(path.rpartition(".")[0])
    return base is not None and path != base and path not in _DERIVED_FROM


def opaque_bases(cls: Class) -> bool:
    return any(not isinstance(base, (Class, External)) for own in cls.mro() for base in own.bases)


def _bases_in_torch(path: str) -> tuple[str, ...]:
    """The base that the classes of a module of torch have in common."""
    if path.startswith("torch.nn."):
        return ("torch.nn.Module",)
    base = BASES_IN_TORCH.get(path.rpartition(".")[0])
    return (base,) if base else ()


ON_CLASSES: dict[str, Callable[[Interpreter, Call], Value]] = {
    "isinstance": _isinstance,
    "issubclass": _issubclass,
}
