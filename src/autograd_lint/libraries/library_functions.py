"""Functions of Python's own library, by their dotted names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from typing import TypeGuard

from autograd_lint.libraries.command_line import make_parser
from autograd_lint.libraries.copying import deep_copy, shallow_copy
from autograd_lint.libraries.iteration_tools import ITERATION_TOOLS
from autograd_lint.libraries.packages import named_tuple
from autograd_lint.libraries.processes import process, spawn
from autograd_lint.libraries.running_frames import current
from autograd_lint.libraries.threads import pool, thread
from autograd_lint.vm.attribute_functions import set_as_object
from autograd_lint.vm.blocks import enter_manager
from autograd_lint.vm.builtin_functions import BUILTINS
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.enumerations import AUTO
from autograd_lint.vm.fields import annotated_fields
from autograd_lint.vm.imports import import_by_name
from autograd_lint.vm.instances import new_instance
from autograd_lint.vm.integers import Counter
from autograd_lint.vm.iteration import iterate
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.managers import Manager, Raises, Suspended
from autograd_lint.vm.values import (
    Class,
    External,
    FieldDefault,
    Function,
    Instance,
    Items,
    Mapping,
    Method,
    Native,
    Unknown,
    Value,
    by_default,
    constant,
)

_DEEPEST = 8  # objects in objects, of which one may contain itself


def first(interp: Interpreter, call: Call) -> Value:
    """Wrappers that behave like what they wrap (`torch.compile`, `torch.jit.script`)."""
    return call.args[0] if call.args else Native("wrapper", first)


def _remembering(interp: Interpreter, call: Call) -> Value:
    """`functools.lru_cache`: as a decorator, or what gives one where it is given options."""
    function = call.args[0] if call.args else None
    if isinstance(function, Function):
        return replace(function, remembers=True)
    return Native("lru_cache", _remembering)


def _wraps(interp: Interpreter, call: Call) -> Value:
    """`functools.wraps(function)`: a decorator that gives a function the name of another one."""
    wrapped = call.get(0, "wrapped")

    def rename(inner: Interpreter, later: Call) -> Value:
        function = first(inner, later)
        if isinstance(function, Function) and isinstance(wrapped, Function):
            function.alias = wrapped.alias or wrapped.name
        return function

    return Native("wraps", rename)


def _deepcopy(interp: Interpreter, call: Call) -> Value:
    return deep_copy(interp, call.get(0, "x"), call)


def _copy(interp: Interpreter, call: Call) -> Value:
    return shallow_copy(interp, call.get(0, "x"), call)


def _partial(interp: Interpreter, call: Call) -> Value:
    function, args, keywords = call.args[0], call.args[1:], call.keywords

    def run(inner: Interpreter, later: Call) -> Value:
        joined = Call([*args, *later.args], {**keywords, **later.keywords}, later.node, later.open)
        return call_value(inner, function, joined)

    return Native("partial", run)


def _auto(interp: Interpreter, call: Call) -> Value:
    return AUTO


def _reduce(interp: Interpreter, call: Call) -> Value:
    function, given = call.get(0, "function"), call.get(1, "iterable")
    iteration = iterate(interp, given, call.node)
    values = iteration.gathered()
    values = [*call.args[2:3], *values]
    if not values:
        return Unknown(interp.text(call.node))
    value = values[0]
    for item in values[1:]:
        value = call_value(interp, function, Call([value, item], {}, call.node))
    return value


def _raises(interp: Interpreter, call: Call) -> Value:
    return Raises()


def _field(interp: Interpreter, call: Call) -> Value:
    """`dataclasses.field(...)`, by what it gives an object that is made without the field."""
    if "default_factory" in call.keywords:
        return FieldDefault(call.keywords["default_factory"])
    return call.keywords.get("default", Unknown(interp.text(call.node)))


def _queue(interp: Interpreter, call: Call) -> Value:
    made = BUILTINS["list"](interp, Call(call.args[:1], {}, call.node))
    if isinstance(made, Items):
        made.bounded = call.given(1, "maxlen")
        most = call.get(1, "maxlen")
        if isinstance(most, int) and not isinstance(most, Counter):
            del made.items[: max(len(made.items) - most, 0)]
    return made


def _default_dict(interp: Interpreter, call: Call) -> Value:
    factory = call.get(0, "default_factory")
    empty = call_value(interp, factory, Call([], {}, call.node)) if factory is not None else None
    made = BUILTINS["dict"](interp, Call(call.args[1:], call.keywords, call.node))
    assert isinstance(made, Mapping)
    made.rest, made.factory = made.rest or empty, factory
    return made


def _from_keys(interp: Interpreter, call: Call) -> Value:
    """`dict.fromkeys(keys, value)`: one value for all keys."""
    iteration, value = iterate(interp, call.get(0, "iterable"), call.node), call.get(1, "value")
    keys = [key for key in iteration.gathered() if isinstance(key, (str, int, Unknown))]
    return Mapping(dict.fromkeys(keys, value), None if iteration.complete else value)


def _is_scalar(interp: Interpreter, call: Call) -> Value:
    """`numpy.isscalar(element)`: no tensor is one, of whatever size."""
    given = call.get(0, "element")
    if isinstance(given, (int, float, complex, str, bytes)):
        return True
    return Unknown(interp.text(call.node)) if isinstance(given, Unknown) else False


def _cast(interp: Interpreter, call: Call) -> Value:
    """`typing.cast(kind, value)`."""
    return call.get(1, "val")


def _sample(interp: Interpreter, call: Call) -> Value:
    """`random.sample(population, k)`: any of the elements, so the oldest as well."""
    given, count = call.get(0, "population"), call.get(1, "k")
    if not isinstance(given, Items):
        return Unknown(interp.text(call.node))
    drawn = given.items[:count] if isinstance(count, int) else list(given.items)
    return Items("list", drawn, None if isinstance(count, int) and drawn else given.rest)


def _choice(interp: Interpreter, call: Call) -> Value:
    """`random.choice(elements)`: what is drawn of numbers and strings is not known."""
    given = call.get(0, "seq")
    if not isinstance(given, Items) or not given.items or any(map(constant, given.items)):
        return Unknown(interp.text(call.node))
    return given.items[0]


def _import_module(interp: Interpreter, call: Call) -> Value:
    """`importlib.import_module(name)`, of a name that is known, by default at least."""
    name = by_default(call.get(0, "name"))
    absolute = isinstance(name, str) and name and not name.startswith(".")
    return import_by_name(interp, str(name)) if absolute else Unknown(interp.text(call.node))


def _import(interp: Interpreter, call: Call) -> Value:
    """`__import__(name)`: the package at the top, or the module if names are taken of it."""
    name = by_default(call.get(0, "name"))
    if not isinstance(name, str) or not name or call.get(4, "level") not in (None, 0):
        return Unknown(interp.text(call.node))
    taken = call.get(3, "fromlist")
    return import_by_name(interp, name if taken else name.partition(".")[0])


def _is_class(interp: Interpreter, call: Call) -> Value:
    """`inspect.isclass(value)`, where it is known what the value is."""
    value = call.get(0, "object")
    if isinstance(value, (Unknown, External)):
        return Unknown(interp.text(call.node), hint="bool")
    return isinstance(value, Class)


def _new(interp: Interpreter, call: Call) -> Value:
    """`object.__new__(cls)`."""
    cls = call.get(0, "cls")
    return new_instance(cls, call) if isinstance(cls, Class) else Unknown(interp.text(call.node))


def _namespace(path: str) -> Callable[[Interpreter, Call], Value]:
    """`SimpleNamespace(name=value, ...)`: an object with those attributes."""

    def make(interp: Interpreter, call: Call) -> Value:
        return Instance(External(path), dict(call.keywords), made_at=call.node)

    return make


def _method(interp: Interpreter, call: Call) -> Value:
    """`types.MethodType(function, object)`."""
    function, receiver = call.get(0, "function"), call.get(1, "instance")
    if isinstance(function, Function):
        return Method(receiver, function)
    return Unknown(interp.text(call.node))


def _replaced(interp: Interpreter, call: Call) -> Value:
    """`dataclasses.replace(object, name=value)`: another object with other values."""
    copy = shallow_copy(interp, call.args[0], call) if call.args else None
    if isinstance(copy, Instance):
        copy.attributes.update(call.keywords)
    return copy


def _as_dictionary(interp: Interpreter, call: Call) -> Value:
    """`dataclasses.asdict(object)`: its fields by name, those of objects in it likewise."""
    value = call.get(0, "obj")
    if not _is_record(value):
        return Unknown(interp.text(call.node))
    return _of_record(value, _DEEPEST)


def _is_record(value: Value) -> TypeGuard[Instance]:
    """Whether a value is an object of a dataclass."""
    return isinstance(value, Instance) and isinstance(value.cls, Class) and value.cls.dataclass


def _of_record(value: Value, depth: int) -> Value:
    if not _is_record(value) or not isinstance(value.cls, Class) or not depth:
        return value
    fields = {name: value.attributes.get(name) for name in annotated_fields(value.cls)}
    return Mapping({name: _of_record(one, depth - 1) for name, one in fields.items()})


def _entered(interp: Interpreter, call: Call) -> Value:
    """`contextlib.nullcontext(value)`: a `with` of it binds the value."""
    return Manager(lambda _: nullcontext(call.get(0, "enter_result")))


def _exit_stack(interp: Interpreter, call: Call) -> Value:
    """`contextlib.ExitStack()`: what it is given to enter is left with it."""

    @contextmanager
    def enter(inner: Interpreter) -> Iterator[Value]:
        with ExitStack() as entered:

            def take(current: Interpreter, later: Call) -> Value:
                manager = later.get(0, "cm")
                if isinstance(manager, Suspended):
                    return Unknown(current.text(later.node))
                return entered.enter_context(enter_manager(current, manager, later.node))

            stack = Instance(External("contextlib.ExitStack"), made_at=call.node)
            stack.attributes["enter_context"] = Native("enter_context", take)
            yield stack

    return Manager(enter)


LIBRARY: dict[str, Callable[[Interpreter, Call], Value]] = {
    **ITERATION_TOOLS,
    "builtins.dict.fromkeys": _from_keys,
    "builtins.object.__new__": _new,
    "builtins.object.__setattr__": set_as_object,
    "builtins.__import__": _import,
    "importlib.import_module": _import_module,
    "inspect.isclass": _is_class,
    "argparse.ArgumentParser": make_parser,
    "argparse.Namespace": _namespace("argparse.Namespace"),
    "types.SimpleNamespace": _namespace("types.SimpleNamespace"),
    "copy.deepcopy": _deepcopy,
    "copy.copy": _copy,
    "functools.partial": _partial,
    "enum.auto": _auto,
    "functools.reduce": _reduce,
    "functools.wraps": _wraps,
    "functools.lru_cache": _remembering,
    "functools.cache": _remembering,
    "types.MethodType": _method,
    "types.MappingProxyType": first,
    "typing.cast": _cast,
    "numpy.isscalar": _is_scalar,
    "contextlib.nullcontext": _entered,
    "contextlib.ExitStack": _exit_stack,
    "dataclasses.field": _field,
    "dataclasses.replace": _replaced,
    "dataclasses.asdict": _as_dictionary,
    "collections.OrderedDict": BUILTINS["dict"],
    "inspect.currentframe": current,
    "sys._getframe": current,
    "collections.namedtuple": named_tuple,
    "collections.deque": _queue,
    "multiprocessing.Process": process,
    "torch.multiprocessing.Process": process,
    "torch.multiprocessing.spawn": spawn,
    "torch.multiprocessing.start_processes": spawn,
    "threading.Thread": thread,
    "concurrent.futures.ThreadPoolExecutor": pool,
    "multiprocessing.pool.ThreadPool": pool,
    "collections.defaultdict": _default_dict,
    "pytest.raises": _raises,
    "random.sample": _sample,
    "random.choice": _choice,
}
