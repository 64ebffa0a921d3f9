"""Parameters of which a hook zeroes a part of the gradient, and which weight decay moves anyway.

embedding.weight.register_hook(lambda gradient: gradient * mask)  # the old rows stay as they are
optimizer = torch.optim.AdamW(model.parameters(), weight_decay=0.1)  # and shrink in every step

Source: `_single_tensor_adamw`, `_single_tensor_sgd` in torch/optim (weight decay does not look at
the gradient)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.events import Modified
from autograd_lint.engine.pitfalls import DECAYED, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import HookRegistered, StepBegun
from autograd_lint.libraries.torch.training.optimizers import class_name, groups_of, optimized_in
from autograd_lint.places import Place
from autograd_lint.project.code import code_of
from autograd_lint.project.nodes import walk
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Function, Instance, Mapping, Method, Value

DECAYING = frozenset({"AdamW", "Adam", "SGD", "RMSprop", "RAdam", "NAdam", "Adamax", "Adagrad"})
BY_DEFAULT = frozenset({"AdamW"})  # of 0.01
MULTIPLYING = frozenset({"mul", "mul_", "multiply", "masked_fill", "masked_fill_"})


@dataclass(slots=True, eq=False, repr=False)
class DecayedRows(Checker):
    """The parameters with such a hook, by identity, and where it was registered."""

    held: dict[int, Place] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, HookRegistered, cls.registered)
        to.add(cls, StepBegun, cls.stepped)

    def registered(self, _: Interpreter, event: HookRegistered) -> None:
        """A hook was put on a tensor: is a part of the gradient zeroed?"""
        owner = event.owner
        if isinstance(owner, Tensor) and owner.parameter and _zeroes_a_part(event.hook):
            self.held[id(owner)] = event.place

    def stepped(self, interp: Interpreter, event: StepBegun) -> None:
        """An optimizer steps: does it let such a parameter decay?"""
        for tensor in event.tensors if self.held else ():
            place = self.held.get(id(tensor))
            if place is None or not _decays(event.optimizer, tensor) or _is_masked(tensor):
                continue
            note(
                interp,
                Pitfall.FROZEN_MOVES,
                place,
                tensor=tensor.name,
                operator=event.name,
                detail=DECAYED,
                modified=Modified(event.place, event.name, tensor.name, 0, by_optimizer=True),
            )


def _is_masked(parameter: Tensor) -> bool:
    """Whether the values themselves were multiplied by a mask: nothing is left there to decay."""
    storage = parameter.storage
    written = (*storage.writes, *storage.unversioned_writes)
    return any(one.event.operator in MULTIPLYING for one in written)


def _decays(optimizer: Instance, parameter: Tensor) -> bool:
    """Whether an optimizer lets a parameter decay, by the options of its group or by its own."""
    name = class_name(optimizer)
    groups = (group for group in groups_of(optimizer) if parameter in optimized_in(group))
    entries = next((one.entries for one in groups if isinstance(one, Mapping)), {})
    options = entries if "weight_decay" in entries else optimizer.options
    rate = options.get("weight_decay", 0.01 if name in BY_DEFAULT else 0)
    return name in DECAYING and rate is not None and rate != 0


def _zeroes_a_part(hook: Value) -> bool:
    """Whether a hook multiplies the gradient by a mask, or sets some of its elements to zero."""
    function = hook.function if isinstance(hook, Method) else hook
    if not isinstance(function, Function):
        return False
    parts = list(walk(function.node))
    return any(_is_masking(part) for part in parts) or any(map(_is_zero_stored, parts))


def _is_masking(part: ast.AST) -> bool:
    return any("mask" in code_of(one).lower() for one in _factors(part))


def _factors(part: ast.AST) -> Iterator[ast.expr]:
    """What a part of a function multiplies with."""
    if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mult):
        yield from (part.left, part.right)
    elif isinstance(part, ast.AugAssign) and isinstance(part.op, ast.Mult):
        yield part.value
    elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
        yield from part.args if part.func.attr in MULTIPLYING else ()


def _is_zero_stored(part: ast.AST) -> bool:
    """Whether elements are set to zero."""
    if not isinstance(part, ast.Assign) or not isinstance(part.targets[0], ast.Subscript):
        return False
    return isinstance(part.value, ast.Constant) and part.value.value == 0
