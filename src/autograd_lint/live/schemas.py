"""What the schema of an operator says about writing."""

from dataclasses import dataclass
from typing import Any

import torch

from autograd_lint.live.private import allows_numbers, has_version_kernel


@dataclass(frozen=True, slots=True)
class Schema:
    """`positions` and `keywords` are the arguments that the operator writes.

    `loses_bump` says that the operator relies on the operators it calls to count versions, which
    they do not do below a dispatch mode; `aliases` that a result shares an argument's memory;
    `takes_number` that a mode may be handed a number as the first argument, which the operator
    itself refuses (a tensor that torch made of a number, as it does to print a TorchScript graph).
    """

    name: str
    positions: tuple[int, ...]
    keywords: tuple[str, ...]
    loses_bump: bool
    writes: bool
    aliases: bool
    takes_number: bool = False


def schema_of(operator: Any) -> Schema:
    """The part of an operator's schema that matters here.

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
    first = operator._schema.arguments[:1]
    takes_number = any(one.type.kind() == "TensorType" for one in first)
    return Schema(
        name,
        tuple(positions),
        tuple(keywords),
        loses,
        bool(keywords),
        aliases,
        takes_number and not allows_numbers(name),
    )


_DTYPES = {bool: torch.bool, int: torch.int64, float: torch.float64, complex: torch.complex128}


def with_tensor(schema: Schema, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments, the first as the tensor that it was before the mode was handed a number."""
    if not schema.takes_number or not args or type(args[0]) not in _DTYPES:
        return args
    return (torch.tensor(args[0], dtype=_DTYPES[type(args[0])]), *args[1:])


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
