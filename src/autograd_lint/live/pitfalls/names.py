"""What the program calls a tensor, read from the variables of its running functions."""

from __future__ import annotations

import gc
import sys
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import compress, islice
from types import FrameType, ModuleType, NoneType
from typing import Any, TypeGuard, TypeVar

import torch

from autograd_lint.live.reading import attributes, is_a
from autograd_lint.live.sites import Sites

T = TypeVar("T")
_MOST = 64  # elements of a container that are looked at
_DEEPEST = 3  # containers and objects, one in the other
_SEQUENCES, _MAPPINGS = (list, tuple, deque), (dict, defaultdict, OrderedDict)
SIMPLE = (NoneType, bool, int, float, str, bytes)


def name_of(tensor: torch.Tensor, sites: Sites) -> str | None:
    """The variable that a tensor is held by, or the parameter's path in a module (`net.1.weight`).

    None where no variable of a running function, or of the main module, leads to it.
    """
    return next((name for name, one in named_tensors(sites) if one is tensor), None)


def named_tensors(sites: Sites) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors that such variables lead to, with their names; one may have several, the shortest
    of which comes first."""
    for deepest in (1, _DEEPEST):
        for variables in _scopes(sites):
            for name in list(variables):
                if not name.startswith("__"):
                    yield from _named(name, variables.get(name), deepest, sites)


def modules_at_hand(sites: Sites) -> Iterable[torch.nn.Module]:
    """The modules that variables of running functions hold, themselves or as an attribute."""
    return {id(one): one for one in _modules_in_scopes(sites)}.values()


def _modules_in_scopes(sites: Sites) -> Iterator[torch.nn.Module]:
    for variables in _scopes(sites):
        for value in list(variables.values()):
            if is_a(value, torch.nn.Module):
                yield value
                continue
            held = {} if _is_librarys(value, sites) else attributes(value)
            for one in list(held.values()):
                if is_a(one, torch.nn.Module):
                    yield one


def all_modules() -> list[torch.nn.Module]:
    """Every module that there is."""
    return all_of(torch.nn.Module)


def all_of(wanted: type[T]) -> list[T]:
    """Every object of a class or of one below it; to ask the objects themselves may run code."""
    kinds, waiting = set[type](), [wanted]
    while waiting:
        kind = waiting.pop()
        kinds.add(kind)
        waiting += type.__subclasses__(kind)
    objects = gc.get_objects()
    return [*compress(objects, map(kinds.__contains__, map(type, objects)))]


def tensors_at_hand(sites: Sites) -> Iterator[torch.Tensor]:
    """The tensors that variables of running functions, or of the main module, hold."""
    for variables in _scopes(sites):
        yield from (one for one in list(variables.values()) if is_a(one, torch.Tensor))


def _scopes(sites: Sites) -> Iterator[Mapping[str, Any]]:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if sites.is_users(frame.f_code):
            yield frame.f_locals
        frame = frame.f_back
    main = sys.modules.get("__main__")
    if main is not None:
        yield vars(main)


def _is_librarys(value: Any, sites: Sites) -> bool:
    """Whether a value is the module object of a library, with its hundreds of attributes."""
    if not is_a(value, ModuleType):
        return False
    file = attributes(value).get("__file__")
    return type(file) is not str or not sites.is_user_file(file)


def _named(name: str, value: Any, deepest: int, sites: Sites) -> Iterator[tuple[str, torch.Tensor]]:
    """What a value leads to by containers and attributes, so many of them one in the other."""
    if is_a(value, torch.Tensor):
        yield name, value
    elif deepest == 0 or type(value) in SIMPLE:
        return
    elif is_a(value, torch.nn.Module):
        yield from _named_in_module(name, value)
    elif type(value) in _SEQUENCES or _is_named_tuple(value):
        for one in list(islice(value, _MOST)):
            yield from _named(name, one, deepest - 1, sites)
    elif type(value) in _MAPPINGS:
        for key in list(islice(value, _MOST)):
            yield from _named(f"{name}[{key!r}]", value.get(key), deepest - 1, sites)
    elif not (type(value).__module__.startswith("torch") or _is_librarys(value, sites)):
        held = attributes(value)
        for key in list(islice(held, _MOST)):
            yield from _named(f"{name}.{key}", held.get(key), deepest - 1, sites)


def _is_named_tuple(value: Any) -> TypeGuard[tuple[Any, ...]]:
    """Whether a value is a named tuple, and is gone through as any tuple is."""
    kind = type(value)
    return issubclass(kind, tuple) and hasattr(kind, "_fields") and kind.__iter__ is tuple.__iter__


def _named_in_module(name: str, module: torch.nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    for path, parameter in module.named_parameters():
        yield f"{name}.{path}", parameter
    for path, part in module.named_modules():
        held = vars(part)
        for key, one in (*_tensors_in(held), *_tensors_in(held.get("_buffers", {}))):
            yield ".".join(step for step in (name, path, key) if step), one


def _tensors_in(held: dict[Any, Any]) -> Iterator[tuple[Any, torch.Tensor]]:
    """The tensors of a dictionary, which the program may change meanwhile."""
    for key in list(held):
        one = held.get(key)
        if is_a(one, torch.Tensor):
            yield key, one
