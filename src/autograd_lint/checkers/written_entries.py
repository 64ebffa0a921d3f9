"""Where a program writes a dictionary of which it cuts all values but one off their graphs.

logs = {"loss": loss.detach(), "entropy": entropy.detach(), "ratio": ratio}
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.engine.graph import Node
from autograd_lint.engine.tensor import Tensor
from autograd_lint.places import Place
from autograd_lint.vm.events import DictionaryWritten
from autograd_lint.vm.listening import Listener, Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Mapping, Value

CUTS = {"detach", "item"}


@dataclass(slots=True, eq=False, repr=False)
class WrittenEntries(Listener):
    """By its graph node the entry of a tensor beside others that are cut off theirs."""

    uncut: dict[Node, Place] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, DictionaryWritten, cls.written)

    def written(self, interp: Interpreter, event: DictionaryWritten) -> None:
        """A dictionary has been made; what it holds may go on in others."""
        mapping = event.mapping
        if not any(_is_cut(node) for _, node in mapping.written.values()):
            return
        for key, value in mapping.entries.items():
            if isinstance(value, Tensor) and value.node is not None and key in mapping.written:
                source, node = mapping.written[key]
                self.uncut.setdefault(value.node, source.place(node))

    def of(self, value: Value, graph: Node) -> Place | None:
        """The entry by which a graph came into a dictionary of which this is a copy, or a part."""
        return self.uncut.get(graph) if isinstance(value, (Tensor, Mapping)) else None


def _is_cut(node: ast.AST) -> bool:
    called = node.func if isinstance(node, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr in CUTS
