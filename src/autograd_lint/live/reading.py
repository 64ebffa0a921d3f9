"""Reading what a program has, whatever it may be, without running any of the program's code.

`isinstance` asks a lazy object what it stands for, and `getattr` a property what it computes.
"""

import inspect
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any, TypeGuard, TypeVar

import torch

T = TypeVar("T")
_MISSING: Any = object()
_READ = (object.__getattribute__, ModuleType.__getattribute__)
_OF_C = (GetSetDescriptorType, MemberDescriptorType)
_WARNING = ("T", "H")  # of a tensor, where it has not two dimensions
_BOUND = (FunctionType, classmethod, staticmethod)


def is_a(value: object, kind: type[T]) -> TypeGuard[T]:
    """Whether a value is of a class, by what it is and not by what it says."""
    return issubclass(type(value), kind)


def attributes(value: object) -> dict[str, Any]:
    """What an object holds; nothing of a class, or where it keeps no attributes."""
    try:
        held = {} if is_a(value, type) else object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return held if type(held) is dict else {}


def attribute(value: object, name: str, default: Any = _MISSING) -> Any:
    """An attribute that can be read as it stands; raises LookupError where code computes it."""
    found = _found(value, name)
    if found is not _MISSING:
        return found
    if default is _MISSING:
        raise LookupError(name)
    return default


def _found(value: object, name: str) -> Any:
    if is_a(value, torch.nn.Module):
        for own in (attributes(value), *_registered(value)):
            if name in own:
                return own[name]
    kind = type(value)
    if kind.__getattribute__ not in _READ and not is_a(value, type):
        return _MISSING
    if name in _WARNING and is_a(value, torch.Tensor):
        return _MISSING
    found = inspect.getattr_static(value, name, _MISSING)
    if found is _MISSING or not hasattr(type(found), "__get__"):
        return found
    is_torchs = kind.__module__.partition(".")[0] == "torch"
    plain = issubclass(type(found), (*_BOUND, *_OF_C)) or is_torchs
    return getattr(value, name, _MISSING) if plain else _MISSING


def _registered(module: torch.nn.Module) -> list[dict[str, Any]]:
    held = attributes(module)
    return [held.get(name) or {} for name in ("_parameters", "_buffers", "_modules")]
