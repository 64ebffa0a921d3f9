"""Moving averages that leave out a part of what they are to follow: a module, or its buffers.

for p, t in zip(self.encoder.parameters(), self.target_encoder.parameters()):
    t.mul_(0.99).add_(p, alpha=0.01)
wanted = self.target_head(self.target_encoder(x))     # the head keeps its first values
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.drifting_statistics import normalizes
from autograd_lint.checkers.leaf_record import stepped
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.weight_averages import WeightAverages, Written
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import BUFFERS_LEFT_OUT, Pitfall
from autograd_lint.libraries.torch.modules.modules import parameters
from autograd_lint.places import Place
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.events import ModuleCalled
from autograd_lint.vm.frames import Frame
from autograd_lint.vm.iteration import LONGEST
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance

MEANT = frozenset({Assumption(Kind.MEANT_AS_AVERAGE, weight=0)})


@dataclass(frozen=True, slots=True, eq=False)
class Used:
    """A module that was called, and the copied weights that it has; `training` is its mode."""

    module: Instance
    weights: frozenset[int]
    node: Node | None
    call: ast.Call
    frame: Frame
    place: Place
    training: bool


@dataclass(slots=True, eq=False, repr=False)
class IncompleteAverages(Checker):
    """The calls of modules that were copied."""

    used: list[Used] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ModuleCalled, cls.module_called)

    def module_called(self, interp: Interpreter, event: ModuleCalled) -> None:
        """A module has given a result: one that was copied?"""
        averages, module, call = interp.state(WeightAverages), event.module, event.call.node
        if not averages.origins or not isinstance(module, Instance):
            return
        own = {averages.memory(tensor) for _, tensor in parameters(module)}
        weights = frozenset(own & averages.origins.keys())
        if weights and isinstance(call, ast.Call):
            training = module.attributes.get("training") is not False
            place, frame = interp.place(call), interp.frame
            used = Used(module, weights, event.node, call, frame, place, training)
            self.used.append(used)

    def end(self, interp: Interpreter) -> None:
        """The run is over: which copies that are used did an average leave out?"""
        averages = interp.state(WeightAverages)
        moved = {averages.memory(leaf) for leaf in stepped(interp)}
        blends = {copy: one for copy in averages.writes if (one := _blend(averages, copy, moved))}
        if not blends or len(averages.origins) > LONGEST or interp.record.gave_up:
            return
        origins = () if averages.leaves_rest else averages.origins
        left = {copy for copy in origins if _is_left_out(averages, copy, moved)}
        targets = [one for one in self.used if one.node is None or not one.node.walked_at]
        for used, blend in _incomplete(targets, left, blends):
            copy = next(iter(used.weights & left))
            note(
                interp,
                Pitfall.AVERAGE_INCOMPLETE,
                blend.place,
                leaf=averages.tensors[copy],
                needed=Needed(used.place, "call"),
                assumptions=MEANT,
            )
        self._judge_buffers(interp, blends)

    def _judge_buffers(self, interp: Interpreter, blends: dict[int, Written]) -> None:
        """A layer of an average normalizes by statistics that nothing has ever brought along."""
        layers = [one for one in self.used if normalizes(one.module)]
        moving = {id(one.module) for one in layers if one.training}
        for one in layers:
            blend = next((blends[copy] for copy in one.weights if copy in blends), None)
            if blend is None or id(one.module) in moving or _minds_buffers(blend.source):
                continue
            note(
                interp,
                Pitfall.AVERAGE_INCOMPLETE,
                blend.place,
                tensor="running_mean",
                detail=BUFFERS_LEFT_OUT,
                needed=Needed(one.place, "call"),
                assumptions=MEANT,
            )


def _blend(averages: WeightAverages, copy: int, moved: set[int]) -> Written | None:
    """The first time that a copy was blended with the weights that it was made of."""
    origin = averages.origins.get(copy)
    written = averages.writes[copy] if origin in moved and copy not in moved else []
    blends = (one for one in written if one.blended and not one.partial)
    return next((one for one in blends if origin in one.others), None)


def _is_left_out(averages: WeightAverages, copy: int, moved: set[int]) -> bool:
    """Whether a copy of trained weights stands still, and is the only one of them."""
    origin = averages.origins[copy]
    if origin not in moved or copy in moved or copy in averages.writes:
        return False
    return [one for one, other in averages.origins.items() if other == origin] == [copy]


def _incomplete(
    targets: list[Used], left: set[int], blends: dict[int, Written]
) -> Iterator[tuple[Used, Written]]:
    """The uses of copies that were left out, each with the average that brings its rest along, or
    what it is computed from."""
    for one in targets:
        if not one.weights & left:
            continue
        together = one.weights.intersection(blends)
        if together:
            yield one, blends[min(together)]
            continue
        for other in targets:
            shared = other.weights.intersection(blends)
            given = _is_given(one, other) or _is_given(other, one)
            if other.frame is one.frame and shared and given:
                yield one, blends[min(shared)]
                break


def _is_given(one: Used, other: Used) -> bool:
    """Whether a call is given the result of another one, by itself or by a name."""
    wanted = ast.unparse(other.call.func)
    names = {
        target.id
        for statement in one.frame.source.each(ast.Assign)
        if _calls(statement.value, wanted)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    given = [part for argument in one.call.args for part in ast.walk(argument)]
    named = any(isinstance(part, ast.Name) and part.id in names for part in given)
    return named or any(_calls(argument, wanted) for argument in one.call.args)


def _calls(code: ast.AST, function: str) -> bool:
    calls = (part for part in ast.walk(code) if isinstance(part, ast.Call))
    return any(ast.unparse(call.func) == function for call in calls)


@query
def _minds_buffers(source: Source) -> bool:
    """Whether a file speaks of buffers: it may copy them where no run has reached."""
    attributes = source.each(ast.Attribute)
    if any(one.attr in {"buffers", "named_buffers"} for one in attributes):
        return True
    written = (one.value for one in attributes if one.attr.endswith("_") or one.attr == "data")
    bound = (one for one in attributes if isinstance(one.ctx, ast.Store))
    parts = (*written, *bound)
    return any(isinstance(one, ast.Attribute) and one.attr.startswith("running_") for one in parts)
