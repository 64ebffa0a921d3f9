"""The values a program computes with, as far as the interpreter knows them.

Numbers, strings, booleans and None are Python's own objects; tensors are the engine's. Everything
else is one of the classes below. What is not understood is `Unknown`, and does no harm.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import EllipsisType
from typing import TYPE_CHECKING, TypeAlias, TypeGuard, TypeVar

from autograd_lint.engine.events import Created
from autograd_lint.engine.graph import Node
from autograd_lint.engine.graph_breaks import GraphBreaks
from autograd_lint.engine.tensor import Storage, Tensor
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.vm.scope import Scope

if TYPE_CHECKING:
    from autograd_lint.vm.calls import Call
    from autograd_lint.vm.machine import Interpreter
    from autograd_lint.vm.managers import GradMode, Manager, Raises, Suspended

# Under which an unknown keeps what is known of it:
ANNOTATED = "annotated as a tensor"  # that the program says so
ARGUMENT = "argument"  # that a caller gives it whom nobody knows
ELEMENT = "element"  # that a loop has it of what it goes over
PICKED_FROM = "picked from"  # the list or tuple of which it is an element, it is not known which
MAY_RUN = "may run"  # the modules of a container which may be among those that it stands for
COMPUTED_WITH = "computed with"  # the parameters of modules that were given to who has computed it
WRITTEN_AS = "written as"  # the class by which an argument is annotated
STAND_IN = "stand-in"  # the object that it is, once the program has asked something of it
NO_OBJECT = "no object"  # that none can stand in for it
OBJECT = "object"  # that a class of a package made it
FOREIGN = "foreign"  # that a package made it, which was given no object of the program
ASKED_CLASSES = "classes asked for"  # of the answer of `isinstance`, what it was asked for
DEFAULT = "default"  # what an option is by default
AWAY = "on another device"  # that it was moved to one which is not known to be the CPU
UNIQUE = "unique"  # of a text, that nothing else is the same one
VALUE_OF = "value of"  # the dictionary, not known itself, of whose values it is one
GRADLESS = "without a gradient"  # that it is new, or a gradient without a graph
PERIODIC = "periodic"  # that it comes back every so many rounds of a loop
SURELY_ARRAY = "surely an array"  # of NumPy, not one of its numbers
# What the hint of an unknown says of what is no tensor.
NOT_TENSORS = {
    *("type", "int", "number", "string", "bool", "module", "dtype", "device"),
    *("array", "shape", "list", "packed"),
}
DATA = 3  # the weight of what is data: nothing computed from it is likely to have a graph
BUFFERS = frozenset({"running_mean", "running_var", "num_batches_tracked"})  # of layers

_MOST_BASES = 100  # of one class, all together

T = TypeVar("T")

Constant: TypeAlias = "bool | int | float | complex | str | bytes | EllipsisType | None"
"""A plain constant of Python."""

Value: TypeAlias = (
    "Constant | Tensor | Unknown | Items | Mapping | Slice | External | Function | Class"
    " | FieldDefault | Instance | Method | Super | Bound | Native | Property | Lazy | Module"
    " | Namespace | Mark | GradMode | Manager | Raises | Suspended"
)
"""What a program computes with: there is nothing else."""


@dataclass(slots=True, eq=False, repr=False)
class Unknown:
    """A value nothing is known of, but that it stays the same object.

    `origin` is how the program speaks of it. `hint` is what it must be, when that much is known
    (`int`, `number`, `string`, `tensor`, `module`, `shape` for a sequence of sizes). `negates` is
    the unknown it is the `not` of, `parent` and `member` say whose attribute it is. `source` is the
    graph it comes from where it is a tensor or holds some, `usual` what it is by default where it
    is a flag, `seldom` that it is hardly ever anything else. `memory` is what an array of NumPy
    shares with tensors, `graph_breaks` are the graphs that ended on the way to it. `basis` is the
    unknown that it was computed from, with numbers alone, or that was moved to a device or cast.
    `several` says that it is one of several values that unknown code gave, or of such a one,
    `holder` the object of the program whose attribute it is although nobody has set it, `named` the
    name that the program first gave it. `weight` is how daring it is to assume that the value is a
    tensor that requires grad.
    """

    origin: str
    hint: str = ""
    weight: int = 1
    negates: Unknown | None = None
    tensor: Tensor | None = None
    parent: Unknown | None = None
    member: str = ""
    source: Node | None = None
    usual: bool | None = None
    seldom: bool = False
    memory: Storage | None = None
    graph_breaks: GraphBreaks = ()
    basis: Unknown | None = None
    several: bool = False
    holder: Instance | None = None
    named: str = ""
    attributes: dict[object, Value] = field(default_factory=dict)

    def derived(self, key: object, origin: str, hint: str = "") -> Unknown:
        """The same unknown every time it is asked for by the same key."""
        found = self.attributes.get(key)
        if not isinstance(found, Unknown):
            found = self.attributes[key] = self.part(origin, hint)
            found.weight, found.several = max(self.weight, 1), self.several
        return found

    def part(self, origin: str, hint: str = "") -> Unknown:
        """A new unknown that is a part of it: of the same graph, given by the same caller."""
        found = Unknown(origin, hint, self.weight, source=self.source)
        found.graph_breaks = self.graph_breaks
        return found.given_like(self)

    def given_like(self, whole: Unknown) -> Unknown:
        """The same as a part of another unknown, whose caller or loop has given that."""
        for key in (ARGUMENT, ELEMENT, COMPUTED_WITH, VALUE_OF, GRADLESS):
            if key in whole.attributes:
                self.attributes[key] = whole.attributes[key]
        return self

    def put(self, key: object) -> Value:
        """What the program has put under a key; None where it has put nothing there."""
        found = self.attributes.get(key)
        return None if isinstance(found, Unknown) else found

    def attribute(self, name: str) -> Value:
        """An attribute or method of it."""
        given = self.put(("attribute", name))
        if given is not None:
            return given
        hint = "shape" if name == "shape" else "array" if self.hint == "array" else ""
        found = self.derived(("attribute", name), f"{self.origin}.{name}", hint)
        found.parent, found.member = self, name
        if name == "data" or name in BUFFERS:
            found.weight, found.source = DATA, None
        return found

    @property
    def root(self) -> Unknown:
        """What it was computed from with numbers alone, moved or cast; a module is moved itself."""
        root = self
        while root.basis is not None:
            root = root.basis
        return root

    @property
    def element_hint(self) -> str:
        """What an element of it must be."""
        return "int" if self.hint == "shape" else ""


@dataclass(slots=True, eq=False, repr=False)
class Items:
    """A list, tuple, set or iterator.

    `rest` stands for further elements, in unknown number, when there may be any. `once` says that
    it can be gone through only once, `used` where it was; `bounded` that old elements give way to
    new ones; `leaks` is the `yield` that hands out a grad mode with its elements, `made` when the
    program made it, by the engine's clock. `saving` is the call of `save_for_backward` that filled
    what a `ctx` hands back. `partial` says that a loop which was cut short added to it: there will
    be more of the same kind. `taken` is how many elements an iterator has given so far; None of
    what can be gone through again. `uncounted` says that there may be one alone, `single` that
    there is.
    """

    kind: str
    items: list[Value]
    rest: Value | None = None
    fields: tuple[str, ...] = ()
    single_pass: bool = False
    used: Place | None = None
    bounded: bool = False
    leaks: Created | None = None
    made: int = 0
    saving: Created | None = None
    partial: bool = False
    taken: int | None = None
    uncounted: bool = False
    single: bool = False

    @property
    def closed(self) -> bool:
        return self.rest is None


@dataclass(slots=True, eq=False, repr=False)
class Mapping:
    """A dictionary; `rest` stands for the value of a key that is not known.

    `factory` makes the value of a key that is missing, `made` is when the program made it, `asked`
    the first unknown key that it was asked for: `rest` stands for what is under that one. `home` is
    the file whose module made it, where it may be a registry that other modules fill. `written` is
    the code of those entries that a display or `dict(key=value)` has put there.
    """

    entries: dict[Value, Value]
    rest: Value | None = None
    factory: Value = None
    made: int = 0
    asked: Unknown | None = None
    home: str | None = None
    written: dict[object, tuple[Source, ast.AST]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Slice:
    """`lower:upper:step` between brackets."""

    lower: Value
    upper: Value
    step: Value

    @property
    def known(self) -> slice | None:
        """The slice as Python has it; None where a bound is not known."""
        lower, upper, step = self.lower, self.upper, self.step
        if not (lower is None or isinstance(lower, int)):
            return None
        if not (upper is None or isinstance(upper, int)):
            return None
        return slice(lower, upper, step) if step is None or isinstance(step, int) else None


@dataclass(frozen=True, slots=True)
class External:
    """Something of a package that is not read, by its dotted name (`torch.nn.functional.relu`)."""

    path: str


Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(slots=True, eq=False, repr=False)
class CodeReads:
    """What a run has read of the program's text.

    `whole` are the definitions whose code was looked at, `queries` what was only asked of others,
    with the answers.
    """

    whole: set[ast.AST] = field(default_factory=set)
    queries: dict[ast.AST, dict[Callable[..., object], object]] = field(default_factory=dict)


@dataclass(slots=True, eq=False, repr=False)
class Function:
    """A function of the program with its closure.

    `wrapped` is the function that a decorator of the program has put this one in the place of.
    `alias` is the name that `functools.wraps` has given it, `decorator` the code of a decorator of
    unknown code, which may switch grad mode, `inside` the context that another one puts around
    each call. `setter` is what runs where a property is assigned to. `remembers` says that it gives
    what it gave before for the same arguments (`lru_cache`). `code_reads` takes note of who looks
    at its code.
    """

    definition: Definition
    scope: Scope
    source: Source
    defaults: list[Value] = field(default_factory=list)
    keyword_defaults: dict[str, Value] = field(default_factory=dict)
    owner: Class | None = None
    mode: GradMode | None = None
    kind: str = "function"  # or staticmethod, classmethod, property, cached_property
    manager: bool = False
    wrapped: Function | None = None
    alias: str | None = None
    decorator: str | None = None
    inside: Manager | None = None
    setter: Function | None = None
    remembers: bool = False
    code_reads: CodeReads | None = None

    @property
    def node(self) -> Definition:
        """Its definition, for whoever looks at its code."""
        if self.code_reads is not None:
            self.code_reads.whole.add(self.definition)
        return self.definition

    def query(self, find: Callable[[Source, Definition], T]) -> T:
        """What `find` finds in its code, for whoever wants to know no more than that."""
        answer = find(self.source, self.definition)
        if self.code_reads is not None:
            self.code_reads.queries.setdefault(self.definition, {})[find] = answer
        return answer

    @property
    def name(self) -> str:
        return getattr(self.definition, "name", "lambda")

    @property
    def written(self) -> Function:
        """The function as it stands in the text, below its decorators."""
        return self.wrapped or self

    def under(self, mode: GradMode) -> Function:
        """The function as decorated by a grad-mode context."""
        return replace(self, mode=mode)

    def as_kind(self, kind: str) -> Function:
        return replace(self, kind=kind)


@dataclass(slots=True, eq=False, repr=False)
class Class:
    """A class of the program; `meta` is its metaclass, where its statement names one."""

    definition: ast.ClassDef
    bases: list[Value]
    source: Source
    attributes: dict[str, Value] = field(default_factory=dict)
    dataclass: bool = False
    code_reads: CodeReads | None = None
    meta: Value = None
    _order: list[Class] = field(default_factory=list)
    _outside: list[str] | None = None

    @property
    def node(self) -> ast.ClassDef:
        """Its definition, for whoever looks at its code."""
        if self.code_reads is not None:
            self.code_reads.whole.add(self.definition)
        return self.definition

    @property
    def name(self) -> str:
        return self.definition.name

    def mro(self) -> list[Class]:
        """The program's own classes from this one up, in the order in which Python asks them; bases
        of unknown origin are left out, as are those farther up than any program has them."""
        if not self._order:
            above = self._above()
            self._order.append(self)  # where a class is found above itself
            if len(above) < _MOST_BASES:
                above = [self, *_merged([base for base in self.bases if isinstance(base, Class)])]
            self._order[:] = above
        return self._order

    def _above(self) -> list[Class]:
        """The program's own classes from this one up, each line of bases after the other."""
        found: dict[Class, None] = {}
        stack: list[Value] = [self]
        while stack and len(found) < _MOST_BASES:
            current = stack.pop()
            if isinstance(current, Class) and current not in found:
                found[current] = None
                stack += reversed(current.bases)
        return list(found)

    def metaclass(self) -> Class | None:
        """The program's own metaclass of this class, or of one that it inherits from."""
        metas = [own.meta for own in self.mro() if isinstance(own.meta, Class)]
        return metas[0] if metas else None

    def external_bases(self) -> list[str]:
        """The dotted names of the outside classes it inherits from."""
        if self._outside is None:
            bases = [base for own in self.mro() for base in own.bases]
            self._outside = [base.path for base in bases if isinstance(base, External)]
        return self._outside

    def find(self, name: str) -> Value | None:
        """A class attribute by inheritance; None when no own class has it."""
        for own in self.mro():
            if name in own.attributes:
                return own.attributes[name]
        return None


