"""Conversions and reshaping: methods that may return the tensor itself, a view or a copy."""

from __future__ import annotations

import ast
from collections.abc import Callable

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created
from autograd_lint.engine.graph_breaks import break_graph
from autograd_lint.engine.shapes import view_strides
from autograd_lint.engine.tensor import Storage, Tensor
from autograd_lint.libraries.shapes.arguments import Arguments, position, whole
from autograd_lint.libraries.shapes.views import RULES, Layout, layout_of
from autograd_lint.libraries.torch.operators.apply import apply_operator
from autograd_lint.libraries.torch.operators.kinds import is_cpu, names_dtype, precision_named
from autograd_lint.libraries.torch.operators.unknown_tensors import as_tensor
from autograd_lint.project.code import code_of, last_name
from autograd_lint.vm.calls import Call
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import External, Items, Unknown, Value

CASTS = {
    "float": "float",
    "double": "float",
    "half": "float",
    "bfloat16": "float",
    "int": "int",
    "long": "int",
    "short": "int",
    "byte": "int",
    "char": "int",
    "bool": "bool",
}
BYTES = {"torch.uint8", "torch.int8"}
MAY_RETURN_SELF = {"to", "cpu", "cuda", "type", "contiguous", "type_as", *CASTS}
RESHAPING = ("reshape", "reshape_as", "flatten", "ravel")


def converted(interp: Interpreter, tensor: Tensor, name: str, call: Call) -> Value:
    """A conversion that returns the tensor itself when there is nothing to do."""
    dtype = _wanted_dtype(name, call)
    widened = dtype is None and tensor.dtype in ("int", "bool") and _may_name_dtype(name, call)
    changes = widened or _changes(interp, tensor, name, dtype, call)
    elsewhere = None if changes else _moved(interp, tensor, name, call)
    away = leaves_cpu(name, call)
    if not changes and elsewhere is None:
        tensor.storage.elsewhere |= bool(away)
        return tensor
    result = apply_operator(interp, "torch.Tensor.clone", [tensor], {}, call.node)
    if isinstance(result, Tensor):
        result.dtype = None if widened else dtype or tensor.dtype
        result.precision = _precision(name, call) if dtype == "float" else tensor.precision
        result.shape = tensor.shape
        result.storage.elsewhere = tensor.storage.elsewhere if away is None else away
        result.storage.device = _device(name, call) if away else tensor.storage.device
        if result.node is not None:
            result.node.operator = name
        if elsewhere is not None and result.node is not None and result.requires is not None:
            result.requires = result.node.requires = result.requires | {elsewhere}
        if result.dtype in ("int", "bool"):
            if _makes_bytes(name, call):
                interp.engine.assumed.treated_as_data.update(tensor.requires or ())
            result.node, result.requires = None, None
            _end_graph(interp, tensor, result, name, call)
    return result


def _end_graph(interp: Interpreter, tensor: Tensor, result: Tensor, name: str, call: Call) -> None:
    """What is cast to whole numbers has no gradient."""
    if tensor.requires_grad is not None:
        result.cut = Created(interp.place(call.node), name)
    else:
        result.cut = tensor.cut
    result.graph_breaks = break_graph(interp.engine, tensor, result.cut)


def _makes_bytes(name: str, call: Call) -> bool:
    """Whether a tensor becomes one of bytes: images and what is quantized are stored so."""
    given = (*call.args, *call.keywords.values())
    named = any(isinstance(one, External) and one.path in BYTES for one in given)
    return named or name in ("byte", "char")


def _wanted_dtype(name: str, call: Call) -> str | None:
    if name in CASTS:
        return CASTS[name]
    for value in (*call.args, *call.keywords.values()):
        dtype = names_dtype(value)
        if dtype is not None:
            return dtype
        if isinstance(value, Tensor):
            return value.dtype
    return None


def _may_name_dtype(name: str, call: Call) -> bool:
    """Whether a conversion may be one to a dtype that is not known."""
    values = [*call.args, *call.keywords.values()]
    hints = {value.hint for value in values if isinstance(value, Unknown)}
    hints |= {"" for value in values if isinstance(value, External) and not names_dtype(value)}
    others = any(isinstance(value, Tensor) and value.dtype is None for value in values)
    return name in ("to", "type", "type_as") and (others or bool(hints & {"", "dtype"}))


