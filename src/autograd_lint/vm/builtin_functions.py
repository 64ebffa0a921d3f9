"""Python's built-in functions."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from dataclasses import replace

from autograd_lint.engine.tensor import Tensor
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.abstract_types import abstract
from autograd_lint.vm.arithmetic import materialized
from autograd_lint.vm.attributes import (
    delete_attribute,
    get_attribute,
    set_attribute,
    store_attribute,
)
from autograd_lint.vm.calls import Call
from autograd_lint.vm.contents import all_of, elements
from autograd_lint.vm.dictionaries import held
from autograd_lint.vm.events import DictionaryWritten
from autograd_lint.vm.graphs import put_away
from autograd_lint.vm.identities import identity
from autograd_lint.vm.imports import external
from autograd_lint.vm.instances import computed_key, has_method, is_module, named_parts
from autograd_lint.vm.integers import known_constant
from autograd_lint.vm.iterables import ITERABLES
from autograd_lint.vm.iteration import MOST, iterate
from autograd_lint.vm.lengths import length
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.members import plain_value
from autograd_lint.vm.number_functions import ON_NUMBERS
from autograd_lint.vm.package_members import any_definition, member_of
from autograd_lint.vm.scope_functions import ON_SCOPES
from autograd_lint.vm.string_facts import key_under
from autograd_lint.vm.truth import answer, known_truth
from autograd_lint.vm.uncalled import shown_of
from autograd_lint.vm.values import (
    ASKED_CLASSES,
    WRITTEN_AS,
    Class,
    External,
    Function,
    Instance,
    Items,
    Lazy,
    Mapping,
    Module,
    Slice,
    Unknown,
    Value,
    by_default,
    constant,
)

NAMES = frozenset(dir(builtins)) | {"__file__"}

BASES_IN_TORCH = {
    "torch.optim": "torch.optim.Optimizer",
    "torch.optim.lr_scheduler": "torch.optim.lr_scheduler.LRScheduler",
}
# Other classes there that some version of torch derives others from: `AdamW` is an `Adam` today,
# and the second one was the base of all schedulers before torch 2.
_DERIVED_FROM = {"torch.optim.Adam", "torch.optim.lr_scheduler._LRScheduler"}


def builtin(name: str) -> Value | None:
    """What a name means when the program does not bind it; None when nothing."""
    return external(f"builtins.{name}") if name in NAMES else None


def _isinstance(interp: Interpreter, call: Call) -> Value:
    value, wanted = materialized(call.get(0, "obj")), call.get(1, "class")
    options = elements(wanted)
    answers = [is_a(value, option) for option in options]
    if True in answers:
        return True
    if None not in answers:
        return False
    if isinstance(value, Unknown):
        text = interp.text(call.node)
        answer = value.derived(("isinstance", text), text, "bool")
        answer.usual = _is_written(interp, value, options)
        answer.attributes[ASKED_CLASSES] = Items("tuple", options)
        return answer
    return Unknown(interp.text(call.node), hint="bool")


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
            return cls in value.cls.mro() or (None if _opaque_bases(value.cls) else False)
        return False
    if not isinstance(cls, External):
        return None
    paths = [value.cls.path] if isinstance(value.cls, External) else value.cls.external_bases()
    if cls.path in paths or any(cls.path in _bases_in_torch(path) for path in paths):
        return True
    unseen = set(paths) - _modelled(value.cls)
    if cls.path.startswith("builtins.") and all(map(_bases_in_torch, unseen)):
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


def _opaque_bases(cls: Class) -> bool:
    return any(not isinstance(base, (Class, External)) for own in cls.mro() for base in own.bases)


def _bases_in_torch(path: str) -> tuple[str, ...]:
    """The base that the classes of a module of torch have in common."""
    if path.startswith("torch.nn."):
        return ("torch.nn.Module",)
    base = BASES_IN_TORCH.get(path.rpartition(".")[0])
    return (base,) if base else ()


def _dict(interp: Interpreter, call: Call) -> Value:
    named: dict[Value, Value] = dict(call.keywords.items())
    mapping = Mapping(named)
    for keyword in call.node.keywords if isinstance(call.node, ast.Call) else ():
        mapping.written[keyword.arg] = (interp.source, keyword.value)
    if mapping.written:
        interp.emit(DictionaryWritten(mapping))
    given = call.get(0, "mapping")
    given = held(given) or named_parts(given) or given
    if isinstance(given, Mapping):
        mapping.entries = {**given.entries, **named}
        mapping.rest = given.rest
    elif given is not None and "mapping" not in call.keywords:
        pairs, complete = _pairs(interp, given, call.node)
        mapping.entries = {**pairs, **named}
        mapping.rest = None if complete else Unknown("a value", weight=2)
    return mapping


def _pairs(interp: Interpreter, given: Value, node: ast.AST) -> tuple[dict[Value, Value], bool]:
    """The keys and values that an iterable certainly gives in pairs, and whether these are all."""
    iteration = iterate(interp, given, node)
    items = list(iteration.few(MOST if iteration.complete else iteration.known))
    found: dict[Value, Value] = {}
    for item in items:
        if isinstance(item, Items) and item.closed and len(item.items) == 2:
            key, value = item.items
            if isinstance(key, (str, int, Unknown)):
                found[key] = value
    return found, iteration.complete and len(found) == len(items)


def _quantified(wanted: bool) -> Callable[[Interpreter, Call], Value]:
    """`any` (looks for a true element) and `all` (looks for a false one)."""

    def run(interp: Interpreter, call: Call) -> Value:
        iteration = iterate(interp, call.get(0, "iterable"), call.node)
        if not iteration.complete:
            return Unknown(interp.text(call.node), hint="bool")
        asked = (answer(interp, item, call.node) for item in iteration.few(MOST))
        answers = [known_truth(item) for item in asked]
        if wanted in answers:
            return wanted
        return Unknown(interp.text(call.node), hint="bool") if None in answers else not wanted

    return run


def _getattr(interp: Interpreter, call: Call) -> Value:
    value, name = call.get(0, "obj"), call.get(1, "name")
    if isinstance(name, Unknown) and isinstance(value, External):
        return member_of(interp, value, name, call.node)
    if isinstance(name, Unknown) and isinstance(value, Module):
        usual = by_default(name)
        if not isinstance(usual, str):
            return any_definition(interp, value, name, call.node)
        name = usual
    if isinstance(name, Unknown) and isinstance(value, Instance):
        usual = by_default(name)
        name = usual if isinstance(usual, str) else computed_key(value, name)
        if name is None and is_module(value):
            return interp.models.attributes.any_part(interp, value, call.node)
    if not isinstance(name, str):
        return Unknown(interp.text(call.node), weight=2)
    if len(call.args) > 2 and _lacks(interp, value, name):
        return call.args[2]
    return get_attribute(interp, value, name, call.node)


def _lacks(interp: Interpreter, value: Value, name: str) -> bool:
    """Whether a value has no attribute of a name, as far as that is known."""
    if isinstance(value, Instance):
        found = value.cls.find(name) if isinstance(value.cls, Class) else None
        return name not in value.attributes and not found
    if constant(value):
        return not hasattr(value, name)
    return interp.models.attributes.lacks(value, name)


def _setattr(interp: Interpreter, call: Call) -> Value:
    owner, name = call.get(0, "obj"), call.get(1, "name")
    put_away(interp, call.get(2, "value"), call.node)
    if isinstance(name, str):
        set_attribute(interp, owner, name, call.get(2, "value"), call.node)
    elif isinstance(owner, Instance):
        # Whatever it is called, the object has it.
        owner.attributes[key_under(name, len(owner.attributes))] = call.get(2, "value")
    return None


def set_as_object(interp: Interpreter, call: Call) -> Value:
    """`object.__setattr__(object, name, value)`."""
    owner, name = call.get(0, "obj"), call.get(1, "name")
    if isinstance(name, str):
        store_attribute(interp, owner, name, call.get(2, "value"), call.node)
    elif isinstance(owner, Instance):
        owner.attributes[key_under(name, len(owner.attributes))] = call.get(2, "value")
    return None


def _delattr(interp: Interpreter, call: Call) -> Value:
    name = call.get(1, "name")
    if isinstance(name, str):
        delete_attribute(call.get(0, "obj"), name)
    return None


OBJECT = frozenset({"builtins.object"})  # the base that has what any object has
PLAIN_KINDS: dict[str, type] = {"list": list, "tuple": tuple, "set": set}


def _hasattr(interp: Interpreter, call: Call) -> Value:
    value, name = call.get(0, "obj"), call.get(1, "name")
    if isinstance(value, Instance) and isinstance(name, str):
        if name in value.attributes or (
            isinstance(value.cls, Class) and value.cls.find(name) is not None
        ):
            return True
        if _all_known(value):
            return name in value.options or interp.models.attributes.every_module_has(name)
        # What its own files never set, some base elsewhere would have to.
        text = interp.text(call.node)
        if _is_set(interp, value, name):
            return Unknown(text, hint="bool")
        return Unknown(text, hint="bool", usual=False, seldom=True)
    if isinstance(value, Class) and isinstance(name, str):
        if value.find(name) is not None or hasattr(object, name):
            return True
        if _known_bases(value, OBJECT):
            return False
    if isinstance(value, Tensor) and isinstance(name, str):
        known = interp.models.attributes.tensor_has(interp, value, name)
        return True if known else Unknown(interp.text(call.node), hint="bool")
    if isinstance(value, Items) and _is_plain_kind(value) and isinstance(name, str):
        return hasattr(PLAIN_KINDS[value.kind](), name)  # a type has more than its objects
    if constant(value) and isinstance(name, str):
        return hasattr(value, name)
    if isinstance(value, Unknown) and isinstance(name, str):
        return value.derived(("hasattr", name), interp.text(call.node), hint="bool")
    return Unknown(interp.text(call.node), hint="bool")


def _is_plain_kind(value: Items) -> bool:
    return value.kind in PLAIN_KINDS and not value.fields


def _is_set(interp: Interpreter, value: Instance, name: str) -> bool:
    """Whether the files that an object's class is known from set an attribute of that name."""
    classes = value.cls.mro() if isinstance(value.cls, Class) else ()
    return not classes or any(name in interp.query(cls.source, _set_names) for cls in classes)