def _merged(bases: list[Class]) -> list[Class]:
    """The orders of some bases as one: a class comes before those that it inherits from, and bases
    in the order in which they stand (the C3 linearization of Python's data model). Where that
    cannot be, the first one that is left comes next."""
    found: list[Class] = []
    left = [*([*base.mro()] for base in bases), bases]
    while left := [order for order in left if order]:
        heads = (order[0] for order in left)
        behind = {one for order in left for one in order[1:]}
        following = next((one for one in heads if one not in behind), left[0][0])
        found.append(following)
        left = [[one for one in order if one is not following] for order in left]
    return found


@dataclass(frozen=True, slots=True)
class FieldDefault:
    """`dataclasses.field(default_factory=...)`: a new result of `factory` for every object."""

    factory: Value


@dataclass(slots=True, eq=False, repr=False)
class Instance:
    """An object: of a class of the program, or of an outside class by its dotted name.

    `made_at` is the code that made it, `made` the same as an event, for a layer of torch.
    `fallback` answers for attributes that nobody has set. `partial` says that a loop or constructor
    which was cut short added to it: there will be more.
    """

    cls: Class | External
    attributes: dict[str, Value] = field(default_factory=dict)
    options: dict[str, Value] = field(default_factory=dict)
    unknown: Unknown | None = None
    made_at: ast.AST | None = None
    made: Created | None = None
    hooks: dict[str, list[Value]] = field(default_factory=dict)
    fallback: Callable[[Interpreter, str, ast.AST], Value] | None = None
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Method:
    """A function bound to its object."""

    receiver: Value
    function: Function


