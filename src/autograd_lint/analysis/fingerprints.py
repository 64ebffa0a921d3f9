"""What a value is, told so that two analyses of a file can be compared.

Definitions go by their names: what their code is matters to those only who look at it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from collections.abc import Mapping as MappingType
from functools import partial
from types import EllipsisType, FunctionType

from autograd_lint.analysis.outcomes import Rows
from autograd_lint.engine.events import Created
from autograd_lint.vm.calls import Call
from autograd_lint.vm.integers import Counter
from autograd_lint.vm.managers import GradMode, Raises
from autograd_lint.vm.scope import Scope
from autograd_lint.vm.values import (
    BUFFERS,
    DATA,
    Bound,
    Class,
    External,
    FieldDefault,
    Function,
    Instance,
    Items,
    Mapping,
    Method,
    Module,
    Namespace,
    Native,
    Property,
    Slice,
    Super,
    Unknown,
    Value,
)

Told = object  # compared with `==` alone


class Opaque(Exception):
    """A value that cannot be compared: a tensor, something with a graph behind it."""


class Teller:
    """Tells one value with all that it leads to; use it once.

    When a container was made says nothing as long as it holds no tensors.

    `kept` says of an imported class whether the very object lives on from analysis to analysis.
    `objects` are those it reached that a program can change, in order, `definitions` those of the
    functions and classes among them: what stands in them is not told.
    """

    def __init__(self, rows: Rows, kept: Callable[[Class], bool]) -> None:
        self._rows = rows
        self._kept = kept
        self._seen: dict[int, int] = {}
        self.objects: list[int] = []
        self.definitions: list[ast.AST] = []

    def tell(self, value: object) -> Told:
        """What a value is; raises Opaque."""
        if type(value) in _PLAIN:
            return type(value), value
        tell = _TELLERS.get(type(value))
        if tell is None:
            raise Opaque
        return tell(self, value)

    def _number(self, value: object) -> Told:
        return type(value), repr(value)  # zero has a sign, and what is no number no equal

    def _external(self, value: External) -> Told:
        return External, value.path

    def _all(self, values: list[Value]) -> Told:
        return tuple([self.tell(value) for value in values])

    def _named(self, values: MappingType[str, Value]) -> Told:
        return tuple([(name, self.tell(value)) for name, value in values.items()])

    def _entries(self, values: MappingType[Value, Value]) -> Told:
        return tuple([(self.tell(key), self.tell(value)) for key, value in values.items()])

    def _object(self, value: object) -> Told:
        """Something that a program can change, or that may lead back to itself."""
        number = self._seen.get(id(value))
        if number is not None:
            return "again", number
        self._seen[id(value)] = len(self._seen)
        self.objects.append(id(value))
        return _OBJECTS[type(value)](self, value)

    def _class(self, value: Class) -> Told:
        if value.source.filename != self._rows.filename and self._kept(value):
            return Class, value
        attributes = self._named(value.attributes)
        return Class, self._code_of(value), self._all(value.bases), attributes, value.dataclass

    def _function(self, value: Function) -> Told:
        mode = value.mode and (value.mode.grad, value.mode.inference, value.mode.before)
        scope: Scope | None = value.scope
        around: list[Told] = []
        while scope is not None and scope.parent is not None:
            if not scope.is_class:
                around.append(self._object(scope))
            scope = scope.parent
        return (
            *(Function, self._code_of(value), value.kind, value.manager, mode, tuple(around)),
            self._all(value.defaults),
            self.tell(value.inside),
            self._named(value.keyword_defaults),
            self.tell(value.owner),
            self.tell(value.wrapped),
            self.tell(value.setter),
        )

    def _code_of(self, value: Function | Class) -> Told:
        """A definition: by its name where it is known who looks at it, else itself."""
        if value.code_reads is None:
            return value.definition
        self.definitions.append(value.definition)
        return value.name

    def _scope(self, value: Scope) -> Told:
        return self._named(value.names)

    def _unknown(self, value: Unknown) -> Told:
        if not _without_graph(value):
            raise Opaque
        return (
            *(Unknown, value.origin, value.hint, value.weight, value.usual, value.member),
            self.tell(value.negates),
            self.tell(value.parent),
            tuple(
                [
                    (key, self.tell(one))
                    for key, one in value.attributes.items()
                    if not _goes_without_saying(value, key, one)
                ]
            ),
        )

    def _items(self, value: Items) -> Told:
        if value.used is not None or value.leaks is not None or value.saving is not None:
            raise Opaque
        flags = (value.single_pass, value.bounded, value.partial, value.taken)
        rest = self.tell(value.rest)
        return Items, value.kind, value.fields, flags, self._all(value.items), rest

    def _mapping(self, value: Mapping) -> Told:
        parts = self._entries(value.entries), self.tell(value.rest), self.tell(value.factory)
        return Mapping, parts

    def _instance(self, value: Instance) -> Told:
        if value.fallback is not None:
            raise Opaque
        hooks = tuple([(name, self._all(found)) for name, found in value.hooks.items()])
        parts = self.tell(value.cls), self._named(value.attributes), self._named(value.options)
        return Instance, value.made_at, parts, hooks, self.tell(value.unknown)

    def _mode(self, value: GradMode) -> Told:
        made = None if value.made is None else self._created(value.made)
        return GradMode, value.grad, value.inference, value.before, made

    def _created(self, value: Created) -> Told:
        place = value.place
        if place is None or place.filename != self._rows.filename:
            return value
        shape = (place.column, place.end_row - place.row, place.end_column)
        return Created, value.operator, self._rows.within(place), shape

    def _native(self, value: Native) -> Told:
        return Native, value.name, self._code(value.run)

    def _property(self, value: Property) -> Told:
        return Property, self._code(value.read)

    def _code(self, run: object) -> Told:
        """A function of the interpreter itself, with what it holds of the program."""
        if isinstance(run, partial):
            return self._code(run.func), self._all(list(run.args)), self._named(run.keywords)
        if not isinstance(run, FunctionType) or run.__defaults__ or run.__kwdefaults__:
            raise Opaque
        held = [cell.cell_contents for cell in run.__closure__ or ()]
        return run.__code__, tuple([self._held(one) for one in held])

    def _held(self, value: object) -> Told:
        if isinstance(value, list):
            return self._all(value)
        if isinstance(value, dict):
            return self._entries(value)
        return self._code(value) if callable(value) else self.tell(value)

    def _call(self, value: Call) -> Told:
        given = self._all(value.args), self._named(value.keywords)
        return Call, value.node, value.open, value.more, given

    def _method(self, value: Method) -> Told:
        return Method, self.tell(value.receiver), self.tell(value.function)

    def _super(self, value: Super) -> Told:
        return Super, self.tell(value.receiver), self.tell(value.owner)

    def _bound(self, value: Bound) -> Told:
        return Bound, self.tell(value.receiver), value.name

    def _slice(self, value: Slice) -> Told:
        return Slice, self._all([value.lower, value.upper, value.step])

    def _module(self, value: Module) -> Told:
        return Module, value.source.filename

    def _namespace(self, value: Namespace) -> Told:
        return Namespace, value.path, value.importer.filename

    def _default(self, value: FieldDefault) -> Told:
        return FieldDefault, self.tell(value.factory)


def _without_graph(value: Unknown) -> bool:
    graph = (value.tensor, value.source, value.memory)
    return graph == (None, None, None) and not value.graph_breaks


def _goes_without_saying(owner: Unknown, key: object, value: Value) -> bool:
    """Whether a part of an unknown is as it is when it is first asked for."""
    if type(value) is not Unknown or not _without_graph(value):
        return False
    head = key[0] if isinstance(key, tuple) else key
    if head == "attribute" and isinstance(key, tuple):
        hint = "shape" if key[1] == "shape" else "array" if owner.hint == "array" else ""
        weight, parent = DATA if key[1] == "data" or key[1] in BUFFERS else owner.weight, owner
    elif head in _ANSWERS:
        hint, weight, parent = _ANSWERS[head], owner.weight, None
    elif head in _COMPARES:
        hint, weight, parent = "bool", DATA, None
    elif head == "not":
        hint, weight, parent = owner.hint, owner.weight, None
    else:
        return False
    parts = value.attributes.items()
    return (
        (value.hint, value.weight) == (hint, weight)
        and value.parent is parent
        and value.negates is (owner if head == "not" else None)
        and (value.usual is None or head == "in")
        and all(_goes_without_saying(value, name, part) for name, part in parts)
    )


# What the interpreter answers where a program asks something of an unknown, and what that must be.
_ANSWERS = {
    **dict.fromkeys(("isinstance", "hasattr"), "bool"),
    "is none": "",
    **dict.fromkeys(("len", "id"), "int"),
    "type": "type",
}
_COMPARES = {"eq", "ne", "lt", "le", "gt", "ge", "is", "in"}
_PLAIN = {bool, int, str, bytes, type(None), Counter, EllipsisType, Raises}
_OBJECTS: dict[type, Callable[..., Told]] = {
    Class: Teller._class,
    Function: Teller._function,
    Scope: Teller._scope,
    Unknown: Teller._unknown,
    Items: Teller._items,
    Mapping: Teller._mapping,
    Instance: Teller._instance,
}
_TELLERS: dict[type, Callable[..., Told]] = {
    **dict.fromkeys(_OBJECTS, Teller._object),
    float: Teller._number,
    complex: Teller._number,
    External: Teller._external,
    GradMode: Teller._mode,
    Native: Teller._native,
    Property: Teller._property,
    Call: Teller._call,
    Method: Teller._method,
    Super: Teller._super,
    Bound: Teller._bound,
    Slice: Teller._slice,
    Module: Teller._module,
    Namespace: Teller._namespace,
    FieldDefault: Teller._default,
}
