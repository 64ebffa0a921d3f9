"""What the schema of an operator says about writing."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import torch

from autograd_lint.live.private import allows_numbers, has_version_kernel


@dataclass(frozen=True, slots=True)
class Schema:
    """`positions` and `keywords` are the arguments that the operator writes.

    `loses_bump` says that the operator relies on the operators it calls to count versions, which
    they do not do below a dispatch mode; `aliases` that a result shares an argument's memory;
    `tensors` are the arguments in whose place a mode may be handed a number, which the operator
    itself refuses (a tensor that torch made of a number, as TorchScript does).
    """

    name: str
    positions: tuple[int, ...]
    keywords: tuple[str, ...]
    loses_bump: bool
    writes: bool
    aliases: bool
    tensors: tuple[int, ...] = ()


@cache
def schema_of(operator: Any) -> Schema:
    """The part of an operator's schema that matters here; one object for every operator there is.

    Operators on functions (`torch.cond`) have none before they are called.
    """
    if not isinstance(operator, torch._ops.OpOverload):
        return Schema(operator.name(), (), (), loses_bump=False, writes=False, aliases=False)
    positions: list[int] = []
    keywords: list[str] = []
    for index, argument in enumerate(operator._schema.arguments):
        if argument.alias_info is None or not argument.alias_info.is_write:
            continue
        keywords.append(argument.name)
        if not argument.kwarg_only:
            positions.append(index)
    full_name = operator._schema.name
    overload = operator._schema.overload_name
    qualified = f"{full_name}.{overload}" if overload else full_name
    loses = bool(keywords) and not has_version_kernel(qualified)
    name = operator.overloadpacket.__name__  # a string that is there
    aliases = any(result.alias_info is not None for result in operator._schema.returns)
    arguments = enumerate(operator._schema.arguments)
    found = tuple(index for index, one in arguments if one.type.kind() == "TensorType")
    return Schema(
        name,
        tuple(positions),
        tuple(keywords),
        loses,
        bool(keywords),
        aliases,
        () if allows_numbers(name) else found,
    )


_DTYPES = {bool: torch.bool, int: torch.int64, float: torch.float64, complex: torch.complex128}


def with_tensor(schema: Schema, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments, each as the tensor that it was before the mode was handed a number."""
    numbers = [at for at in schema.tensors if at < len(args) and type(args[at]) in _DTYPES]
    if not numbers:
        return args
    return tuple(
        torch.tensor(one, dtype=_DTYPES[type(one)]) if at in numbers else one
        for at, one in enumerate(args)
    )


def written(schema: Schema, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[torch.Tensor]:
    """The tensors that this call writes."""
    values = [args[index] for index in schema.positions if index < len(args)]
    values += [kwargs[name] for name in schema.keywords if name in kwargs]
    return tensors_in(values)


def tensors_in(values: Any) -> list[torch.Tensor]:
    """The tensors in a list of values that may themselves be lists."""
    found: list[torch.Tensor] = []
    for value in values:
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif isinstance(value, list | tuple):
            found.extend(item for item in value if isinstance(item, torch.Tensor))
    return found
