"""Functions that make tensors anew."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from math import ceil

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created
from autograd_lint.engine.graph_breaks import GraphBreaks
from autograd_lint.engine.shapes import Shape
from autograd_lint.engine.tensor import CERTAINLY, Requires, Tensor
from autograd_lint.libraries.torch.events import LeafMade, NumbersMade
from autograd_lint.libraries.torch.functions.bodies import refuse_nothing
from autograd_lint.libraries.torch.operators.kinds import is_cpu, names_dtype, precision_named
from autograd_lint.libraries.torch.operators.refusing import refuse
from autograd_lint.libraries.torch.operators.unknown_tensors import as_tensor
from autograd_lint.libraries.torch.tensors.leaving_autograd import taken
from autograd_lint.libraries.torch.transforms.batching import RANDOM, refuse_random
from autograd_lint.vm.calls import Call
from autograd_lint.vm.contents import endless
from autograd_lint.vm.deciding import decide
from autograd_lint.vm.frames import handed
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import ANNOTATED, Items, Unknown, Value, by_default, constant

SIZED = {"zeros", "ones", "empty", "rand", "randn"}
INTEGERS = {"randint", "randperm", "tril_indices", "triu_indices"}
OTHERS = {
    "full",
    "eye",
    "arange",
    "linspace",
    "logspace",
    "range",
    "bartlett_window",
    "hann_window",
    "hamming_window",
    "normal",
    "empty_strided",
    "from_file",
    "bernoulli",
}
FACTORIES = SIZED | INTEGERS | OTHERS
COPYING = "torch.tensor"  # takes other data as a rule: it warns of a tensor that it has to copy
_CONSTANT = frozenset({"full", "ones", "zeros"})
FILLED = {"ones": 1, "zeros": 0}
# The arguments that are numbers in the result, not how many there are.
CONTENTS = {
    "full": ("fill_value",),
    "full_like": ("fill_value",),
    "new_full": ("fill_value",),
    "new_tensor": ("data",),
    "linspace": ("start", "end"),
    "logspace": ("start", "end"),
    "normal": ("mean", "std"),
}
LARGE = 1e30  # what is larger is no number to compute with


def make(interp: Interpreter, name: str, call: Call) -> Value:
    """`torch.zeros(...)` and the like."""
    if name == "full":
        refuse_scalar(interp, name, call.get(1, "fill_value"), call)
    if name in RANDOM:
        refuse_random(interp, call.node, name)
    created = interp.engine.origin(Created(interp.place(call.node), name))
    tensor = Tensor(
        dtype=_dtype(name, call),
        precision=precision_named(call.keywords.get("dtype")),
        shape=_shape(name, call),
        made=created,
        anew=(interp.engine.tick(), created),
    )
    made = flagged(interp, tensor, call)
    made.storage.constant = name if name in _CONSTANT else ""
    made.graph_breaks = _behind_contents(interp, name, call)
    _tell_numbers(interp, name, call, made)
    return made


def _behind_contents(interp: Interpreter, name: str, call: Call) -> GraphBreaks:
    """The graph breaks behind the numbers that a fresh tensor is filled with."""
    named = CONTENTS.get(name)
    if named is None:
        return ()
    first = 1 if named == ("fill_value",) else 0
    values = [call.get(first + place, word) for place, word in enumerate(named)]
    return taken(interp, values, name, call)


def _tell_numbers(interp: Interpreter, name: str, call: Call, made: Tensor) -> None:
    """Tell what a tensor of one number holds."""
    number = call.get(1, "fill_value") if name == "full" else FILLED.get(name)
    if isinstance(number, (int, float)) and abs(number) < LARGE:
        interp.emit(NumbersMade(made, frozenset({float(number)})))


def refuse_scalar(interp: Interpreter, name: str, value: Value, call: Call) -> None:
    """Report a tensor that requires grad where a number is wanted: it is not made one."""
    if isinstance(value, Tensor) and value.requires_grad is not None:
        refuse(
            interp,
            call.node,
            name,
            "argument 'fill_value' must be Number, not Tensor",
            tensor=value.name,
            built=value.node.created if value.node else None,
            handed=handed(interp.frames, [value]),
            assumptions=value.requires_grad,
        )


def flagged(interp: Interpreter, tensor: Tensor, call: Call) -> Tensor:
    """A fresh tensor with its `requires_grad=` argument honoured."""
    tensor.inference = interp.engine.inference
    device = call.keywords.get("device")
    if device is not None:
        tensor.storage.elsewhere = not is_cpu(device)
    wanted = asked_for(interp, call.keywords.get("requires_grad", False), call.node)
    if wanted is not None:
        if tensor.dtype in ("int", "bool"):
            refuse_dtype(interp, tensor, interp.text(call.node), call.node, wanted)
        tensor.requires = wanted
        inherits = interp.text(call.node).partition("(")[0].endswith("_like")
        typed = inherits or bool(call.keywords.keys() & {"dtype", "device"})
        interp.emit(LeafMade(tensor, typed))
    return tensor


def asked_for(interp: Interpreter, flag: Value, node: ast.AST) -> Requires:
    """What a `requires_grad` argument asks for; that an unknown one is set is assumed."""
    if not isinstance(flag, Unknown):
        return CERTAINLY if flag else None
    if not decide(interp, flag, node):
        return None
    if flag.usual:
        return CERTAINLY  # on by default
    return frozenset({Assumption(Kind.IS_SET, flag.origin, weight=0, given=True)})


def refuse_dtype(
    interp: Interpreter,
    tensor: Tensor,
    text: str,
    node: ast.AST,
    assumptions: frozenset[Assumption] = CERTAINLY,
) -> None:
    """Report a tensor of integers or booleans that is to require grad; it goes on as floats."""
    detail = "only Tensors of floating point dtype can require gradients"
    refuse(interp, node, text, detail, assumptions=assumptions)
    if not assumptions:
        tensor.dtype = "float"


def _dtype(name: str, call: Call) -> str | None:
    given = call.keywords.get("dtype")
    if given is not None:
        return names_dtype(given)
    if name in INTEGERS:
        return "int"
    if name == "arange":
        values = _range(call)
        if all(isinstance(v, int) for v in values):
            return "int"
        return "float" if all(constant(v) for v in values) else None
    if name == "full":
        return _number_dtype(call.get(1, "fill_value"))
    return "float"


def _number_dtype(value: Value) -> str | None:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int"
    return "float" if isinstance(value, float) else None


def _shape(name: str, call: Call) -> Shape:
    if name in SIZED:
        size = call.keywords.get("size", arguments(call) if call.args else None)
        return sizes(size)
    if name == "full":
        return sizes(call.get(0, "size"))
    if name == "randint":
        given = call.keywords.get("size") or next(
            (arg for arg in call.args if isinstance(arg, Items)), None
        )
        return sizes(given)
    if name == "randperm":
        return sizes(Items("tuple", [call.get(0, "n")]))
    if name == "eye":
        rows = call.get(0, "n")
        columns = call.get(1, "m", rows)
        return sizes(Items("tuple", [rows, columns]))
    if name == "arange":
        return _arange(call)
    if name in ("linspace", "logspace"):
        return sizes(Items("tuple", [call.get(2, "steps")]))
    return None


def _arange(call: Call) -> Shape:
    bounds = [by_default(one) for one in _range(call)]
    numbers = [one for one in bounds if isinstance(one, (int, float))]
    if len(numbers) < len(bounds) or not numbers[2]:
        return (None,)
    start, end, step = numbers
    return (max(ceil((end - start) / step), 0),)


def _range(call: Call) -> tuple[Value, Value, Value]:
    """Start, end and step of `arange(end)` or `arange(start, end, step)`."""
    alone = len(call.args) == 1 and "end" not in call.keywords
    start = 0 if alone else call.get(0, "start", 0)
    end = call.args[0] if alone else call.get(1, "end")
    return start, end, call.get(2, "step", 1)


def sizes(value: Value) -> Shape:
    """A shape given as numbers or as one sequence of them."""
    value = by_default(value)
    if isinstance(value, int):
        return (value,)
    if isinstance(value, Items) and len(value.items) == 1 and isinstance(value.items[0], Items):
        value = value.items[0]
    if not isinstance(value, Items) or not value.closed or value.partial:
        return None
    items = [by_default(item) for item in value.items]
    if len(items) == 1 and isinstance(items[0], Unknown):
        return None if items[0].hint not in ("int", "number") else (None,)
    return tuple(item if isinstance(item, int) else None for item in items)


def arguments(call: Call) -> Items:
    """What a call is given by position, as one sequence: open where a `*` spreads an open one."""
    return Items("tuple", call.args, Unknown("a size", "int") if call.open else None)


def like(interp: Interpreter, source: Tensor | None, name: str, call: Call) -> Value:
    """`torch.zeros_like(x)`, `x.new_zeros(...)`: fresh tensors of another's dtype."""
    if call.args and call.args[0] is None and name.endswith("_like"):
        refuse_nothing(interp, name, call.node)
    if name in ("new_full", "full_like"):
        refuse_scalar(interp, name, call.get(1, "fill_value"), call)
    given = call.keywords.get("dtype")
    dtype = names_dtype(given)
    if dtype is None and not isinstance(given, Unknown):
        dtype = source.dtype if source is not None else None
    if name.startswith("new_"):
        shape = _new_shape(name, call)
    else:
        shape = source.shape if source is not None else None
    precision = precision_named(call.keywords.get("dtype")) or (source.precision if source else "")
    made = interp.engine.origin(Created(interp.place(call.node), name))
    tensor = Tensor(dtype=dtype, precision=precision, shape=shape, made=made)
    kind = name.removeprefix("new_").removesuffix("_like")
    tensor.storage.constant = kind if kind in _CONSTANT else ""
    tensor.storage.elsewhere = source is not None and source.storage.elsewhere
    made_like = flagged(interp, tensor, call)
    made_like.graph_breaks = _behind_contents(interp, name, call)
    _tell_numbers(interp, kind, call, made_like)
    return made_like


