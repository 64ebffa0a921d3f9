"""One concrete call of an operator, ready to be run again and again on fresh tensors."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch

from autograd_lint.operators.measure.kinds import index_kinds, kinds_of
from autograd_lint.operators.measure.signatures import Signature

Function = Callable[..., Any]


@dataclass
class Prepared:
    """A call on fresh tensors: `parts` are all it is handed, `leaves` those to differentiate."""

    run: Callable[[], Any]
    parts: list[tuple[str, torch.Tensor]]
    leaves: list[tuple[str, torch.Tensor]]


class Call(Protocol):
    """What the probe asks of a call."""

    @property
    def kinds(self) -> Mapping[str, frozenset[str]]:
        """The kinds of the arguments that were given, by key."""

    @property
    def listed(self) -> bool:
        """Whether the result is a list of any length."""

    def subsets(self) -> list[frozenset[str]]:
        """The sets of keys to be tried as the ones that require grad, the empty one first."""

    def prepare(self, grad: frozenset[str], dtype: torch.dtype | None = None) -> Prepared:
        """The call on fresh tensors, those of `grad` requiring it (all of `dtype` if given)."""


def subsets_of(keys: list[str]) -> list[frozenset[str]]:
    """All subsets of up to four keys, else none, each, all but each, all."""
    if len(keys) <= 4:
        masks = range(2 ** len(keys))
        return [frozenset(key for bit, key in enumerate(keys) if mask >> bit & 1) for mask in masks]
    every = frozenset(keys)
    singles = [frozenset({key}) for key in keys]
    return [frozenset(), *singles, *(every - single for single in singles[:6]), every]


@dataclass(frozen=True)
class FunctionCall:
    """A call of a function, method or property; `values` are its arguments by key."""

    function: Function
    arguments: tuple[Any, ...]
    keywords: Mapping[str, Any] = field(default_factory=dict)
    signature: Signature = field(default_factory=Signature)
    listed: bool = False
    indexed: bool = False

    @property
    def values(self) -> dict[str, Any]:
        """The arguments by key."""
        named = {self._key(word): value for word, value in self.keywords.items()}
        return {str(place): value for place, value in enumerate(self.arguments)} | named

    @property
    def kinds(self) -> Mapping[str, frozenset[str]]:
        """The kinds of the arguments that were given, by key."""
        if self.indexed:
            kinds = {key: kinds_of(value) for key, value in self.values.items()}
            return kinds | {"1": index_kinds(self.arguments[1])}
        given = self.values.items()
        telling = (each for each in given if not self.signature.is_default(*each))
        return {key: kinds_of(value) for key, value in telling}

    def _key(self, word: str) -> str:
        return self.signature.keywords.get(word, word)

    @property
    def dimensions(self) -> tuple[int, ...]:
        """The number of dimensions of every tensor, 3 for 3 and more."""
        return tuple(min(each.dim(), 3) for each in _tensors(list(self.values.values())))

    @property
    def is_degenerate(self) -> bool:
        """Whether a tensor has no elements: autograd has little to do there, and shows it."""
        return any(tensor.numel() == 0 for tensor in _tensors(list(self.values.values())))

    def subsets(self) -> list[frozenset[str]]:
        """The sets of keys to be tried as the ones that require grad, the empty one first."""
        floating = [key for key, value in self.values.items() if any(map(_real, _tensors(value)))]
        return subsets_of([key for key in floating if key != "out"])

    def prepare(self, grad: frozenset[str], dtype: torch.dtype | None = None) -> Prepared:
        """The call on fresh tensors, those of `grad` requiring it (all of `dtype` if given)."""
        fresh = _Fresh(grad, dtype)
        arguments = [fresh.copy(str(place), value) for place, value in enumerate(self.arguments)]
        keywords = {
            word: fresh.copy(self._key(word), value) for word, value in self.keywords.items()
        }
        return Prepared(lambda: self.function(*arguments, **keywords), fresh.parts, fresh.leaves)


class _Fresh:
    """Copies arguments, and remembers the tensors it made."""

    def __init__(self, grad: frozenset[str], dtype: torch.dtype | None) -> None:
        self.grad = grad
        self.dtype = dtype
        self.parts: list[tuple[str, torch.Tensor]] = []
        self.leaves: list[tuple[str, torch.Tensor]] = []

    def copy(self, key: str, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return self._tensor(key, value)
        if isinstance(value, list | tuple) and type(value) in (list, tuple):
            return type(value)(self.copy(key, part) for part in value)
        if isinstance(value, dict):
            return {name: self.copy(key, part) for name, part in value.items()}
        return int(value) if self.dtype is torch.int64 and isinstance(value, float) else value

    def _tensor(self, key: str, value: torch.Tensor) -> torch.Tensor:
        tensor = value.detach().clone()
        if self.dtype is not None and _real(tensor):
            tensor = torch.ones_like(tensor, dtype=self.dtype)
        elif key in self.grad and _real(tensor):
            leaf = tensor.requires_grad_()
            self.leaves.append((key, leaf))
            tensor = leaf.clone()
        self.parts.append((key, tensor))
        return tensor


def _real(value: torch.Tensor) -> bool:
    return value.is_floating_point() or value.is_complex()


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _tensors(part)
    elif isinstance(value, dict):
        yield from _tensors(list(value.values()))