def _changes(interp: Interpreter, tensor: Tensor, name: str, dtype: str | None, call: Call) -> bool:
    if call.keywords.get("copy") is True:
        return True
    if dtype is not None and tensor.dtype is not None and dtype != tensor.dtype:
        return True
    if dtype in ("int", "bool") and tensor.dtype is None and tensor.requires_grad is not None:
        return True  # what requires grad is of no whole numbers
    if name == "contiguous":
        # Where it is not known nothing may rest on it; what comes from outside is as a rule.
        given = tensor.node is not None and tensor.node.opaque
        return tensor.contiguous is False or (tensor.contiguous is None and not given)
    if name == "cuda" or _names_device(call):
        return not tensor.storage.device or tensor.storage.device != _device(name, call)
    if tensor.storage.elsewhere and leaves_cpu(name, call) is False:
        return True  # who asks for the CPU knows of another device
    if dtype == "float" and tensor.precision:
        return True
    return name in ("double", "half", "bfloat16") or _narrow(call)


def _names_device(call: Call) -> bool:
    """Whether another device than the CPU is asked for, or one that is not known."""
    for value in (*call.args, *call.keywords.values()):
        if isinstance(value, str) and not value.startswith("cpu"):
            return True
        if isinstance(value, Unknown) and value.hint not in ("dtype", "bool"):
            return False
    return False


def _device(name: str, call: Call) -> str:
    """The name of the device that is asked for; empty where it is not known."""
    if name == "cuda":
        return "cuda" if not call.args and "device" not in call.keywords else ""
    device = call.get(0, "device")
    return device if isinstance(device, str) else ""


def leaves_cpu(name: str, call: Call) -> bool | None:
    """Whether a conversion is to a device that is not known to be the CPU; None where it stays."""
    if name in ("cpu", "cuda"):
        return name == "cuda"
    device = call.get(0, "device") if name == "to" else None
    named = isinstance(device, str) or (isinstance(device, Unknown) and not device.hint)
    return not is_cpu(device) if named else None


def _moved(interp: Interpreter, tensor: Tensor, name: str, call: Call) -> Assumption | None:
    """What makes a copy of a leaf that has no other name: a device that is not known.

    `torch.zeros(3, requires_grad=True).to(device)`: who writes this means to have another device.
    """
    written = call.node.func if isinstance(call.node, ast.Call) else None
    owner = written.value if isinstance(written, ast.Attribute) else None
    if name != "to" or not isinstance(owner, ast.Call) or tensor.node or tensor.requires is None:
        return None
    made = tensor.name if tensor.made is None else tensor.made.place != interp.place(owner)
    if made or _is_there(owner, call):
        return None
    # That of what the code is given is not known; the program itself shows where it makes tensors.
    hints = ("",) if interp.whole else ("", "device")
    devices = [one for one in call.args[:1] if isinstance(one, Unknown) and one.hint in hints]
    if not devices or is_cpu(devices[0]):
        return None
    return Assumption(Kind.OTHER_DEVICE, devices[0].origin)


def _is_there(made: ast.Call, call: Call) -> bool:
    """Whether a tensor was made on the device that it is moved to: on one that is written alike, or
    on that of the tensor which it was made like.

    `torch.zeros(3, device=device).to(device)`, `torch.zeros_like(x).to(x.device)`
    """
    wanted = call.node.args[0] if isinstance(call.node, ast.Call) and call.node.args else None
    if wanted is None:
        return False
    named = (one.value for one in made.keywords if one.arg == "device")
    if isinstance(wanted, ast.Attribute) and last_name(made.func).endswith("_like"):
        like = (code_of(one) for one in made.args[:1] if wanted.attr == "device")
        return code_of(wanted.value) in like
    return any(code_of(one) == code_of(wanted) for one in named)


def _narrow(call: Call) -> bool:
    """Whether a float dtype other than the default is asked for."""
    return any(precision_named(value) for value in (*call.args, *call.keywords.values()))


def _precision(name: str, call: Call) -> str:
    """The float dtype that is asked for, where it is not the default one."""
    if name in ("double", "half", "bfloat16"):
        return name
    named = (precision_named(value) for value in (*call.args, *call.keywords.values()))
    return next(filter(None, named), "")


