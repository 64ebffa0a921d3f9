"""What the program calls a tensor, read from the variables of its running functions."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any

import torch

from autograd_lint.live.reading import attributes, is_a
from autograd_lint.live.sites import Sites

_MOST = 64  # elements of a container that are looked at


def name_of(tensor: torch.Tensor, sites: Sites) -> str | None:
    """The variable that a tensor is held by, or the parameter's path in a module (`net.1.weight`).

    None where no variable of a running function, or of the main module, leads to it.
    """
    for variables in _scopes(sites):
        for name, value in list(variables.items()):
            found = None if name.startswith("__") else _name_in(name, value, tensor)
            if found is not None:
                return found
    return None


def modules_at_hand(sites: Sites) -> Iterator[torch.nn.Module]:
    """The modules that variables of running functions hold, themselves or as an attribute."""
    for variables in _scopes(sites):
        for value in list(variables.values()):
            if is_a(value, torch.nn.Module):
                yield value
                continue
            for one in list(attributes(value).values()):
                if is_a(one, torch.nn.Module):
                    yield one


def tensors_at_hand(sites: Sites) -> Iterator[torch.Tensor]:
    """The tensors that variables of running functions, or of the main module, hold."""
    for variables in _scopes(sites):
        yield from (one for one in list(variables.values()) if is_a(one, torch.Tensor))


def _scopes(sites: Sites) -> Iterator[Mapping[str, Any]]:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if sites.is_user_file(frame.f_code.co_filename):
            yield frame.f_locals
        frame = frame.f_back
    main = sys.modules.get("__main__")
    if main is not None:
        yield vars(main)


def _name_in(name: str, value: Any, tensor: torch.Tensor) -> str | None:
    if value is tensor:
        return name
    if is_a(value, torch.nn.Module):
        return _name_in_module(name, value, tensor)
    if type(value) in (list, tuple):
        return next((name for one in value[:_MOST] if one is tensor), None)
    if type(value) is dict:
        keys = list(value)[:_MOST]
        return next((f"{name}[{key!r}]" for key in keys if value[key] is tensor), None)
    held = {} if type(value).__module__.startswith("torch") else attributes(value)
    return next((f"{name}.{key}" for key, one in list(held.items()) if one is tensor), None)


def _name_in_module(name: str, module: torch.nn.Module, tensor: torch.Tensor) -> str | None:
    for path, one in module.named_parameters():
        if one is tensor:
            return f"{name}.{path}"
    for path, part in module.named_modules():
        for key, one in vars(part).items():
            if one is tensor:
                return ".".join(step for step in (name, path, key) if step)
    return None
