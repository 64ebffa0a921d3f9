"""The dictionaries in which a module keeps its members: `_parameters` and `_modules`."""

from __future__ import annotations

from autograd_lint.engine.tensor import Tensor
from autograd_lint.interpreter.instances import is_module
from autograd_lint.interpreter.values import Instance, Mapping, Value

MEMBERS = {"_parameters", "_modules"}


class _Members(dict[object, Value]):
    """A dictionary of a module's members: what is put into it the module gets."""

    def __init__(self, owner: Instance, entries: dict[object, Value]) -> None:
        super().__init__(entries)
        self._owner = owner

    def __setitem__(self, name: object, value: Value) -> None:
        super().__setitem__(name, value)
        if isinstance(name, str):
            set_member(self._owner, name, value)


def members(instance: Instance, name: str) -> Mapping:
    """`_parameters` or `_modules` of a module."""
    wanted = _is_parameter if name == "_parameters" else is_module
    found: dict[object, Value] = {
        key: value for key, value in instance.attributes.items() if wanted(value)
    }
    return Mapping(_Members(instance, found))


def set_members(instance: Instance, value: Mapping) -> None:
    """`module._parameters = {...}`."""
    for name, member in value.entries.items():
        if isinstance(name, str):
            set_member(instance, name, member)


def set_member(instance: Instance, name: str, value: Value) -> None:
    """A module's member is replaced, past all checks: a parameter may be no leaf.

    Who puts one there that does not require grad has frozen it on purpose.
    """
    instance.attributes[name] = value
    if isinstance(value, Tensor):
        value.parameter = True
        value.severed = () if value.requires_grad is None else value.severed


def _is_parameter(value: Value) -> bool:
    return isinstance(value, Tensor) and value.parameter
