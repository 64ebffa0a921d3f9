"""Keys of arguments: which position a keyword stands for, from schemas and signatures."""

import inspect
from typing import Any

import torch


def keywords_of(name: str, function: Any) -> dict[str, str]:
    """The key of every keyword of an operator, from its Python signature or else its schemas."""
    try:
        places = _from_signature(inspect.signature(function))
    except (TypeError, ValueError):
        places = _from_schemas(_schemas(name, function))
    if not places:
        places = _from_dispatched(name)
    places.pop("out", None)
    return places


def returns_list(name: str, function: Any) -> bool:
    """Whether a schema says that the result is a list of tensors of any length."""
    return any(
        each.type.kind() == "ListType"
        for schema in _schemas(name, function)
        for each in schema.returns
    )


def _from_dispatched(name: str) -> dict[str, str]:
    """Pooling functions hide their signature behind a dispatcher, and show it under `_NAME`."""
    hidden = getattr(torch.nn.functional, f"_{name.rpartition('.')[2]}", None)
    return _from_signature(inspect.signature(hidden)) if inspect.isfunction(hidden) else {}


def _from_signature(signature: inspect.Signature) -> dict[str, str]:
    places = {}
    for place, parameter in enumerate(signature.parameters.values()):
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            places[parameter.name] = str(place)
    return places


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


def _from_schemas(schemas: list[Any]) -> dict[str, str]:
    places: dict[str, str] = {}
    disputed = set()
    for schema in schemas:
        positional = [each.name for each in schema.arguments if not each.kwarg_only]
        for place, word in enumerate(positional):
            if places.setdefault(word, str(place)) != str(place):
                disputed.add(word)
    if "self" in places:
        places.setdefault("input", places["self"])
    if "dim" in places:
        places.setdefault("axis", places["dim"])
    return {word: key for word, key in places.items() if word not in disputed}
