"""Parameters that are computed from others: `weight_norm`, `spectral_norm`, `parametrize`.

Mirrors torch/nn/utils/weight_norm.py and spectral_norm.py, which compute a plain attribute anew
before every `forward`, and torch/nn/utils/parametrize.py, which computes it whenever it is read.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.libraries.torch.operators.apply import apply_operator
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.events import PartSet
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.managers import Manager
from autograd_lint.vm.values import External, Instance, Native, Property, Unknown, Value

LIST = External("torch.nn.utils.parametrize.ParametrizationList")
MEMBER = "parametrizations"
# What the old functions compute an attribute from.
PARTS = {"weight_norm": ("_g", "_v"), "spectral_norm": ("_orig",)}


Run = Callable[[Interpreter, Call], Value]
Read = Callable[[Interpreter, ast.AST], Value]


def _old(kind: str) -> Run:
    """`torch.nn.utils.weight_norm(module, name)`: a hook that sets a tensor that is no leaf."""

    def apply(interp: Interpreter, call: Call) -> Value:
        module, name = call.get(0, "module"), call.get(1, "name", "weight")
        if not is_module(module) or not isinstance(name, str):
            return module
        whole = _taken(module, name)
        if whole is None:
            return module
        names = [f"{name}{suffix}" for suffix in PARTS[kind]]
        parts = _originals(interp, module, whole, names, call.node)
        module.attributes.update(zip(names, parts, strict=True))

        def compute(interp: Interpreter, inner: Call) -> None:
            module.attributes[name] = _computed(interp, kind, parts, inner.node)

        # `spectral_norm` begins with the plain values, `weight_norm` with computed ones.
        if kind == "spectral_norm":
            module.attributes[name] = Tensor(storage=whole.storage.twin(), dtype=whole.dtype)
        else:
            compute(interp, call)
        module.hooks.setdefault("forward_pre", []).append(Native(kind, compute))
        return module

    return apply


def _new(kind: str, count: int) -> Run:
    """`torch.nn.utils.parametrizations.weight_norm(module, name)`."""

    def apply(interp: Interpreter, call: Call) -> Value:
        module, name = call.get(0, "module"), call.get(1, "name", "weight")
        if not is_module(module) or not isinstance(name, str):
            return module
        whole = _taken(module, name)
        if whole is None:
            return module
        names = ["original"] if count == 1 else [f"original{n}" for n in range(count)]
        parts = _originals(interp, module, whole, names, call.node)

        def read(interp: Interpreter, where: ast.AST) -> Value:
            return _computed(interp, kind, parts, where)

        _keep(module, name, dict(zip(names, parts, strict=True)), read)
        return module

    return apply


def _register(interp: Interpreter, call: Call) -> Value:
    """`register_parametrization(module, tensor_name, parametrization)`."""
    module, name = call.get(0, "module"), call.get(1, "tensor_name")
    parametrization = call.get(2, "parametrization")
    if not isinstance(module, Instance) or not isinstance(name, str):
        return module
    whole = _taken(module, name) if is_module(module) else None
    if whole is None:
        module.attributes[name] = Unknown(interp.text(call.node))
        return module

    def read(interp: Interpreter, where: ast.AST) -> Value:
        return call_value(interp, parametrization, Call([whole], {}, where))

    _keep(module, name, {"original": whole, "0": parametrization}, read)
    return module


def _taken(module: Instance, name: str) -> Tensor | None:
    """The parameter of that name, which the module gives up."""
    found = module.attributes.get(name)
    if not isinstance(found, Tensor) or not found.parameter:
        return None
    del module.attributes[name]
    return found


def _originals(
    interp: Interpreter, module: Instance, whole: Tensor, names: Sequence[str], where: ast.AST
) -> list[Tensor]:
    """The parameters that an attribute is computed from: the one that was there, or several new
    ones, which optimizers do not know.

    Source: SpectralNorm.apply and WeightNorm.apply in torch/nn/utils, ParametrizationList there
    """
    if len(names) == 1:
        return [whole]
    new = [_part(whole, name) for name in names]
    for part in new:
        interp.emit(PartSet(module, whole, part, where))
    return new


def _part(whole: Tensor, name: str) -> Tensor:
    return Tensor(requires=whole.requires, dtype=whole.dtype, parameter=True, name=name)


def _computed(interp: Interpreter, kind: str, parts: Sequence[Tensor], where: ast.AST) -> Value:
    """The attribute, computed from its parts by an operator that saves them."""
    other = parts[1] if len(parts) > 1 else Unknown("its norm", "number")
    result = apply_operator(interp, "torch.mul", [parts[0], other], {}, where)
    if isinstance(result, Tensor) and result.node is not None:
        result.node.operator = kind
    return result


@dataclass(slots=True)
class Computed:
    """The computed attributes of modules, while they are cached."""

    values: dict[tuple[int, str], Value] | None = None


def _keep(module: Instance, name: str, members: dict[str, Value], read: Read) -> None:
    """Keep the originals where the module keeps them, and compute the attribute when it is read."""
    held = module.attributes.get(MEMBER)
    if not isinstance(held, Instance):
        held = module.attributes[MEMBER] = Instance(External("torch.nn.ModuleDict"))
    held.attributes[name] = Instance(LIST, members)

    def cached(interp: Interpreter, where: ast.AST) -> Value:
        known = interp.state(Computed).values
        if known is None:
            return read(interp, where)
        key = (id(module), name)
        if key not in known:
            known[key] = read(interp, where)
        return known[key]

    module.attributes[name] = Property(cached)


def _remove(interp: Interpreter, call: Call) -> Value:
    """`remove_parametrizations`, `remove_weight_norm`: a parameter again."""
    module, name = call.get(0, "module"), call.get(1, "tensor_name", call.get(1, "name", "weight"))
    if isinstance(module, Instance) and isinstance(name, str):
        module.hooks.pop("forward_pre", None)
        held = module.attributes.get(MEMBER)
        if isinstance(held, Instance):
            held.attributes.pop(name, None)
        for suffix in (suffix for suffixes in PARTS.values() for suffix in suffixes):
            module.attributes.pop(f"{name}{suffix}", None)
        module.attributes[name] = Tensor(requires=CERTAINLY, parameter=True, name=name)
    return module


@contextmanager
def _caching(interp: Interpreter) -> Iterator[Value]:
    computed = interp.state(Computed)
    before, computed.values = computed.values, computed.values or {}
    try:
        yield None
    finally:
        computed.values = before


def _cached(interp: Interpreter, call: Call) -> Value:
    """`parametrize.cached()`: inside, an attribute is computed once."""
    return Manager(_caching)


NORMS = "torch.nn.utils"
PARAMETRIZATIONS = {
    f"{NORMS}.weight_norm": _old("weight_norm"),
    f"{NORMS}.spectral_norm": _old("spectral_norm"),
    f"{NORMS}.parametrizations.weight_norm": _new("weight_norm", 2),
    f"{NORMS}.parametrizations.spectral_norm": _new("spectral_norm", 1),
    f"{NORMS}.parametrizations.orthogonal": _new("orthogonal", 1),
    f"{NORMS}.parametrize.register_parametrization": _register,
    f"{NORMS}.parametrize.remove_parametrizations": _remove,
    f"{NORMS}.parametrize.cached": _cached,
    f"{NORMS}.remove_weight_norm": _remove,
    f"{NORMS}.remove_spectral_norm": _remove,
}
