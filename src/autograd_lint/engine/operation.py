"""One application of an operator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from autograd_lint.engine.graph_breaks import GraphBreaks
from autograd_lint.engine.tensor import Tensor
from autograd_lint.operators.facts import Form
from autograd_lint.places import Place


@dataclass(slots=True, eq=False, repr=False)  # made too often for the price of a frozen one
class Operation:
    """One application of an operator: its facts, its arguments by key, where it stands.

    `label` is what the line calls its first argument, if it writes that; `count` is the number of
    results where the table says `out*`; `graph_breaks` are the ends of graphs behind arguments that
    are no tensors, `measured` the keys of arguments of which it is known whether an edge leads to
    them, None where that is known of all.
    """

    operator: str
    form: Form
    arguments: Mapping[str, object]
    place: Place | None
    label: str | None = None
    count: int = 1
    graph_breaks: GraphBreaks = ()
    measured: frozenset[str] | None = None
    written: list[Tensor] = field(init=False)
    """The tensors that are written in place."""
    _tensors: list[Tensor] = field(init=False)

    def __post_init__(self) -> None:
        self._tensors = self.at_all(self.arguments)
        self.written = self.at_all(self.form.modifies) if self.form.modifies else []

    def tensors(self) -> list[Tensor]:
        """The tensors among the arguments, those of a list argument one by one."""
        return self._tensors

    def at_all(self, keys: Iterable[str]) -> list[Tensor]:
        """The tensors at some keys."""
        found: list[Tensor] = []
        arguments = self.arguments
        for key in keys:
            value = arguments.get(key)
            if type(value) is Tensor:
                found.append(value)
            elif isinstance(value, (list, tuple)):
                found += [item for item in value if isinstance(item, Tensor)]
        return found

    def among(self, keys: frozenset[str]) -> list[Tensor]:
        """The tensors at those of the keys of arguments that are among `keys`, in their order."""
        return self.at_all([key for key in self.arguments if key in keys])

    def at(self, key: str) -> list[Tensor]:
        """The tensors at one key."""
        return self.at_all((key,))
