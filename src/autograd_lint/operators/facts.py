"""The vocabulary of the operator table.

Arguments are addressed by *key*: the position as a decimal string (`"0"` is the first argument, for
a method the tensor itself), or the name of a keyword-only argument (`"out"`, `"dtype"`).
`Operator.keywords` maps every keyword to its key, so that `mul(a, other=b)` and `mul(a, b)` are
one. For layers (`nn.Linear`) the positions are the arguments of `forward`, and parameters, buffers
and constructor options are addressed by name (`"weight"`, `"running_mean"`, `"inplace"`), the mode
by `"training"`. Results are addressed as `"out0"`, `"out1"`, ...; a list or tuple of any length of
like results (`chunk`) is one result `"out*"`. In the names of parameters of layers with a variable
number of parts, `*` stands for any number from 1 on (`weight_ih_l0`, `weight_ih_l*`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from autograd_lint.operators.names import called

ABSENT = frozenset({"absent"})
ZERO = frozenset({"zero"})


class AliasKind(Enum):
    """How a result shares memory with an argument."""

    SELF = "self"  # the very same tensor object
    VIEW = "view"  # a differentiable view, same version counter
    MULTI_VIEW = "multi-view"  # one of several views of a multi-output operator: refuses in-place
    DETACHED = "detached"  # same memory and counter, no edge in the graph (`detach()`)
    UNVERSIONED = "unversioned"  # same memory, a version counter of its own (`.data`, `numpy()`)


@dataclass(frozen=True, slots=True)
class Test:
    """A condition on one argument: it holds when one of the argument's kinds is among `kinds`.

    A value has all the kinds that apply to it: `absent`, `none`, `tensor` (also `float-tensor`,
    `int-tensor`, `bool-tensor`, `complex-tensor`), `tensors` (list or tuple of tensors), `number`
    (also `int`, `float`, `zero`), `true`, `false`, `int-list`, `string` (also `=TEXT`, that very
    string), `float-dtype`, `int-dtype`, `bool-dtype`, `complex-dtype`, `other`. An index of
    `__getitem__` and `__setitem__` has the kinds of all its parts: `index-int`, `index-slice` (also
    `None` and `...`), `index-all` (nothing but `:` or `...`), `index-tensor` (integers, a list of
    them too), `index-mask`.
    """

    key: str
    kinds: frozenset[str]


@dataclass(frozen=True, slots=True)
class Save:
    """A tensor that the node keeps for backward, addressed by `key`.

    `needs` are the keys of which at least one must require grad; None: kept whenever there is a
    node at all (any differentiable argument requires grad, grad mode on). `sure` is False where
    the measurement saw it only sometimes (depends on values or shapes).
    """

    key: str
    needs: frozenset[str] | None = None
    sure: bool = True

    @property
    def is_result(self) -> bool:
        """Whether it is a result (an argument may be called `out` or `out_proj`)."""
        return (self.key[3:4].isdigit() and self.key.startswith("out")) or self.key == "out*"


@dataclass(frozen=True, slots=True)
class Alias:
    """A result that shares memory with the argument `key`; not `sure` where it may be a copy."""

    key: str
    kind: AliasKind
    sure: bool = True


class GapKind(Enum):
    """What is the matter with the gradient of an argument."""

    FORBIDDEN = "forbidden"  # it must not require grad: the call itself raises
    REFUSED = "refused"  # there is no derivative: backward raises where it has to go there
    NOTHING = "nothing"  # no gradient comes of it, not even zeros
    ONCE = "once"  # the gradient has no derivative itself: no gradient of a gradient


@dataclass(frozen=True, slots=True)
class Gap:
    """An argument whose gradient is wanting; not `sure` where only some calls showed it."""

    key: str
    kind: GapKind
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Output:
    """One result.

    `dtype`: `same` (the promoted dtype of the tensor and number arguments), `real` (the same, but
    float where that is complex), `float`, `int`, `bool`, `complex`, `unknown`.
    `shape`: `broadcast` (of the tensor arguments), `scalar` (0-dimensional), `other`.
    """

    differentiable: bool
    dtype: str = "same"
    shape: str = "other"
    alias: Alias | None = None


@dataclass(frozen=True, slots=True)
class Form:
    """What an operator does when all of `tests` hold; the last form of an operator has none.

    `frees` says that a second backward through the node always raises (something was kept, be it an
    internal tensor or a number); where it is False, a second backward raises just when one of
    `saves` was kept. `curved` says that a gradient has a graph of its own (`create_graph`) where
    nothing of what it `saves` requires grad: it computes with what was kept inside. `modifies` are
    the keys whose storage is written and whose version is bumped (`bumps` False: written behind the
    counter's back), `unversioned` those that are written behind it besides. `differentiable` are
    the keys an edge goes to: a tensor argument outside of it (an index, a target) never makes the
    result require grad. `gaps` tell of arguments that must not require grad, and of edges over
    which backward cannot go, or not as usual.
    """

    tests: tuple[Test, ...] = ()
    saves: tuple[Save, ...] = ()
    frees: bool = False
    modifies: tuple[str, ...] = ()
    bumps: bool = True
    differentiable: frozenset[str] = frozenset({"0"})
    outputs: tuple[Output, ...] = (Output(True),)
    gaps: tuple[Gap, ...] = ()
    curved: bool = False
    unversioned: tuple[str, ...] = ()
    continues: bool = field(init=False, compare=False, repr=False)
    """Whether any result is differentiable."""
    required: frozenset[str] = field(init=False, compare=False, repr=False)
    """The keys of tensors that make a result require grad if they do."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "continues", any(one.differentiable for one in self.outputs))
        object.__setattr__(self, "required", self.differentiable.union(self.modifies))


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator as the table knows it.

    `name` is as in the table: `sigmoid`, `add_`, `nn.functional.relu`, `linalg.inv`, `nn.Linear`,
    `__getitem__`. Names directly under `torch` and methods of `Tensor` share one entry.
    `keywords` maps a keyword to its key. A layer has `options`, its constructor's parameters in
    order, and the names of its `parameters` and `buffers` under any of its options. `constants` are
    the keys of arguments that may require grad, and to which no edge leads all the same. `defaults`
    are the values of arguments that a test takes for others of their kind: given such a value, a
    call is as without that argument.
    """

    name: str
    forms: tuple[Form, ...]
    keywords: tuple[tuple[str, str], ...] = ()
    options: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    buffers: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()
    defaults: tuple[tuple[str, str | float], ...] = ()
    called: str = field(init=False, compare=False, repr=False)
    """What programs call it: `add_` where the table has `__iadd__`."""
    bare: str = field(init=False, compare=False, repr=False)
    """Its name, without `Tensor.` where only tensors have it."""
    tested: frozenset[str] = field(init=False, compare=False, repr=False)
    """The keys that any form has a test for."""
    differentiable: frozenset[str] = field(init=False, compare=False, repr=False)
    """The keys that an edge goes to in any form."""
    measured: frozenset[str] = field(init=False, compare=False, repr=False)
    """The keys of arguments of which it is known whether an edge leads to them."""
    zeroed: frozenset[str] = field(init=False, compare=False, repr=False)
    """The keys of numbers of which it matters whether they are zero."""
    _keys: dict[str, str] = field(init=False, compare=False, repr=False)
    _hedged: dict[tuple[int, ...], Form] = field(
        init=False, compare=False, repr=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "called", called(self.name))
        object.__setattr__(self, "bare", self.name.removeprefix("Tensor."))
        tested = frozenset(test.key for form in self.forms for test in form.tests)
        taken = frozenset(key for form in self.forms for key in form.differentiable)
        object.__setattr__(self, "tested", tested)
        object.__setattr__(self, "differentiable", taken)
        measured = taken.union(self.constants, (g.key for f in self.forms for g in f.gaps))
        object.__setattr__(self, "measured", measured)
        zeroed = (test.key for form in self.forms for test in form.tests if test.kinds == ZERO)
        object.__setattr__(self, "zeroed", frozenset(zeroed))
        object.__setattr__(self, "_keys", dict(self.keywords))

    def key(self, keyword: str) -> str:
        """The key of a keyword argument; an unknown keyword is its own key."""
        return self._keys.get(keyword, keyword)

    def is_default(self, key: str, value: object) -> bool:
        """Whether an argument is given the value that it has anyway."""
        return any(
            key == own and type(value) is type(usual) and value == usual
            for own, usual in self.defaults
        )

    def candidates(self, kinds: Mapping[str, frozenset[str]]) -> tuple[Form, ...]:
        """The forms a call may take, the one that surely applies last.

        `kinds` maps each argument's key to the kinds of its value, an empty set where the value is
        unknown. There is one form exactly when nothing unknown matters.
        """
        if len(self.forms) == 1:
            return self.forms
        found: list[Form] = []
        for form in self.forms:
            answers = [_holds(test, kinds) for test in form.tests]
            if False in answers:
                continue
            found.append(form)
            if None not in answers:
                break
        return tuple(found)

    def select(self, kinds: Mapping[str, frozenset[str]]) -> Form:
        """The form a call takes: the first whose tests all hold, unknown values failing them.

        What it would not save of a number is not sure to be saved of what may be a number.
        """
        found = self.candidates(kinds)
        if len(found) == 1:
            return found[0]
        chosen = tuple(map(id, found))
        form = self._hedged.get(chosen)
        if form is None:
            form = self._hedged[chosen] = _hedged(found)
        return form


def _hedged(candidates: Sequence[Form]) -> Form:
    """The last of some forms; what those for numbers do not save is not sure to be saved."""
    *others, last = candidates
    on_numbers = [f for f in others if not f.modifies and any("number" in t.kinds for t in f.tests)]
    kept = [frozenset(save.key for save in form.saves) for form in on_numbers]
    saves = tuple(
        save if all(save.key in keys for keys in kept) else replace(save, sure=False)
        for save in last.saves
    )
    return last if saves == last.saves else replace(last, saves=saves)


def _holds(test: Test, kinds: Mapping[str, frozenset[str]]) -> bool | None:
    found = kinds.get(test.key, ABSENT)
    return not found.isdisjoint(test.kinds) if found else None
