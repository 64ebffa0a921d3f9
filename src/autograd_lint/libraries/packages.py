"""What functions of other packages return, as far as it matters: numbers, arrays, fresh tensors."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Sequence

from autograd_lint.engine.events import Created
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.array_packages import made_by, refuse_graphs
from autograd_lint.libraries.torch.distributions import HEAD, WITHOUT_RSAMPLE
from autograd_lint.libraries.torch.tensors.factories import arguments, data_shape, sizes
from autograd_lint.vm.calls import Call
from autograd_lint.vm.contents import all_numbers, all_of, endless
from autograd_lint.vm.imports import external
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.patterns import is_cheap
from autograd_lint.vm.values import (
    DATA,
    SURELY_ARRAY,
    External,
    Instance,
    Items,
    Native,
    Unknown,
    Value,
)

CONSTANTS = {
    **{f"math.{name}": getattr(math, name) for name in ("pi", "e", "tau", "inf", "nan")},
    **{f"numpy.{name}": getattr(math, name) for name in ("pi", "e", "inf", "nan")},
    **{f"{HEAD}{name}.has_rsample": False for name in WITHOUT_RSAMPLE},
    **{f"torch.{name}": getattr(math, name) for name in ("pi", "e", "inf", "nan")},
}
NUMBERS = {"random.random", "random.uniform", "random.randint", "random.gauss", "random.randrange"}
MATCHING = {"match": re.match, "search": re.search, "fullmatch": re.fullmatch}
TESTS = {"isnan", "isinf", "isfinite"}  # NumPy's, which `math` has too
COSTLY = {"factorial", "comb", "perm"}
ARRAYS = {"numpy", "scipy", "pandas", "sklearn", "cv2", "PIL", "skimage", "matplotlib", "seaborn"}
# What prepares data, and compiled modules, which as a rule are frozen: their results have no graph.
PREPARING = (
    "torchvision.transforms.",
    "torchvision.datasets.",
    "torchvision.io.",
    "torch.jit.load",
)
# Functions of NumPy that never give one of its numbers, which tensors take as Python's.
ARRAY_MAKERS = {"array", "zeros", "ones", "empty", "full", "linspace", "arange", "eye", "identity"}
ARRAY_MAKERS |= {"zeros_like", "ones_like", "full_like", "stack", "concatenate", "vstack", "hstack"}
ARRAY_MAKERS |= {"kron", "outer", "tile", "roll", "pad", "tri", "tril", "triu", "logspace", "copy"}
# The old constructors of tensors of one dtype.
DTYPES = {
    **dict.fromkeys(("Tensor", "FloatTensor", "DoubleTensor", "HalfTensor"), "float"),
    **dict.fromkeys(("LongTensor", "IntTensor", "ShortTensor", "ByteTensor", "CharTensor"), "int"),
    "BoolTensor": "bool",
}
# The class that all others of a package derive from.
_BASES = {"torch.optim": "Optimizer", "torch.optim.lr_scheduler": "LRScheduler"}

# What asks for circumstances that linted code is not in: it is run, by itself, as Python.
NEVER = {"is_scripting", "is_tracing", "is_compiling", "is_dynamo_compiling", "is_exporting"}
NEVER |= {"is_in_onnx_export", "has_torch_function", "has_torch_function_unary"}
NEVER |= {"has_torch_function_variadic", "is_torchdynamo_compiling"}


def package_attribute(interp: Interpreter, path: str) -> Value:
    """A name of an outside package."""
    if path == "torch.__version__":
        return interp.world.table.torch_version
    return CONSTANTS[path] if path in CONSTANTS else external(path)


def one_of_many(interp: Interpreter, package: str, parts: Sequence[str]) -> str | None:
    """The name of one of those in a package of torch that are alike, by the parts around what is
    not known of it: they differ in a number alone, or all are optimizers or schedulers."""
    if package in _BASES and not any(parts):
        return _BASES[package]
    inside = package == "torch" or package.startswith("torch.")
    return interp.world.table.numbered(package, parts) if inside and len(parts) > 1 else None


def result_outside(interp: Interpreter, path: str, call: Call) -> Value | None:
    """What such a call returns; None where nothing is known."""
    head, _, name = path.rpartition(".")
    if head in ("torch", "torch.cuda") and name in DTYPES:
        return _tensor(interp, name, call)
    top = path.partition(".")[0]
    if top == "torch" and name in NEVER:
        return False
    if top == "math":
        return _computed(interp, name, call)
    if head == "numpy" and name in TESTS and call.args and all_numbers(call.args):
        return _computed(interp, name, call)
    if path in NUMBERS or top == "time":
        return Unknown(interp.text(call.node), "number")
    refuse_graphs(interp, path, call)
    if path.startswith(PREPARING):
        return Unknown(interp.text(call.node), weight=DATA)
    if top in ARRAYS:
        array = Unknown(interp.text(call.node), "array", weight=DATA)
        if top == "numpy" and (name in ARRAY_MAKERS or _draws_array(head, name, call)):
            array.attributes[SURELY_ARRAY] = True
        return made_by(path, array)
    if head == "re" and name in MATCHING:
        return _matched(interp, name, call)
    if top in sys.stdlib_module_names:
        return Unknown(interp.text(call.node), weight=2)
    return None


def _draws_array(head: str, name: str, call: Call) -> bool:
    """Whether random numbers are drawn in a size, and not one alone."""
    if head != "numpy.random":
        return False
    sized = bool(call.args) if name in ("rand", "randn") else "size" in call.keywords
    return sized and call.keywords.get("size", 0) is not None


def _matched(interp: Interpreter, name: str, call: Call) -> Value:
    """`re.match(pattern, text)`, carried out where both are known, and soon done."""
    given = call.args if len(call.args) == 2 and not call.keywords else []
    if not given or not all_of(given, str) or not is_cheap(*given):
        return Unknown(interp.text(call.node), weight=2)
    pattern, text = given
    try:
        found = MATCHING[name](pattern, text)
    except re.error:
        return Unknown(interp.text(call.node), weight=2)
    if found is None:
        return None
    group = Native("group", lambda interp, given: _group(interp, found, given))
    return Instance(External("re.Match"), {"group": group})


def _group(interp: Interpreter, found: re.Match[str], call: Call) -> Value:
    wanted = call.args
    if not all_of(wanted, str) and not all_of(wanted, int):
        return Unknown(interp.text(call.node), "string")
    try:
        groups: list[Value] = [found.group(one) for one in wanted]
    except IndexError:
        return Unknown(interp.text(call.node), "string")
    if not groups:
        return found.group()
    return Items("tuple", groups) if len(groups) > 1 else groups[0]


def named_tuple(interp: Interpreter, call: Call) -> Value:
    """`collections.namedtuple(...)`: a function that makes tuples with names for their parts."""
    given = call.get(1, "field_names")
    names = given.replace(",", " ").split() if isinstance(given, str) else []
    if isinstance(given, Items):
        names = [name for name in given.items if isinstance(name, str)]

    def make(interp: Interpreter, values: Call) -> Value:
        items = [values.get(i, name, Unknown(name)) for i, name in enumerate(names)]
        return Items("tuple", items, fields=tuple(names))

    return Native("namedtuple", make) if names else Unknown(interp.text(call.node), weight=2)


def _tensor(interp: Interpreter, name: str, call: Call) -> Tensor:
    """`torch.FloatTensor(3, 4)` of a size, `torch.LongTensor([1, 2])` of data: without a graph."""
    data, size = call.get(0, "data"), call.keywords.get("size")
    is_size = isinstance(data, int) or not call.args
    shape = sizes(arguments(call)) if is_size else None if endless(data) else data_shape(data)
    if size is not None:
        shape = sizes(size)
    elif not (call.args or call.keywords or call.open):
        shape = (0,)
    made = interp.engine.origin(Created(interp.place(call.node), name))
    return Tensor(dtype=DTYPES[name], shape=shape, made=made, inference=interp.engine.inference)


def _computed(interp: Interpreter, name: str, call: Call) -> Value:
    numbers = [value for value in call.args if isinstance(value, (int, float))]
    function = getattr(math, name, None)
    if function is not None and len(numbers) == len(call.args) and name not in COSTLY:
        try:
            result = function(*numbers)
        except (TypeError, ValueError, OverflowError):
            result = None
        if isinstance(result, (int, float)):
            return result
    return Unknown(interp.text(call.node), "number")