@query
def _set_names(source: Source) -> frozenset[str]:
    """The attributes that a file sets of anything."""
    return frozenset(
        node.attr for node in source.each(ast.Attribute) if isinstance(node.ctx, ast.Store)
    )


def _all_known(value: Instance) -> bool:
    """Whether all that the object's class defines is known."""
    if isinstance(value.cls, Class):
        return _known_bases(value.cls, OBJECT | {"torch.nn.Module"})
    return value.cls.path.startswith("torch.nn.")


def _known_bases(cls: Class, known: frozenset[str]) -> bool:
    """Whether all outside bases of a class are among those that are known."""
    return not _opaque_bases(cls) and known.issuperset(cls.external_bases())


HINTS: dict[type, str] = {int: "int", float: "number", str: "string"}


def _bool(interp: Interpreter, call: Call) -> Value:
    """`bool(value)`, which asks an object of the program by its own method."""
    value = answer(interp, call.get(0, "x", False), call.node)
    truth = known_truth(value)
    if truth is not None:
        return truth
    if isinstance(value, (Items, Mapping)):
        return Unknown(interp.text(call.node), "bool")
    return interp.models.operators.number(interp, value, "bool", "bool", call)


def _converted(kind: type) -> Callable[[Interpreter, Call], Value]:
    def convert(interp: Interpreter, call: Call) -> Value:
        value = call.args[0] if call.args else kind()
        value = value if kind is str else plain_value(value)
        more = [*call.args[1:], *call.keywords.values()]  # the base of a number, an encoding
        if not all(map(constant, more)):
            return Unknown(interp.text(call.node), HINTS[kind])
        if known_constant(value):
            try:
                converted: int | float | str = kind(value, *call.args[1:], **call.keywords)
            except (TypeError, ValueError, OverflowError, LookupError):
                return Unknown(interp.text(call.node), HINTS[kind])
            return converted
        return interp.models.operators.number(interp, value, kind.__name__, HINTS[kind], call)

    return convert