@dataclass(frozen=True, slots=True)
class Super:
    """`super()`: attribute look-up on `receiver` beginning behind `owner`."""

    receiver: Value
    owner: Class


@dataclass(frozen=True, slots=True)
class Bound:
    """A method of a tensor, a container or an object of an outside class, bound to it.

    `node` is where it is named, in `source`, where that is known.
    """

    receiver: Value
    name: str
    node: ast.AST | None = field(default=None, compare=False)
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Native:
    """A function that the interpreter itself carries out."""

    name: str
    run: Callable[[Interpreter, Call], Value]


@dataclass(frozen=True, slots=True)
class Property:
    """An attribute that the interpreter computes whenever it is read."""

    read: Callable[[Interpreter, ast.AST], Value]


@dataclass(slots=True, eq=False, repr=False)
class Lazy:
    """What an imported name is bound to until the program asks for it."""

    compute: Callable[[Interpreter], Value]


@dataclass(slots=True, eq=False, repr=False)
class Module:
    """A module of the project that was imported, with its names."""

    source: Source
    scope: Scope


@dataclass(frozen=True, slots=True)
class Namespace:
    """A folder of modules without an `__init__.py`, by its dotted name; `importer` imported it."""

    path: str
    importer: Source


@dataclass(frozen=True, slots=True)
class Mark:
    """Where the program did to a value what a model keeps in mind."""

    place: Place


CONSTANTS = (int, float, complex, str, bytes)


def constant(value: Value) -> TypeGuard[bool | int | float | complex | str | bytes | None]:
    """Whether the value is a plain Python constant."""
    return value is None or isinstance(value, CONSTANTS)


def by_default(value: Value) -> Value:
    """A number or a name that an option of the command line is by default; others as they are.

    One alone (`--batch-size 1`) says too little: nothing is a mistake because of it.
    """
    if not isinstance(value, Unknown) or PERIODIC in value.attributes:
        return value
    usual = value.attributes.get(DEFAULT)
    several = isinstance(usual, int) and usual > 1
    return usual if several or (isinstance(usual, str) and usual) else value


def is_key(value: Value) -> bool:
    """Whether a dictionary finds it again: a constant, or an object that is nothing but itself, or
    a text that is not known and equals no other one (the name of a parameter)."""
    if isinstance(value, Unknown):
        return UNIQUE in value.attributes
    if isinstance(value, Instance):
        return not (isinstance(value.cls, Class) and value.cls.dataclass)
    return constant(value) or isinstance(value, (Class, External, Function))
