"""Keys of arguments: which position a keyword stands for, from schemas and signatures."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch


@dataclass(frozen=True)
class Signature:
    """The key of every keyword, and the default value of every key."""

    keywords: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)

    def is_default(self, key: str, value: Any) -> bool:
        """Whether an argument is given the value it has anyway."""
        if key not in self.defaults or isinstance(value, torch.Tensor):
            return False
        default = self.defaults[key]
        return type(default) is type(value) and bool(default == value)


def signature_of(name: str, function: Any) -> Signature:
    """The signature of an operator, from Python or else from its schemas."""
    try:
        found = of_python(function)
    except (TypeError, ValueError):
        found = _from_schemas(_schemas(name, function))
    if name.startswith("Tensor."):
        return _of_method(found)
    return found if found.keywords else _from_dispatched(name)


def _of_method(found: Signature) -> Signature:
    """The signature of a method whose function does not take the tensor itself first."""
    own = int(found.keywords.get("self", "0"))
    moved = {
        str(place): "0" if place == own else str(place + (place < own)) for place in range(own + 1)
    }
    keywords = {word: moved.get(key, key) for word, key in found.keywords.items()}
    return Signature(keywords, {moved.get(key, key): each for key, each in found.defaults.items()})


def of_python(function: Any, skip: int = 0) -> Signature:
    """The signature of a Python function without its first `skip` parameters.

    Raises TypeError or ValueError for builtin functions, which have none.
    """
    parameters = list(inspect.signature(function).parameters.values())[skip:]
    keywords, defaults = {}, {}
    for place, parameter in enumerate(parameters):
        positional = parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        key = str(place) if positional else parameter.name
        if positional and parameter.name != "out":
            keywords[parameter.name] = key
        if parameter.default is not parameter.empty:
            defaults[key] = parameter.default
    return Signature(keywords, defaults)


def returns_list(name: str, function: Any) -> bool:
    """Whether a schema says that the result is a list of tensors of any length."""
    return any(
        each.type.kind() == "ListType"
        for schema in _schemas(name, function)
        for each in schema.returns
    )


def _from_dispatched(name: str) -> Signature:
    """Pooling functions hide their signature behind a dispatcher, and show it under `_NAME`."""
    hidden = getattr(torch.nn.functional, f"_{name.rpartition('.')[2]}", None)
    return of_python(hidden) if inspect.isfunction(hidden) else Signature()


def _schemas(name: str, function: Any) -> list[Any]:
    last = name.rpartition(".")[2]
    prefix = name.rpartition(".")[0].rpartition(".")[2]
    spellings = (f"{prefix}_{last}", last, getattr(function, "__name__", last))
    for spelling in dict.fromkeys(spellings):
        found = torch._C._jit_get_schemas_for_operator(f"aten::{spelling}")
        on_tensors = [schema for schema in found if _takes_tensor(schema)]
        if found:
            return on_tensors or list(found)
    return []


def _takes_tensor(schema: Any) -> bool:
    return any("Tensor" in str(argument.type) for argument in schema.arguments)


def _from_schemas(schemas: list[Any]) -> Signature:
    places: dict[str, str] = {}
    defaults: dict[str, Any] = {}
    disputed = set()
    for schema in schemas:
        for place, argument in enumerate(schema.arguments):
            key = argument.name if argument.kwarg_only else str(place)
            if argument.has_default_value():
                defaults.setdefault(key, argument.default_value)
            if not argument.kwarg_only and places.setdefault(argument.name, key) != key:
                disputed.add(argument.name)
    undisputed = {word: key for word, key in places.items() if word not in disputed}
    return Signature(_with_other_names(undisputed), defaults)


def _with_other_names(places: dict[str, str]) -> dict[str, str]:
    """The Python binding calls `self` also `input`, and takes numpy's `axis` for `dim`."""
    others = {"input": places.get("self"), "axis": places.get("dim")}
    return {word: key for word, key in others.items() if key is not None} | places
