"""`grad_fn`: a node as the program sees it, and what it saved."""

from __future__ import annotations

import ast
from collections.abc import Callable

from autograd_lint.engine import backward
from autograd_lint.engine.events import READING
from autograd_lint.engine.graph import Node, SavedTensor
from autograd_lint.libraries.torch.operators.refusing import refuse
from autograd_lint.vm.calls import Call
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import External, Instance, Native, Property, Unknown, Value

# What a node calls the tensors it keeps (tools/autograd/derivatives.yaml).
RESULTS = ("result", "output")
ARGUMENTS = ("self", "other", "input", "weight", "exponent", "mat1", "mat2")


def node_value(node: Node) -> Instance:
    """A node as the program sees it; reading what it saved checks it."""

    def read(interp: Interpreter, where: ast.AST) -> Value:
        reader = backward.Call([], interp.place(where), READING)
        if node.saved:
            backward.check_freed(interp.engine, node, reader)
        for saved in node.saved:
            backward.check_version(interp.engine, node, saved, reader)
        return Unknown(interp.text(where))

    names = (*RESULTS, *ARGUMENTS)
    attributes: dict[str, Value] = {f"_saved_{name}": Property(read) for name in names}
    attributes.update((f"_raw_saved_{name}", Property(_raw(node, name))) for name in names)
    return Instance(External("torch.autograd.graph.Node"), attributes)


def _raw(node: Node, name: str) -> Callable[[Interpreter, ast.AST], Value]:
    """A saved tensor itself, which takes hooks."""
    slot = "result" if name in RESULTS else "input"
    kept = [saved for saved in node.saved if saved.slot == slot]

    def read(interp: Interpreter, where: ast.AST) -> Value:
        def register(interp: Interpreter, call: Call) -> Value:
            _register(interp, node, kept, call)
            return None

        hooks = {"register_hooks": Native("register_hooks", register)}
        return Instance(External("torch._C._autograd.SavedTensor"), dict(hooks))

    return read


def _register(interp: Interpreter, node: Node, kept: list[SavedTensor], call: Call) -> None:
    """Put hooks on a saved tensor, where it takes them.

    Source: `SavedVariable::register_hooks` in torch/csrc/autograd/saved_variable.cpp.
    """
    detail = ""
    if node.freed is not None:
        detail = "calling register_hooks on a saved tensor after it has been freed"
    elif not kept:
        detail = "calling register_hooks on a saved tensor with value None is forbidden"
    elif len(kept) == 1 and kept[0].hooked:
        detail = "calling register_hooks on a saved tensor whose hooks have already been set"
    if detail:
        refuse(interp, call.node, "register_hooks", detail)
    for saved in kept[: len(kept) == 1]:
        saved.hooked = saved.unchecked = True