def _new_shape(name: str, call: Call) -> Shape:
    """The shape of what `x.new_zeros(...)` and the like make."""
    if name == "new_tensor":
        data = call.get(0, "data")
        return None if endless(data) else data_shape(data)
    if name == "new_full":
        return sizes(call.get(0, "size"))
    return sizes(call.keywords.get("size", arguments(call) if call.args else None))


def from_data(interp: Interpreter, call: Call) -> Value:
    """`torch.tensor(data)`: a copy without history."""
    data = call.get(0, "data")
    if endless(data):
        return Unknown(interp.text(call.node))
    given = call.keywords.get("dtype")
    dtype = names_dtype(given) if given is not None else data_dtype(data)
    copy = Tensor(dtype=dtype, precision=precision_named(given), shape=data_shape(data))
    if isinstance(data, Unknown) and (ANNOTATED in data.attributes or _is_of_module(data)):
        as_tensor(interp, data)
    copy.graph_breaks = taken(interp, [data], COPYING, call)
    made = flagged(interp, copy, call)
    numbers = list(_numbers(data))
    if numbers and all(isinstance(number, (int, float)) for number in numbers):
        made.anew = interp.engine.tick(), Created(interp.place(call.node), "tensor")
    known = [float(n) for n in numbers if isinstance(n, (int, float)) and abs(n) < LARGE]
    if known and len(known) == len(numbers):
        interp.emit(NumbersMade(made, frozenset(known)))
    return made


