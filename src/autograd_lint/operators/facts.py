"""The vocabulary of the operator table.

Arguments are addressed by *key*: the position as a decimal string (`"0"` is the first argument, for
a method the tensor itself), or the name of a keyword-only argument (`"out"`, `"inplace"`).
`Operator.keywords` maps every keyword to its key, so that `mul(a, other=b)` and `mul(a, b)` are one.
For layers (`nn.Linear`) the positions are the arguments of `forward`, and parameters, buffers and
constructor options are addressed by name (`"weight"`, `"running_mean"`, `"inplace"`), the mode by
`"training"`. Results are addressed as `"out0"`, `"out1"`, ...; a list or tuple of any length of
like results (`chunk`) is one result `"out*"`.
"""

from dataclasses import dataclass
from enum import Enum


class AliasKind(Enum):
    """How a result shares memory with an argument."""

    SELF = "self"  # the very same tensor object
    VIEW = "view"  # a differentiable view, same version counter
    MULTI_VIEW = "multi-view"  # one of several views of a multi-output operator: refuses in-place
    DETACHED = "detached"  # same memory and counter, no edge in the graph (`detach()`)
    UNVERSIONED = "unversioned"  # same memory, a version counter of its own (`.data`, `numpy()`)


@dataclass(frozen=True, slots=True)
class Test:
    """A condition on one argument: it holds when the argument's kind is among `kinds`.

    Kinds: `absent`, `none`, `tensor`, `tensors` (list or tuple of tensors), `number`, `zero`, `true`,
    `false`, `int-list`, `index-int`, `index-slice`, `index-tensor`, `index-mask`, `string`, `=TEXT` (that
    very string), `other`. `true` and `false` are Python booleans; `zero` is the number 0 and is
    also a `number`.
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


@dataclass(frozen=True, slots=True)
class Alias:
    """A result that shares memory with the argument `key`; `sure` is False for `reshape` and its like."""

    key: str
    kind: AliasKind
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Output:
    """One result.

    `dtype`: `same` (the promoted dtype of the tensor arguments), `float`, `int`, `bool`, `complex`, `unknown`.
    `shape`: `broadcast` (of the tensor arguments), `scalar` (0-dimensional), `other`.
    """

    differentiable: bool
    dtype: str = "same"
    shape: str = "other"
    alias: Alias | None = None


@dataclass(frozen=True, slots=True)
class Form:
    """What an operator does when all of `tests` hold; the last form of an operator has none.

    `frees` says that a second backward through the node raises (something was kept, be it a tensor
    or a number). `modifies` are the keys whose storage is written and whose version is bumped
    (`bumps` False: written behind the counter's back). `differentiable` are the keys an edge goes to:
    a tensor argument outside of it (an index, a target) never makes the result require grad.
    """

    tests: tuple[Test, ...] = ()
    saves: tuple[Save, ...] = ()
    frees: bool = False
    modifies: tuple[str, ...] = ()
    bumps: bool = True
    differentiable: frozenset[str] = frozenset({"0"})
    outputs: tuple[Output, ...] = (Output(True),)


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator as the table knows it.

    `name` is as in the table: `sigmoid`, `add_`, `nn.functional.relu`, `linalg.inv`, `nn.Linear`,
    `__getitem__`. Names directly under `torch` and methods of `Tensor` share one entry.
    `keywords` maps a keyword to its key.
    """

    name: str
    forms: tuple[Form, ...]
    keywords: tuple[tuple[str, str], ...] = ()

    def key(self, keyword: str) -> str:
        """The key of a keyword argument; an unknown keyword is its own key."""
        return dict(self.keywords).get(keyword, keyword)