def _slice(interp: Interpreter, call: Call) -> Value:
    bounds = [None, *call.args] if len(call.args) == 1 else [*call.args, None, None]
    return Slice(*[*bounds, None][:3])


def _callable(interp: Interpreter, call: Call) -> Value:
    value = materialized(call.get(0, "obj"))
    if isinstance(value, Instance) and not is_module(value):
        known = not _opaque_bases(value.cls) if isinstance(value.cls, Class) else False
        called = has_method(value, "__call__")
        return called or (Unknown(interp.text(call.node), "bool") if not known else False)
    if isinstance(value, Unknown):
        return value.derived("callable", interp.text(call.node), "bool")
    return not (constant(value) or isinstance(value, (Tensor, Items, Mapping)))


def _type(interp: Interpreter, call: Call) -> Value:
    value = call.get(0, "object")
    if len(call.args) > 1:
        return Unknown(interp.text(call.node), "type")  # a class that is made
    if isinstance(value, Instance):
        return value.cls
    if isinstance(value, Unknown):
        return value.derived("type", interp.text(call.node), "type")
    if isinstance(value, Tensor):
        return External("torch.nn.Parameter" if value.parameter else "torch.Tensor")
    if isinstance(value, Items) and value.kind in ("list", "tuple", "set") and not value.fields:
        return External(f"builtins.{value.kind}")
    if value is not None and constant(value):
        kind = int if isinstance(value, int) and not isinstance(value, bool) else type(value)
        return External(f"builtins.{kind.__name__}")
    return Unknown(interp.text(call.node), "type")


