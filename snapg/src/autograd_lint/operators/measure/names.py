"""Operators by their names in the table, and where users find them."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import torch

# Moves to a device that may or may not be where the tensor is already.
_MOVES = ("cpu", "cuda", "xpu", "ipu", "pin_memory")


def resolve(name: str) -> Callable[..., Any] | None:
    """The function behind a name of the table (a getter for a property), None for no such name."""
    if name in _MOVES:
        return _move
    head, _, last = name.rpartition(".")
    if head == "Tensor" or last.startswith("__"):
        return _method(last)
    place: Any = torch
    for part in head.split(".") if head else ():
        place = getattr(place, part, None)
    found = getattr(place, last, None)
    if callable(found) and not isinstance(found, type):
        return found  # type: ignore[no-any-return]
    return None if head else _method(last)


def runner(name: str) -> Callable[..., Any] | None:
    """The function to run samples with: methods take some arguments that functions do not."""
    function, method = resolve(name), _method(name)
    if function is None or method is None or function is method or not _in_torch(name):
        return function

    def run(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except TypeError:
            return method(*arguments, **named)

    return run


def _in_torch(name: str) -> bool:
    return not name.startswith("__") and resolve(name) is getattr(torch, name, None)


def homes(name: str) -> str:
    """Where a name lives: `t` in torch, `m` on tensors, `o` elsewhere."""
    if name.startswith("Tensor."):
        return "m"
    if "." in name:
        return "o"
    here = "t" if _in_torch(name) else ""
    return here + ("m" if hasattr(torch.Tensor, name) else "")


def _method(name: str) -> Callable[..., Any] | None:
    found = getattr(torch.Tensor, name, None)
    if callable(found):
        return found  # type: ignore[no-any-return]
    if found is None and not hasattr(torch.Tensor, name):
        return None
    return attrgetter(name)


def in_place_name(name: str) -> str | None:
    """The in-place form of an operator, if there is one."""
    head, _, last = name.rpartition(".")
    twin = f"{name}_"
    if last.startswith("__"):
        return None
    if head:
        return twin if head == "nn.functional" and resolve(twin) else None
    return twin if hasattr(torch.Tensor, twin) or hasattr(torch, twin) else None


def _move(tensor: torch.Tensor, device: object) -> torch.Tensor:
    """Every machine has the devices `cpu`, where tensors are already, and `meta`, where none is."""
    return tensor.to(device)  # type: ignore[call-overload, no-any-return]
