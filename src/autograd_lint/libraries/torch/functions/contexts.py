"""`ctx`: what a custom Function's `forward` tells autograd, and what `backward` reads of it.

Mirrors `FunctionCtx` of torch/autograd/function.py and torch/csrc/autograd/python_function.cpp.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace

from autograd_lint.engine import backward as engine
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created, Freed, Needed
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.graph import Node, SavedTensor
from autograd_lint.engine.tensor import Tensor
from autograd_lint.immutable import immutable
from autograd_lint.libraries.torch.functions.judging import foreign, is_known, refuse
from autograd_lint.libraries.torch.operators.unknown_tensors import as_tensor
from autograd_lint.project.code import code_of
from autograd_lint.vm.calls import Call
from autograd_lint.vm.contents import tensor_of
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import (
    Class,
    External,
    Function,
    Instance,
    Items,
    Native,
    Property,
    Unknown,
    Value,
)

PATH = "torch.autograd.function.FunctionCtx"
_TWICE = Assumption(Kind.BACKWARD_TWICE)
_CLEARING = "clear_saved_tensors_on_access"
_OF_CLEARING = f"torch.autograd.Function.{_CLEARING}"
# What autograd itself puts on a `ctx`, in `forward` or in `backward`.
GIVEN = frozenset(
    {
        "apply",
        "apply_boxed",
        "apply_jvp",
        "dirty_tensors",
        "mark_shared_storage",
        "materialize_grads",
        "maybe_clear_saved_tensors",
        "metadata",
        "name",
        "needs_input_grad",
        "next_functions",
        "non_differentiable",
        "register_hook",
        "register_prehook",
        "requires_grad",
        "save_for_forward",
        "saved_for_forward",
        "saved_tensors",
        "saved_variables",
        "to_save",
    }
)


@immutable
class Refusal:
    """Why autograd does not take what `ctx` was told, and where it was told."""

    detail: str
    built: Created


@dataclass
class Context:
    """What `forward` of a class tells through `ctx`.

    `saving` is the call that says what to save, where all of that is known, `outputs` the results
    of `forward` where their number is known; `open` says that not all inputs or outputs are known.
    `reads` counts how often `backward` has read what was saved, `given_back` is the memory that it
    has returned as gradients.
    """

    cls: Class
    saved: list[Value] = field(default_factory=list)
    saving: Created | None = None
    dirty: list[Tensor] = field(default_factory=list)
    constant: list[Tensor] = field(default_factory=list)
    node: Node | None = None
    outputs: list[Value] | None = None
    open: bool = False
    refused: Refusal | None = None
    kept: list[SavedTensor | Value] = field(default_factory=list)
    unchecked: list[SavedTensor] = field(default_factory=list)
    reads: int = 0
    given_back: set[int] = field(default_factory=set)

    def value(self) -> Instance:
        """The object that the program sees as `ctx`."""
        return Instance(
            External(PATH),
            {
                "save_for_backward": Native("save_for_backward", self._save),
                "mark_dirty": Native("mark_dirty", self._mark_dirty),
                "mark_non_differentiable": Native("mark_non_differentiable", self._mark_constant),
                "set_materialize_grads": Native("set_materialize_grads", _nothing),
            },
            fallback=self._unset,
        )

    def _unset(self, interp: Interpreter, name: str, node: ast.AST) -> Value:
        """An attribute that was not set on this path: is it one that nothing sets at all?"""
        if name not in GIVEN and not name.startswith("_") and _is_closed(self.cls, name):
            detail = f"'{self.cls.name}Backward' object has no attribute '{name}'"
            refuse(interp, self.cls, interp.place(node), detail)
        return Unknown(interp.text(node))

    def _save(self, interp: Interpreter, call: Call) -> Value:
        self._judge(interp, "save_for_backward", call, may_be_none=True)
        self.saved = [as_tensor(interp, arg) or arg for arg in call.args]
        known = all(arg is None or isinstance(arg, Tensor) for arg in call.args)
        spread = any(isinstance(part, ast.Starred) for part in getattr(call.node, "args", ()))
        place = interp.place(call.node)
        self.saving = Created(place, "save_for_backward") if known and not spread else None
        return None

    def _mark_dirty(self, interp: Interpreter, call: Call) -> Value:
        self._judge(interp, "mark_dirty", call)
        self.dirty = [tensor for arg in call.args if (tensor := tensor_of(arg))]
        return None

    def _mark_constant(self, interp: Interpreter, call: Call) -> Value:
        self._judge(interp, "mark_non_differentiable", call)
        self.constant = [tensor for arg in call.args if (tensor := tensor_of(arg))]
        return None

    def _judge(
        self, interp: Interpreter, name: str, call: Call, *, may_be_none: bool = False
    ) -> None:
        """Remember the first argument that is no tensor: autograd refuses it after `forward`."""
        for position, value in enumerate(call.args):
            kind = "" if value is None and may_be_none else foreign(value)
            if kind and self.refused is None:
                detail = f"{name} can only take tensors, but argument {position} is of type {kind}"
                self.refused = Refusal(detail, Created(interp.place(call.node), name))


def _nothing(interp: Interpreter, call: Call) -> Value:
    return None


def saved_tensors(context: Context, node: Node, *, by_harness: bool) -> Property:
    """`ctx.saved_tensors`: reading it checks the versions as the engine checks them.

    Who writes what was saved, and returns it as a gradient, does so because it is for one backward;
    `by_harness` says that no program runs this one.
    """

    def read(interp: Interpreter, where: ast.AST) -> Value:
        once = engine.Call([], interp.place(where), "saved_tensors")
        twice = replace(once, assumptions=frozenset({_TWICE})) if by_harness else once
        tensors = [kept for kept in context.kept if isinstance(kept, SavedTensor)]
        context.reads += 1
        if tensors:
            _refuse_again(interp, context, node, where)
            engine.check_freed(interp.engine, node, once)
        again = node.recomputed
        for saved in tensors:
            reader = twice if id(saved.tensor.storage) in context.given_back else once
            if again is None or id(saved.storage) in again:
                engine.check_version(interp.engine, node, saved, reader)
        handed = [kept.tensor if isinstance(kept, SavedTensor) else kept for kept in context.kept]
        return Items("tuple", handed, saving=context.saving or _saved_nothing(context.cls))

    return Property(read)


def _saved_nothing(cls: Class) -> Created | None:
    """The `forward` of a class in which nothing saves tensors."""
    forward = cls.find("forward")
    if not isinstance(forward, Function) or not _is_closed(cls, "to_save"):
        return None
    saves = any(
        isinstance(part, ast.Attribute) and part.attr == "save_for_backward"
        for own in cls.mro()
        for part in ast.walk(own.node)
    )
    return None if saves else Created(forward.source.place(forward.node), "forward")


def _refuse_again(interp: Interpreter, context: Context, node: Node, where: ast.AST) -> None:
    """Report a second reading in one backward of what is given away when it is read."""
    if context.reads < 2:
        return
    if context.cls.find(_CLEARING) is True and not interp.world.table.lacks(_OF_CLEARING):
        detail = "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True"
        refuse(interp, context.cls, interp.place(where), detail)
    elif node.recomputed is not None:
        interp.engine.report(
            Fault(
                FaultKind.GRAPH_FREED,
                interp.place(where),
                operator=node.operator,
                detail="under checkpoint what was saved can be read once in a backward",
                built=node.created,
                freed=Freed(interp.place(where), "saved_tensors"),
                needed=Needed(interp.place(where), "saved_tensors"),
            )
        )


def _is_closed(cls: Class, name: str) -> bool:
    """Whether a class is wholly known, hands its `ctx` to nobody, and never sets that name."""
    methods = [
        method
        for own in cls.mro()
        for method in own.node.body
        if isinstance(method, ast.FunctionDef)
    ]
    return is_known(cls) and not any(_may_set(method, name) for method in methods)


def _may_set(method: ast.FunctionDef, name: str) -> bool:
    """Whether a method sets an attribute of that name, or uses `ctx` otherwise than by its dot."""
    parts = list(ast.walk(method))
    dotted = [part for part in parts if isinstance(part, ast.Attribute)]
    stored = any(part.attr == name and not isinstance(part.ctx, ast.Load) for part in dotted)
    owners = {id(part.value) for part in dotted}
    names = [parameter.arg for parameter in method.args.args]
    if any(code_of(mark) == "classmethod" for mark in method.decorator_list):
        del names[:1]
    context = names[0] if names else ""
    named = (part for part in parts if isinstance(part, ast.Name) and part.id == context)
    return stored or any(id(part) not in owners for part in named)