def reshape(interp: Interpreter, tensor: Tensor, name: str, call: Call) -> Value:
    """`reshape` and the like: a view where the memory allows it, else a copy.

    Where it is not known which, nothing rests on it.
    """
    wanted = _wanted_layout(tensor, name, call)
    if _is_flat(tensor, name, call):
        return tensor
    if wanted is None:
        return _unknown_shape(interp, tensor, name, call)
    if _viewable(tensor, wanted):
        return _renamed(interp, _view(interp, tensor, wanted, call), name, call)
    copied = apply_operator(interp, "torch.Tensor.clone", [tensor], {}, call.node)
    if not isinstance(copied, Tensor):
        return copied
    copied.shape, copied.strides, copied.contiguous = tensor.shape, None, True
    return _detached(_renamed(interp, _view(interp, copied, wanted, call), name, call))


def reshaping(name: str) -> Callable[[Interpreter, Call], Value]:
    """`torch.reshape(tensor, ...)` and the like: functions that are methods as well."""

    def run(interp: Interpreter, call: Call) -> Value:
        tensor = as_tensor(interp, call.get(0, "input"))
        if tensor is None:
            return apply_operator(interp, f"torch.{name}", call.args, call.keywords, call.node)
        keywords = {key: value for key, value in call.keywords.items() if key != "input"}
        return reshape(interp, tensor, name, Call(call.args[1:], keywords, call.node))

    return run


def _wanted_layout(tensor: Tensor, name: str, call: Call) -> Layout | None:
    layout = layout_of(tensor)
    bound = {"0": tensor, **{str(i): value for i, value in enumerate(call.args, 1)}}
    names = {"shape": "1", "other": "1", "start_dim": "1", "end_dim": "2"}
    bound.update({names.get(key, key): value for key, value in call.keywords.items()})
    return RULES[name](layout, Arguments(bound)) if layout is not None else None


def _is_flat(tensor: Tensor, name: str, call: Call) -> bool:
    """Whether `flatten` has nothing to do and returns the tensor itself; `ravel` never does."""
    rank = len(tensor.shape or ())
    ends = [call.get(0, "start_dim", 0), call.get(1, "end_dim", -1)]
    first, last = (position(whole(end), rank) for end in ends)
    return name == "flatten" and rank > 0 and first is not None and first == last


def _viewable(tensor: Tensor, wanted: Layout) -> bool:
    if tensor.contiguous:
        return True
    layout = layout_of(tensor)
    sizes = (*wanted.shape, *layout.shape, *layout.strides) if layout is not None else (None,)
    if layout is None or None in sizes:
        return False
    return view_strides(layout.shape, layout.strides, wanted.shape) is not None


def _view(interp: Interpreter, tensor: Tensor, wanted: Layout, call: Call) -> Value:
    sizes = Items("tuple", [-1 if size is None else size for size in wanted.shape])
    view = apply_operator(interp, "torch.Tensor.view", [tensor, sizes], {}, call.node)
    if isinstance(view, Tensor):
        view.shape, view.contiguous = wanted.shape, view.contiguous or tensor.contiguous
    return view


def _unknown_shape(interp: Interpreter, tensor: Tensor, name: str, call: Call) -> Value:
    source = tensor
    if tensor.contiguous is not True:
        copied = apply_operator(interp, "torch.Tensor.clone", [tensor], {}, call.node)
        if not isinstance(copied, Tensor):
            return copied
        source = copied
    sizes = Unknown("a shape")
    view = apply_operator(interp, "torch.Tensor.view", [source, sizes], {}, call.node)
    if isinstance(view, Tensor):
        view.contiguous = True
    renamed = _renamed(interp, view, name, call)
    return renamed if source is tensor else _detached(renamed)


def _renamed(interp: Interpreter, value: Value, name: str, call: Call) -> Value:
    """The result under the name of the method the program called."""
    if isinstance(value, Tensor):
        value.made = Created(interp.place(call.node), name)
        if value.node is not None and value.node.operator == "view":
            value.node.operator = name
    return value


def _detached(value: Value) -> Value:
    """A copy is no view of anything."""
    if isinstance(value, Tensor):
        elsewhere = value.storage.elsewhere
        value.base, value.storage, value.seen_version = None, Storage(elsewhere=elsewhere), 0
    return value
