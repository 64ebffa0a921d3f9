"""What kind of argument a value is, in the words of the operator table."""

from __future__ import annotations

import re
from collections.abc import Mapping

from autograd_lint.engine.tensor import Tensor
from autograd_lint.operators.facts import Operator
from autograd_lint.vm.values import External, Items, Slice, Unknown, Value

UNKNOWN: frozenset[str] = frozenset()
JOINING = {"cat", "concat", "concatenate", "stack", "hstack", "vstack"}  # make one of several
# What an unknown index is by what it must be.
_INDICES = {
    **dict.fromkeys(("int", "number"), frozenset({"index-int"})),
    **dict.fromkeys(("list", "array"), frozenset({"index-tensor"})),
}
_ON_CPU = re.compile(r"torch\.device\(['\"]cpu['\"]\)")
DTYPES = {
    "float16": "float",
    "float32": "float",
    "float64": "float",
    "bfloat16": "float",
    "half": "float",
    "float": "float",
    "double": "float",
    "uint8": "int",
    "int8": "int",
    "int16": "int",
    "int32": "int",
    "int64": "int",
    "short": "int",
    "int": "int",
    "long": "int",
    "bool": "bool",
    "complex64": "complex",
    "complex128": "complex",
    "cfloat": "complex",
    "cdouble": "complex",
}


# By their dtypes; None where that is not known.
_TENSORS: dict[str | None, frozenset[str]] = {
    None: frozenset({"tensor"}),
    **{one: frozenset({"tensor", f"{one}-tensor"}) for one in ("float", "int", "bool", "complex")},
}


def kinds_of(value: Value) -> frozenset[str]:
    """All the kinds that apply to a value; the empty set when it is unknown."""
    if isinstance(value, Unknown):
        value = value.usual if value.tensor is None else value.tensor
        if value is None:
            return UNKNOWN
    if isinstance(value, Tensor):
        return _TENSORS[value.dtype]
    if isinstance(value, bool):
        return frozenset({"true" if value else "false"})
    if value is None:
        return frozenset({"none"})
    if isinstance(value, (int, float, complex)):
        return _number(value)
    if isinstance(value, str):
        return frozenset({"string", f"={value}"})
    if isinstance(value, Items):
        return _items(value)
    dtype = names_dtype(value)
    return frozenset({f"{dtype}-dtype"}) if dtype else frozenset({"other"})


def kinds_given(operator: Operator, values: Mapping[str, Value]) -> dict[str, frozenset[str]]:
    """The kinds of the arguments that a call gives other values than they have by default."""
    given = values.items()
    if operator.defaults:
        given = {key: one for key, one in given if not operator.is_default(key, one)}.items()
    return {key: kinds_of(value) for key, value in given}


def _number(value: complex) -> frozenset[str]:
    # A number given for a flag counts as one (`hard=1.0`).
    kind = "int" if isinstance(value, int) else "float"
    return frozenset(("number", kind, "true") if value else ("number", kind, "zero", "false"))


def _items(items: Items) -> frozenset[str]:
    if not items.items:
        return UNKNOWN if items.rest is not None else frozenset({"int-list"})
    first = items.items[0]
    if isinstance(first, Tensor) or (isinstance(first, Unknown) and first.tensor is not None):
        return frozenset({"tensors"})
    if isinstance(first, int):
        return frozenset({"int-list"})
    return UNKNOWN if isinstance(first, Unknown) else frozenset({"other"})


def index_kinds(index: Value) -> frozenset[str]:
    """The kinds of an index of a tensor: of all its parts; empty when a part is unknown.

    What stands alone and is not known is rather a tensor, as in `self.codes[closest]`.
    """
    if isinstance(index, Unknown) and index.tensor is None and not index.hint:
        return frozenset({"index-tensor"})
    return _kinds_of_part(index)


def _kinds_of_part(index: Value) -> frozenset[str]:
    if isinstance(index, Items) and index.kind == "tuple":
        parts = [_kinds_of_part(part) for part in index.items]
        found: frozenset[str] = frozenset().union(*parts)
        # One tensor among the parts makes a copy, whatever the others are.
        copies = not found.isdisjoint(("index-tensor", "index-mask"))
        return found if index.closed and (copies or all(parts)) else UNKNOWN
    if isinstance(index, Unknown):
        if index.tensor is None:
            return _INDICES.get(index.hint, UNKNOWN)
        index = index.tensor
    if isinstance(index, Tensor):
        return frozenset({"index-mask" if index.dtype == "bool" else "index-tensor"})
    if isinstance(index, bool):
        return frozenset({"index-mask"})
    if isinstance(index, int):
        return frozenset({"index-int"})
    if isinstance(index, Slice) or index is None or index is Ellipsis:
        return frozenset({"index-slice"})
    if isinstance(index, Items):
        masks = index.items and all(isinstance(item, bool) for item in index.items)
        return frozenset({"index-mask" if masks else "index-tensor"})
    return UNKNOWN


def names_dtype(value: Value) -> str | None:
    """The kind of a dtype given by name (`torch.long`, the builtin `int`)."""
    if not isinstance(value, External):
        return None
    head, _, name = value.path.rpartition(".")
    return DTYPES.get(name) if head in ("torch", "builtins") else None


def precision_named(value: Value) -> str:
    """The name of a float dtype that is not the default one (`torch.float64`); else empty."""
    if not isinstance(value, External) or names_dtype(value) != "float":
        return ""
    name = value.path.rpartition(".")[2]
    return "" if name in ("float", "float32") else name


def is_cpu(device: Value) -> bool:
    """Whether a device is known to be the CPU: by its name, or as an object made of it."""
    if isinstance(device, Unknown):
        return _ON_CPU.fullmatch(device.origin) is not None
    return isinstance(device, str) and device.startswith("cpu")
