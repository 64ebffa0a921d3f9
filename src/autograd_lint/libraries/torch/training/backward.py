"""Calls of backward: `loss.backward()`, `torch.autograd.backward`, `torch.autograd.grad`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from autograd_lint.engine import backward as engine
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.graph import Node
from autograd_lint.engine.shapes import numel
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.libraries.torch.events import (
    BackwardCalled,
    BackwardEnded,
    GradientsAsked,
    GradientsOfUnknown,
)
from autograd_lint.libraries.torch.modules.opaque_parameters import is_any_parameter
from autograd_lint.libraries.torch.operators.refusing import refuse
from autograd_lint.libraries.torch.operators.unknown_tensors import as_tensor
from autograd_lint.libraries.torch.training.grad_outputs import judge_given
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.contents import elements, tensors_in
from autograd_lint.vm.deciding import decide
from autograd_lint.vm.events import GivenToUnknownCode
from autograd_lint.vm.frames import handed, path
from autograd_lint.vm.instances import elements_of
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import GRADLESS, Instance, Items, Unknown, Value

NONE_GIVEN = frozenset({Assumption(Kind.CALLED_WITH_NONE, weight=2)})


def tensors_of(interp: Interpreter, value: Value) -> list[Tensor] | None:
    """The tensors of an argument that takes one or several; None when not all are known."""
    if isinstance(value, Instance) and value.unknown is None:
        value = Items("tuple", elements_of(value))  # a `ParameterList`
    if isinstance(value, Items):
        if not value.closed:
            return None
        found = [as_tensor(interp, item) for item in value.items]
        return None if None in found else [tensor for tensor in found if tensor is not None]
    tensor = as_tensor(interp, value)
    return None if tensor is None else [tensor]


def _roots(interp: Interpreter, value: Value, given: Value) -> list[Tensor] | None:
    """The roots of a backward: what gets several gradients is not one tensor."""
    several = isinstance(given, Items) and len(given.items) != 1
    unknown = isinstance(value, Unknown) and value.tensor is None
    return None if several and unknown else tensors_of(interp, value)


def call_backward(interp: Interpreter, roots: list[Tensor], call: Call, gradient: Value) -> None:
    """Run backward from `roots`, given `gradient` for them, with the options of `call`."""
    if interp.engine.transform.transformed:
        detail = "backward() called inside a functorch transform: there is `torch.func.grad`"
        refuse(interp, call.node, "backward", detail)
    judge_given(interp, roots, gradient, call.node)
    inputs = call.keywords.get("inputs")
    _refuse_empty(interp, inputs, "backward", call)
    create = is_set(interp, call, "create_graph", False, usual=False)
    interp.emit(BackwardCalled(call.node, create))
    if isinstance(call.node, ast.Call):
        interp.engine.backward.reached.add(
            interp.place(call.node.func)
        )  # where a number has no `backward`
    before = len(interp.engine.faults)
    engine.backward(
        interp.engine,
        engine.Call(
            roots,
            interp.doing(call.node, roots),
            "backward",
            tensors_of(interp, inputs) if inputs is not None else None,
            gradient is not None,
            is_set(interp, call, "retain_graph", create),
            create,
            within=tuple(frame.mark for frame in interp.frames),
            path=path(interp.frames),
        ),
    )
    interp.emit(BackwardEnded(before))
    walk = interp.engine.backward.passes[-1] if interp.engine.backward.passes else None
    rootless = any(root.requires_grad is None for root in roots)
    astray = [node for node in walk.order if _leads_astray(node)] if walk is not None else []
    if rootless or astray:
        of_callers = all(node.given or node.of_caller for node in astray)
        interp.led_astray(beyond_callers=rootless or not of_callers)


def _leads_astray(node: Node) -> bool:
    """Whether nobody knows where a graph goes on: what is data has hardly one at all."""
    given = all(one.weight <= 1 for one in node.requires or ())
    return node.opaque and not node.closed and (bool(node.edges) or given)


def call_unknown_backward(interp: Interpreter, call: Call) -> None:
    """`framework.backward(loss)`, by a framework that is not known: it may do more than that."""
    loss = call.args[0]
    if isinstance(loss, Unknown) and (loss.tensor is not None or loss.source is not None):
        loss = as_tensor(interp, loss)
    interp.led_astray()
    if not isinstance(loss, Tensor) or numel(loss.shape) not in (None, 1):
        return  # the gradient of something that is not known
    if loss.requires_grad is not None:
        call_backward(interp, [loss], Call([], call.keywords, call.node), None)


def is_set(interp: Interpreter, call: Call, name: str, default: bool, usual: bool = True) -> bool:
    """A flag among the options; one that is not known is decided, and most often is as `usual`."""
    value = call.keywords.get(name)
    if value is None:
        return default
    if isinstance(value, Unknown):
        return decide(interp, value, call.node, usual=usual)
    return bool(value)


def autograd_backward(interp: Interpreter, call: Call) -> Value:
    """`torch.autograd.backward(tensors, grad_tensors, retain_graph, create_graph, ...)`."""
    names = ("tensors", "grad_tensors", "retain_graph", "create_graph")
    options = named(call, names)
    roots = _roots(interp, options.keywords.get("tensors"), options.keywords.get("grad_tensors"))
    if roots is None:
        interp.led_astray()
        return None
    call_backward(interp, roots, options, options.keywords.get("grad_tensors"))
    return None


def autograd_grad(interp: Interpreter, call: Call) -> Value:
    """`torch.autograd.grad(outputs, inputs, ...)`: a tuple of gradients."""
    names = ("outputs", "inputs", "grad_outputs", "retain_graph", "create_graph")
    options = named(call, names)
    keywords = options.keywords
    _refuse_empty(interp, keywords.get("inputs"), "grad", call)
    roots = _roots(interp, keywords.get("outputs"), keywords.get("grad_outputs"))
    asked, others = keywords.get("inputs"), False
    if isinstance(asked, Items) and is_any_parameter(asked.rest):
        asked, others = Items("list", asked.items), True
    inputs = tensors_of(interp, asked)
    if roots is None or not inputs:
        for tensor in tensors_in(keywords.get("inputs")):
            # Gradients are only asked for what requires grad.
            interp.engine.assumed.proven_by_backward.update(tensor.requires_grad or ())
        interp.emit(GivenToUnknownCode(call))
        interp.emit(GradientsOfUnknown(keywords.get("outputs")))
        return Unknown(interp.text(call.node), weight=2)
    interp.emit(GradientsAsked(inputs))
    given = keywords.get("grad_outputs")
    batched = keywords.get("is_grads_batched", False)
    judge_given(interp, roots, given, call.node, name="grad", batched=batched)
    create = is_set(interp, options, "create_graph", False, usual=False)
    interp.emit(BackwardCalled(call.node, create))
    allow = is_set(interp, options, "materialize_grads", False)
    gradients = engine.backward(
        interp.engine,
        engine.Call(
            roots,
            interp.place(call.node),
            "grad",
            inputs,
            given is not None,
            is_set(interp, options, "retain_graph", create),
            create,
            accumulate=False,
            allow_unused=is_set(interp, options, "allow_unused", allow),
            handed=handed(interp.frames, [*roots, *inputs]),
        ),
    )
    return Items("tuple", list(gradients), _like(gradients[0]) if others else None)


def _like(gradient: Tensor | None) -> Unknown:
    """The gradient of any other parameter of a module that is not known as a whole."""
    found = Unknown("a gradient")
    if gradient is None or gradient.node is None:
        found.attributes[GRADLESS] = True
        found.graph_breaks = gradient.graph_breaks if gradient is not None else ()
    else:
        found.source = gradient.node
    return found


def _refuse_empty(interp: Interpreter, inputs: Value, name: str, call: Call) -> None:
    if isinstance(inputs, Items) and inputs.closed and not inputs.items:
        # Whoever calls it may as well see to it that there are some.
        because = CERTAINLY if interp.called_by_nobody is None else NONE_GIVEN
        detail = f"`inputs` argument to `{name}()` cannot be empty"
        refuse(interp, call.node, name, detail, assumptions=because)


def gradcheck(interp: Interpreter, call: Call) -> Value:
    """`torch.autograd.gradcheck(func, inputs)`: calls the function and walks back from its result.

    At least one of the inputs must require grad.
    """
    _check_gradients(interp, call, create=False)
    return Unknown(interp.text(call.node), hint="bool")


def gradgradcheck(interp: Interpreter, call: Call) -> Value:
    """`torch.autograd.gradgradcheck(func, inputs)`: does the same for the gradients."""
    _check_gradients(interp, call, create=True)
    return Unknown(interp.text(call.node), hint="bool")


def _check_gradients(interp: Interpreter, call: Call, *, create: bool) -> None:
    given = call.get(1, "inputs")
    inputs = tensors_of(interp, given)
    if inputs and all(tensor.requires_grad is None for tensor in inputs):
        detail = "gradcheck expects at least one input tensor to require gradient"
        refuse(interp, call.node, "gradcheck", detail)
        return
    args = elements(given)
    result = call_value(interp, call.get(0, "func"), Call(args, {}, call.node))
    roots = _differentiable(tensors_of(interp, result))
    walked = [tensor for tensor in inputs or () if tensor.requires_grad is not None]
    gradients = _gradients(interp, roots, walked, call.node, create=create)
    if create:
        _gradients(interp, _differentiable(gradients), walked, call.node, create=False)


def _differentiable(tensors: Sequence[Tensor | None] | None) -> list[Tensor]:
    return [one for one in tensors or () if one is not None and one.requires_grad is not None]


def _gradients(
    interp: Interpreter,
    roots: list[Tensor],
    inputs: list[Tensor],
    node: ast.AST,
    *,
    create: bool,
) -> Sequence[Tensor | None]:
    """What `autograd.grad` gives for some inputs, all of which it can do without."""
    if not roots or not inputs:
        return ()
    return engine.backward(
        interp.engine,
        engine.Call(
            roots,
            interp.place(node),
            "grad",
            inputs,
            gradient_given=True,
            retain_graph=True,
            create_graph=create,
            accumulate=False,
            allow_unused=True,
        ),
    )


def named(call: Call, names: tuple[str, ...]) -> Call:
    """The call with its positional arguments given by keyword."""
    keywords = dict(zip(names, call.args, strict=False))
    return Call([], {**keywords, **call.keywords}, call.node, call.open)
