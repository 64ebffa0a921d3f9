"""Gradients that are kept by reference and compared, or averaged, with later ones: both are one
tensor.

first = [p.grad for p in net.parameters()]
optimizer.zero_grad(set_to_none=False)       # the memory is cleared and filled again
loss.backward()
second = [p.grad for p in net.parameters()]
conflict = sum((a * b).sum() for a, b in zip(first, second))

velocity[i] = p.grad                         # and in later steps, after `p.grad.zero_()`:
velocity[i].mul_(0.9).add_(p.grad)
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.events import Created, Modified, Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import GradientRead, OperatorRun
from autograd_lint.places import Place
from autograd_lint.project.code import code_of
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.events import AttributeSet, ElementStored, ValueAppended
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Value

AVERAGING = {"add_", "sub_", "lerp_"}
SHAPING = {"flatten", "view", "reshape", "ravel"}


@dataclass(slots=True, eq=False, repr=False)
class KeptGradients(Checker):
    """Where each gradient was read, by the identity of its memory, after how many writes.

    `gathered` are the gradients that a container has got, with both, after how many, `stored` those
    that are an entry or attribute, by their memory: where they became it, after how many.
    """

    reads: dict[int, list[tuple[Place, int]]] = field(default_factory=dict)
    gathered: dict[tuple[int, int], tuple[Value, Tensor, int]] = field(default_factory=dict)
    gradients: dict[int, Tensor] = field(default_factory=dict)
    stored: dict[int, tuple[Place, int]] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, GradientRead, cls.gradient_read)
        to.add(cls, OperatorRun, cls.ran, waits=True)
        to.add(cls, ValueAppended, cls.appended, waits=True)
        to.add(cls, ElementStored, cls.element_stored, waits=True)
        to.add(cls, AttributeSet, cls.attribute_set, waits=True)

    def gradient_read(self, interp: Interpreter, event: GradientRead) -> None:
        """`.grad` is read."""
        gradient = event.tensor.grad
        if gradient is not None:
            writes = len(gradient.storage.writes)
            known = self.reads.setdefault(id(gradient.storage), [])
            known.append((interp.place(event.node), writes))
            self.gradients[gradient.storage.memory] = gradient

    def element_stored(self, interp: Interpreter, event: ElementStored) -> None:
        """An entry of a container is set: to a gradient?"""
        self._store(event.value, interp.place(event.target))

    def attribute_set(self, interp: Interpreter, event: AttributeSet) -> None:
        """An attribute is set: to a gradient?"""
        self._store(event.value, interp.place(event.node))

    def _store(self, value: Value, place: Place) -> None:
        known = self.gradients.get(value.storage.memory) if isinstance(value, Tensor) else None
        if known is not None:
            self.stored[known.storage.memory] = (place, len(known.storage.writes))

    def ran(self, interp: Interpreter, event: OperatorRun) -> None:
        """An operator was given two tensors: are both a gradient, read before and after it was
        written?"""
        tensors = event.operation.tensors()
        if event.operation.operator in AVERAGING:
            self._averaged(interp, tensors, event.operation.place)
        if len(tensors) != 2 or event.operation.form.modifies:
            return
        roots = [_root(operand) for operand in _operands(event.node)]
        names = [one for one in roots if _is_simple(one)]
        if len({code_of(one) for one in roots}) != 2 or not names:
            return
        values = [interp.evaluate(one) for one in names]
        fresh = [tensor for tensor in tensors if len(names) == 1 and tensor is not values[0]]
        one = values[0]
        kept = self._kept(one) if isinstance(one, Tensor) and one is values[-1] else None
        if isinstance(one, Tensor) and kept is not None and not fresh:
            _tell(interp, one, *kept, event.operation.place)

    def _averaged(self, interp: Interpreter, tensors: list[Tensor], place: Place | None) -> None:
        """What was stored of an earlier gradient takes in the one of now: are both one memory?"""
        memories = {one.storage.memory for one in tensors}
        gradient = self.gradients.get(tensors[0].storage.memory)
        stored = self.stored.get(tensors[0].storage.memory)
        if len(tensors) < 2 or len(memories) > 1 or gradient is None or stored is None:
            return
        later = gradient.storage.writes[stored[1] :]
        if any(write.event.operator == "backward" for write in later):
            _tell(interp, gradient, stored[0], later[0].event, place)

    def appended(self, interp: Interpreter, event: ValueAppended) -> None:
        """A container has got a gradient: did it get the same one before the last backward?"""
        for tensor in tensors_in(event.value):
            if id(tensor.storage) not in self.reads:
                continue
            key, writes = (id(event.container), id(tensor.storage)), tensor.storage.writes
            known = event.container, tensor, len(writes)
            later = writes[self.gathered.setdefault(key, known)[2] :]
            if any(write.event.operator == "backward" for write in later):
                place = self.reads[id(tensor.storage)][0][0]
                _tell(interp, tensor, place, later[0].event, interp.place(event.node))

    def _kept(self, gradient: Tensor) -> tuple[Place, Modified] | None:
        """The first read of a gradient that was written before the last one, and that write."""
        reads = self.reads.get(id(gradient.storage), [])
        writes = gradient.storage.writes
        for place, seen in reads:
            later = writes[seen : reads[-1][1]]
            if any(write.event.operator == "backward" for write in later):
                return place, later[0].event
        return None


def _tell(
    interp: Interpreter, gradient: Tensor, read: Place, write: Modified, used: Place | None
) -> None:
    """A gradient was kept where it was read, written, and used as if it were what it had been."""
    note(
        interp,
        Pitfall.SNAPSHOT_OVERWRITTEN,
        write.place,
        tensor=gradient.name,
        operator=".grad",
        built=Created(read, ".grad"),
        modified=write,
        needed=Needed(used, "use"),
    )


def _operands(node: ast.AST) -> list[ast.expr]:
    """What an operator, a method or a function is given, in the words of the program."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if not isinstance(node, ast.Call):
        return []
    method = isinstance(node.func, ast.Attribute) and len(node.args) == 1
    owner = [node.func.value] if method and isinstance(node.func, ast.Attribute) else []
    return [*owner, *node.args][:2]


def _root(operand: ast.expr) -> ast.expr:
    """What is there before it is given another shape."""
    while isinstance(operand, ast.Call) and isinstance(operand.func, ast.Attribute):
        if operand.func.attr not in SHAPING:
            break
        operand = operand.func.value
    return operand


def _is_simple(node: ast.expr) -> bool:
    """Whether evaluating it once more does nothing: a name, or a constant element of one."""
    while isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        node = node.value
    return isinstance(node, ast.Name)
