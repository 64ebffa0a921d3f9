"""Targets that are the network itself: two names, one module, and no copy.

target = online
with torch.no_grad():
    wanted = reward + 0.9 * target(later)      # moves with every step of the optimizer
loss = mse_loss(online(state), wanted)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.second_names import binding_of, is_chosen
from autograd_lint.checkers.shared_parameters import MEANT_AS_COPY
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import CALLED_AS_TARGET, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import TensorCopied
from autograd_lint.libraries.torch.modules.modules import parameters
from autograd_lint.places import Place
from autograd_lint.project.code import code_of
from autograd_lint.project.source import Source
from autograd_lint.vm.events import AttributeSet, ModuleCalled
from autograd_lint.vm.frames import Frame, call_place, outside_models
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance


@dataclass(slots=True, eq=False, repr=False)  # made too often for the price of a frozen one
class Use:
    """A call of a module by a name; `frames` are those it was called in."""

    module: Instance
    name: str
    node: Node | None
    frames: tuple[Frame, ...]
    call: ast.Call

    @property
    def source(self) -> Source:
        """The file in which it is called."""
        return self.frames[-1].source

    @property
    def owner(self) -> int:
        """Whose name it is that the call begins with: of an object, or of a frame."""
        root, frame = self.call.func, self.frames[-1]
        while isinstance(root, (ast.Attribute, ast.Subscript)):
            root = root.value
        own = isinstance(root, ast.Name) and root.id == "self" and root is not self.call.func
        return id(frame.receiver) if own else id(frame)

    @property
    def place(self) -> Place:
        """Where it is called; for a model of a library the call of it."""
        frame, node = outside_models(self.frames, self.call)
        return frame.source.place(node)

    @property
    def loop(self) -> ast.AST | None:
        """The innermost loop around the call."""
        return _loop(self.source, self.call)


@dataclass(slots=True, eq=False, repr=False)
class SameModules(Checker):
    """The uses of modules by a name, the calls by which objects were given one module twice, and
    the tensors that the program has copied: who makes a copy of a network means its other names to
    be names."""

    uses: dict[int, list[Use]] = field(default_factory=dict)
    given: dict[tuple[int, int], Place] = field(default_factory=dict)
    copied: dict[int, Tensor] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, AttributeSet, cls.attribute_set)
        to.add(cls, ModuleCalled, cls.module_called)
        to.add(cls, TensorCopied, cls.tensor_copied)

    def attribute_set(self, interp: Interpreter, event: AttributeSet) -> None:
        """An object keeps a module: was it given that under two names?"""
        module = event.value
        if isinstance(module, Instance) and _is_given_twice(interp.frame, module):
            called_at = call_place(interp.frames)
            if called_at is not None:
                self.given.setdefault((id(event.owner), id(module)), called_at)

    def module_called(self, interp: Interpreter, event: ModuleCalled) -> None:
        """A module has given a result: under which name?"""
        module, call = event.module, event.call.node
        if not event.itself or not isinstance(module, Instance) or not isinstance(call, ast.Call):
            return
        use = Use(module, code_of(call.func), event.node, tuple(interp.frames), call)
        self.uses.setdefault(id(module), []).append(use)

    def tensor_copied(self, interp: Interpreter, event: TensorCopied) -> None:
        """A tensor has been copied, or a module that has it."""
        self.copied[id(event.original)] = event.original

    def _twice(self, use: Use) -> Place | None:
        """The call that has handed the module over under two names."""
        called_at = call_place(use.frames)
        if called_at is not None and _is_given_twice(use.frames[-1], use.module):
            return called_at
        return self.given.get((use.owner, id(use.module)))

    def end(self, interp: Interpreter) -> None:
        """The run is over: which module was its own target?"""
        stepped = {id(tensor) for tensor in interp.state(TrainingRecord).optimized()}
        for uses in self.uses.values():
            if len({one.name for one in uses}) < 2:
                continue
            own = {id(tensor) for _, tensor in parameters(uses[0].module)}
            if not own & stepped or own & self.copied.keys():
                continue
            for target, trained in _pairs(uses):
                place = self._cause(target, trained)
                note(
                    interp,
                    Pitfall.OWN_STATE,
                    place,
                    tensor=target.name,
                    operator=trained.name,
                    detail=CALLED_AS_TARGET,
                    needed=Needed(target.place, "call"),
                    assumptions=frozenset({MEANT_AS_COPY}),
                )

    def _cause(self, target: Use, trained: Use) -> Place | None:
        """Where the module got its second name; None where that is one choice of several."""
        source = target.source
        node = binding_of(source, target.name, trained.name)
        if node is None:
            return self._twice(target)
        return None if is_chosen(source, node) else source.place(node)


def _pairs(uses: list[Use]) -> Iterator[tuple[Use, Use]]:
    """The uses that nothing was trained by, each with one that trains, under another name."""
    trained = [one for one in uses if one.node is not None and one.node.walked_at]
    for one in uses:
        if one.node is not None and one.node.walked_at:
            continue
        for other in trained:
            if one.name != other.name and one.owner == other.owner and _are_together(one, other):
                yield one, other


def _are_together(one: Use, other: Use) -> bool:
    """Whether two calls belong to one step of a training."""
    if one.frames[-1] is other.frames[-1]:
        return one.loop is other.loop
    return one.frames[-1] in other.frames[1:] or other.frames[-1] in one.frames[1:]


def _is_given_twice(frame: Frame, module: Instance) -> bool:
    """Whether the call that is carried out in a frame gives it a module under two names."""
    call = frame.call
    given = [*call.args, *call.keywords.values()] if call is not None else []
    return sum(one is module for one in given) > 1


def _loop(source: Source, node: ast.AST) -> ast.AST | None:
    """The innermost loop around a node."""
    row = getattr(node, "lineno", 0)
    loops = [one for kind in (ast.For, ast.While) for one in source.each(kind)]
    around = [one for one in loops if one.lineno <= row <= (one.end_lineno or 0)]
    return max(around, key=lambda one: one.lineno, default=None)
