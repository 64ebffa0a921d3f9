"""Modules that are trained in evaluation mode, because nothing ended an evaluation's mode.

model.train()
for epoch in range(epochs):
    train_one_epoch(model)     # from the second epoch on in evaluation mode
    validate(model)            # calls model.eval()
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.checkers import surroundings
from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.module_modes import (
    depends_as_usual,
    keeps_its_mode,
    mode_set_at,
    training,
)
from autograd_lint.checkers.noting import note
from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.body import called_on_self
from autograd_lint.facts.mode_reads import mode_reads
from autograd_lint.libraries.torch.events import ModuleCopied
from autograd_lint.libraries.torch.modules.modules import modules, parameters
from autograd_lint.places import Place
from autograd_lint.vm.events import ModuleCalled
from autograd_lint.vm.frames import Frame
from autograd_lint.vm.instances import outside_name
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class, Function, Instance, Unknown, Value

# Layers that compute something else in evaluation mode, by the beginning of their names.
_DEPENDENT = (
    *("Dropout", "AlphaDropout", "FeatureAlphaDropout", "DropPath", "RReLU"),
    *("BatchNorm", "LazyBatchNorm", "SyncBatchNorm"),
)
# Layers that drop what they compute, where that is asked for, and those that do by default.
_DROPPING = {"RNN", "LSTM", "GRU", "MultiheadAttention"}
_DROPPING_BY_DEFAULT = {"Transformer", "TransformerEncoderLayer", "TransformerDecoderLayer"}


@dataclass(slots=True, eq=False, repr=False)
class Calls:
    """The first call of a module in one line, at a place, in each mode, by its graph, and during
    which call of a harness; `since` is where the module was put into evaluation mode."""

    module: Instance | Unknown
    place: Place
    during: Frame | None
    trained: Node
    evaluated: Node | None = None
    since: Place | None = None


@dataclass(slots=True, eq=False, repr=False)
class LeftModes(Checker):
    """The calls of each module whose mode matters, by the module and the node of the call, and the
    modules that were evaluated: called in evaluation mode without a graph. A copy counts as what it
    was copied from (`originals`), for it has its mode."""

    calls: dict[tuple[int, ast.AST], Calls] = field(default_factory=dict)
    evaluated: set[int] = field(default_factory=set)
    originals: dict[int, Instance | Unknown] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ModuleCalled, cls.module_called)
        to.add(cls, ModuleCopied, cls.module_copied)

    def module_copied(self, _: Interpreter, event: ModuleCopied) -> None:
        """A copy is in the mode of its original."""
        self.originals[id(event.copy)] = event.original

    def _original(self, module: Instance | Unknown) -> Instance | Unknown:
        """What a module was copied from, or itself."""
        while id(module) in self.originals:
            module = self.originals[id(module)]
        return module

    def module_called(self, interp: Interpreter, event: ModuleCalled) -> None:
        """A module has given a result: in which mode?"""
        if not event.itself:
            return
        if event.node is not None:
            self._recorded(interp, event, event.node)
        elif training(event.module) is False:
            self.evaluated.add(id(self._original(event.module)))

    def _recorded(self, interp: Interpreter, event: ModuleCalled, node: Node) -> None:
        """A module has given a result with a graph."""
        module = event.module
        mode, during = training(module), interp.harness_call
        original = self._original(module)
        key = id(original), event.call.node
        known = self.calls.get(key)
        if known is None:
            if mode is True or (mode is None and isinstance(module, Unknown)):
                self.calls[key] = Calls(module, interp.place(event.call.node), during, node)
        elif mode is False and known.evaluated is None and id(original) in self.evaluated:
            if isinstance(module, Instance) and not any(map(_is_left, modules(module))):
                return
            # What several calls of a harness do one after the other, a caller need not do so.
            known.evaluated = node if known.during is during else None
            known.since = mode_set_at(interp, module) or mode_set_at(interp, original)

    def end(self, interp: Interpreter) -> None:
        """The run is over: which line has trained a module in both modes? What was not followed to
        its end may have ended the mode there."""
        for one in self.calls.values():
            if one.evaluated is None or one.since is None or keeps_its_mode(one.module):
                continue
            if any(surroundings.is_inside(one.since, left) for left in interp.record.abandoned):
                continue
            if not (one.trained.walked_at and one.evaluated.walked_at):
                continue
            note(
                interp,
                Pitfall.LEFT_IN_EVALUATION,
                one.since,
                built=Created(one.since, "eval"),
                needed=Needed(one.place, "call"),
                assumptions=depends_as_usual(one.module),
            )


def _is_left(part: Instance) -> bool:
    """Whether a layer that computes something else in evaluation mode is in it, and not because it
    is frozen: a part of the module may have been put back into training mode by itself."""
    if not is_dependent(part) or part.attributes.get("training") is not False:
        return False
    own = [tensor for _, tensor in parameters(part)]
    return not own or any(tensor.requires_grad is not None for tensor in own)


def depends_on_mode(module: Instance) -> bool:
    """Whether a part of the module computes something else in evaluation mode."""
    return any(map(is_dependent, modules(module)))


def is_dependent(part: Instance) -> bool:
    """Whether a module computes something else in evaluation mode, as a layer or by its own code:
    what drops with a probability of zero does not."""
    return is_dependent_layer(part) or _goes_by_mode(part)


def is_dependent_layer(part: Instance) -> bool:
    """Whether a module is a layer that computes something else in evaluation mode."""
    name, options = outside_name(part), part.options
    if name in _DROPPING:
        return options.get("dropout", 0) != 0 and options.get("num_layers", 2) != 1
    if name in _DROPPING_BY_DEFAULT:
        return options.get("dropout") != 0
    return name.startswith(_DEPENDENT) and options.get("p") != 0


def _goes_by_mode(part: Instance) -> bool:
    """Whether the forward of a module, or a method that it calls, reads the mode where nothing that
    is zero switches it off."""
    methods = _of_forward(part.cls) if isinstance(part.cls, Class) else []
    beside = (names for method in methods for names in method.query(mode_reads))
    return any(not any(_is_zero(part.attributes.get(one)) for one in names) for names in beside)


def _of_forward(cls: Class) -> list[Function]:
    """The forward of a class, and the methods of its own that this calls."""
    reached: list[Function] = []
    waiting = ["forward"]
    for name in waiting:
        method = cls.find(name)
        if isinstance(method, Function):
            reached.append(method)
            waiting += sorted(method.query(called_on_self) - {*waiting})
    return reached


def _is_zero(value: Value) -> bool:
    return isinstance(value, (int, float)) and value == 0