def _is_of_module(data: Unknown) -> bool:
    """Whether a module that learns has returned something, and nothing else is known of it."""
    return data.source is not None and data.weight == 0


def _numbers(data: Value) -> Iterator[Value]:
    """The elements of literal data."""
    if isinstance(data, Items):
        for item in data.items:
            yield from _numbers(item)
    else:
        yield data


def data_dtype(data: Value) -> str | None:
    """The dtype that literal data gives a tensor."""
    if isinstance(data, Tensor):
        return data.dtype
    if isinstance(data, Items):
        if not data.closed:
            return None
        kinds = {data_dtype(item) for item in data.items}
        for kind in (None, "complex", "float", "int", "bool"):
            if kind in kinds:
                return kind
        return "float"
    if isinstance(data, complex) and not isinstance(data, (int, float)):
        return "complex"
    return _number_dtype(data)


def data_shape(data: Value) -> Shape:
    """The shape that literal data gives a tensor."""
    if isinstance(data, Tensor):
        return data.shape
    if isinstance(data, (int, float, complex)):
        return ()
    if isinstance(data, Items) and data.closed:
        inner = data_shape(data.items[0]) if data.items else ()
        return None if inner is None else (None if data.partial else len(data.items), *inner)
    if isinstance(data, Unknown) and data.hint == "number":
        return ()
    return None