def _print(interp: Interpreter, call: Call) -> Value:
    for value in call.args:
        shown_of(interp, value)
    return None


def _text(interp: Interpreter, call: Call) -> Value:
    return Unknown(interp.text(call.node), hint="string")


def _as_kind(kind: str) -> Callable[[Interpreter, Call], Value]:
    """`property(function)` and the like, called without being decorators."""

    def make(interp: Interpreter, call: Call) -> Value:
        function = call.args[0] if call.args else None
        if not isinstance(function, Function):
            return Unknown(interp.text(call.node))
        setter = call.get(1, "fset") if kind == "property" else None
        made = function.as_kind(kind)
        return replace(made, setter=setter) if isinstance(setter, Function) else made

    return make


BUILTINS: dict[str, Callable[[Interpreter, Call], Value]] = {
    **ITERABLES,
    **ON_NUMBERS,
    **ON_SCOPES,
    "len": length,
    "isinstance": _isinstance,
    "issubclass": _issubclass,
    "id": identity,
    "dict": _dict,
    "any": _quantified(True),
    "all": _quantified(False),
    "getattr": _getattr,
    "setattr": _setattr,
    "hasattr": _hasattr,
    "delattr": _delattr,
    "int": _converted(int),
    "float": _converted(float),
    "bool": _bool,
    "str": _converted(str),
    "property": _as_kind("property"),
    "staticmethod": _as_kind("staticmethod"),
    "classmethod": _as_kind("classmethod"),
    "slice": _slice,
    "callable": _callable,
    "type": _type,
    "print": _print,
    "repr": _text,
    "input": _text,
}
