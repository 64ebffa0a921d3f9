"""Optimizers: they write, outside of the graph, the parameters they were given."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import TypeGuard

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created, Modified, Noted
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.inplace import write
from autograd_lint.engine.recovery import made_leaf
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.engine.views import edge
from autograd_lint.libraries.torch.events import (
    ClosureRun,
    OptimizerMade,
    ParameterMoved,
    StepBegun,
    StepEnded,
    ZeroGradCalled,
)
from autograd_lint.libraries.torch.modules.opaque_parameters import OWN
from autograd_lint.libraries.torch.operators.refusing import refuse
from autograd_lint.libraries.torch.training.clearing import zero_gradients
from autograd_lint.libraries.torch.training.optimizer_arguments import (
    lists_of,
    names_all,
    not_parameters,
)
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.iteration import begin_iteration
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.uncalled import result_of
from autograd_lint.vm.values import (
    Bound,
    Class,
    External,
    Function,
    Instance,
    Items,
    Mapping,
    Method,
    Unknown,
    Value,
)

CLOSURE_CALLS = {"LBFGS": 2}
NEEDS_CLOSURE = {"LBFGS"}
# Those that divide by a mean of earlier gradients, or of their squares.
ADAPTIVE = {"Adam", "AdamW", "NAdam", "RAdam", "Adamax", "RMSprop", "Adadelta", "Adagrad"}
_OF_CALLER = "a parameter that the caller has given to an optimizer"
_UNSEEN = "a parameter of an optimizer that was made by code which is not seen"
BUMPS = {"AdamW": 2, "NAdam": 2}  # how often a step raises a parameter's version


@lru_cache(1_000)
def optimizer_class(path: str) -> bool:
    """Whether a dotted name is an optimizer class."""
    head, _, name = path.rpartition(".")
    if not name[:1].isupper() or "lr_scheduler" in path or "swa_utils" in path:
        return False
    return head == "torch.optim" or head.startswith("torch.optim.")


def is_optimizer(value: Value) -> TypeGuard[Instance]:
    """Whether a value is an optimizer of `torch.optim`, or of a class derived from one."""
    return class_name(value) is not None


def class_name(value: Value) -> str | None:
    """The name of an optimizer's class; None of what is not an optimizer."""
    if not isinstance(value, Instance):
        return None
    paths = [value.cls.path] if isinstance(value.cls, External) else value.cls.external_bases()
    for path in paths:
        if optimizer_class(path):
            own = value.cls.name if isinstance(value.cls, Class) else None
            return own or path.rpartition(".")[2]
    return None


def given_optimizer(
    interp: Interpreter, name: str, parameters: list[Tensor], node: ast.AST
) -> Instance:
    """An optimizer that the code is given, together with what it must be there to update."""
    because = Assumption(Kind.UPDATES_TRAINED, name, weight=0)
    for tensor in parameters:
        tensor.requires = frozenset({because})
    rest = Unknown("a parameter", attributes={_OF_CALLER: True})
    return _not_seen(interp, name, Items("list", [*parameters], rest), node)


def unseen_optimizer(
    interp: Interpreter, name: str, parameters: list[Tensor], node: ast.AST
) -> Instance:
    """An optimizer that code has made which is not seen, and was given what it must be there to
    update; it may have other parameters as well."""
    rest = Unknown(name, attributes={_UNSEEN: True})
    return _not_seen(interp, name, Items("list", [*parameters], rest), node)


def _not_seen(interp: Interpreter, name: str, parameters: Items, node: ast.AST) -> Instance:
    """An optimizer whose making is not seen, with one group of parameters."""
    instance = Instance(External("torch.optim.Optimizer"), made_at=node)
    group = _group(Mapping({"params": parameters}))
    instance.attributes["param_groups"] = Items("list", [group])
    interp.emit(OptimizerMade(instance, interp.place(node), name))
    return instance


def initialize_optimizer(interp: Interpreter, instance: Instance, call: Call) -> None:
    """Take the parameters; report those that are no leaves."""
    instance.options = dict(call.keywords)
    missing = Unknown(interp.text(call.node)) if call.open or call.more else None
    given = result_of(interp, call.get(0, "params", missing))
    detail = not_parameters(given, call.node)
    if detail and not _is_of_subclass(interp, given, call.node):
        refuse(interp, call.node, interp.text(call.node), detail)
    for parameters in lists_of(given):
        begin_iteration(interp, parameters, call.node)
    groups = _groups(given)
    instance.attributes["param_groups"] = groups
    instance.attributes["defaults"] = Mapping({}, Unknown("an option", "number"))
    name = class_name(instance) or "optimizer"
    interp.emit(OptimizerMade(instance, interp.place(call.node), name))
    if name in NEEDS_CLOSURE and len(groups.items) > 1:
        detail = "LBFGS doesn't support per-parameter options (parameter groups)"
        refuse(interp, call.node, name, detail)
    for tensor in optimized(instance):
        _check_leaf(interp, tensor, call)
        if tensor.node is None and tensor.requires:
            tensor.requires = frozenset(map(_as_optimized, tensor.requires))


def _as_optimized(why: Assumption) -> Assumption:
    """What is assumed of a parameter once an optimizer has it: who has something optimized has it
    require grad, and a module of an unknown class that has no parameters is refused there."""
    made = why.kind is Kind.HAS_REQUIRING_PARAMETERS and not why.given
    return replace(why, weight=0, kind=Kind.OPTIMIZED_REQUIRES_GRAD if made else why.kind)


def _is_of_subclass(interp: Interpreter, given: Value, node: ast.AST) -> bool:
    """Whether a method of an object that only a harness has made asks for the parameters of that
    object, which has none: those of a subclass may have some."""
    asked = node.args[0] if isinstance(node, ast.Call) and node.args else None
    own = asked is not None and interp.text(asked) == "self.parameters()"
    return own and interp.harness_call is not None and isinstance(given, Items) and not given.items


def _groups(params: Value) -> Items:
    if isinstance(params, Items):
        if any(isinstance(item, Mapping) for item in params.items):
            return Items("list", [_group(item) for item in params.items], params.rest)
        return Items("list", [_group(Mapping({"params": params}))])
    return Items("list", [_group(Mapping({"params": Items("list", [], rest=params)}))])


def _group(value: Value) -> Value:
    if not isinstance(value, Mapping):
        return value
    params = value.entries.get("params")
    if isinstance(params, Tensor):
        params = Items("list", [params])
    if isinstance(params, Items):
        rest = params.rest or (Unknown("a parameter") if params.partial else None)
        params = Items("list", [_leaf(item) for item in params.items], rest)
    return Mapping({**value.entries, "params": params}, Unknown("an option", "number"))


def _leaf(value: Value) -> Value:
    """What is put into a list for an optimizer is a leaf, whatever else is known of it."""
    if not isinstance(value, Unknown) or value.hint or value.source is not None:
        return value
    if value.tensor is None:
        leaf = Assumption(Kind.LEAF_THAT_REQUIRES_GRAD, value.origin, weight=0)
        because = frozenset({leaf})
        value.tensor = Tensor(requires=because, dtype=None, name=value.origin)
    return value.tensor


def groups_of(instance: Instance) -> list[Value]:
    """The groups of parameters that an optimizer is known to have."""
    groups = instance.attributes.get("param_groups")
    return groups.items if isinstance(groups, Items) else []


def optimized(instance: Instance) -> list[Tensor]:
    """The tensors an optimizer is known to update."""
    return [tensor for group in groups_of(instance) for tensor in optimized_in(group)]


def optimized_in(group: Value) -> list[Tensor]:
    """The tensors of one group of parameters."""
    params = group.entries.get("params") if isinstance(group, Mapping) else None
    items = params.items if isinstance(params, Items) else ()
    return [item for item in items if isinstance(item, Tensor)]


def open_ended(instance: Instance, since: int = 0, *, made_here: bool = False) -> bool:
    """Whether an optimizer may update tensors that are not known, in its groups from `since` on;
    with `made_here` only tensors count that the code has made to which the optimizer was given.

    One tensor stands for all parameters of a module of an unknown class."""
    groups = instance.attributes.get("param_groups")
    if not isinstance(groups, Items) or not groups.closed:
        return True
    later = [group for group in groups.items[since:] if isinstance(group, Mapping)]
    params = [group.entries.get("params") for group in later]
    without = {OWN, _OF_CALLER} if made_here else {OWN}
    return not all(isinstance(given, Items) and _is_closed(given, without) for given in params)


def _is_closed(params: Items, without: set[str]) -> bool:
    """Whether a group has no parameters but those that are known, or that one stands for, or that
    are `without` those in question."""
    rest = params.rest
    return params.closed or (
        isinstance(rest, Unknown) and not without.isdisjoint(rest.attributes.keys())
    )


def _check_leaf(interp: Interpreter, tensor: Tensor, call: Call) -> None:
    if tensor.is_view:
        edge(interp.engine, tensor, interp.place(call.node))  # asking for it may be refused
    leaf = {one for one in tensor.requires or () if one.kind is Kind.IS_LEAF}
    interp.engine.assumed.proofs.update(leaf)  # it is none that an optimizer refuses
    if tensor.is_leaf or tensor.retains_grad or (tensor.node is not None and tensor.node.opaque):
        return
    because = interp.engine.report(
        Fault(
            FaultKind.NON_LEAF_OPTIMIZER,
            interp.place(call.node),
            tensor=tensor.name,
            operator=tensor.node.operator if tensor.node else "",
            built=tensor.node.created if tensor.node else None,
            noted=tuple(_leaf_behind(tensor)),
            assumptions=tensor.requires_grad or CERTAINLY,
        )
    )
    if not because:
        made_leaf(tensor)


def _leaf_behind(tensor: Tensor) -> Iterator[Noted]:
    """Where the one leaf was made that a tensor was computed from."""
    node = tensor.node
    while node is not None and len(node.edges) == 1:
        node = node.edges[0]
    leaf = node.leaf if node is not None else None
    if leaf is not None and leaf.made is not None:
        yield Noted(leaf.made.place, "the leaf is made here")


def optimizer_attribute(instance: Instance, name: str) -> Value | None:
    """An attribute that `Optimizer` gives."""
    return Bound(instance, name) if name in METHODS else None


def optimizer_method(interp: Interpreter, instance: Instance, name: str, call: Call) -> Value:
    """`optimizer.name(...)`."""
    run = METHODS.get(name)
    return run(interp, instance, call) if run else Unknown(interp.text(call.node))


def _initialize(interp: Interpreter, instance: Instance, call: Call) -> Value:
    initialize_optimizer(interp, instance, call)
    return None


def _step(interp: Interpreter, instance: Instance, call: Call) -> Value:
    name = class_name(instance) or "optimizer"
    closure = call.get(0, "closure")
    value: Value = None
    if name in NEEDS_CLOSURE and closure is None and not call.open:
        detail = "LBFGS.step() missing 1 required positional argument: 'closure'"
        refuse(interp, call.node, name, detail)
    if closure is not None:
        for _ in range(CLOSURE_CALLS.get(name, 1)):
            with interp.engine.mode(grad=True):
                value = call_value(interp, closure, Call([], {}, call.node))
            own = closure.function if isinstance(closure, Method) else closure
            if isinstance(own, Function):
                interp.emit(ClosureRun(own, interp.doing(call.node, [instance])))
            if name in NEEDS_CLOSURE and value is None:
                _refuse_nothing(interp, closure, call)
            update(interp, instance, call, name)
        return value
    update(interp, instance, call, name)
    return value


def _refuse_nothing(interp: Interpreter, closure: Value, call: Call) -> None:
    """Report a closure that returns no loss to an optimizer that reads it."""
    built = None
    if isinstance(closure, Function):
        built = Created(closure.source.place(closure.node), closure.name)
    detail = "its closure returns None, where the loss is wanted"
    refuse(interp, call.node, "LBFGS.step", detail, built=built)


def update(interp: Interpreter, instance: Instance, call: Call, name: str) -> None:
    """Write every parameter that has a gradient."""
    fused = instance.options.get("fused") is True
    place = interp.doing(call.node, [instance])
    tensors = optimized(instance)
    interp.emit(StepBegun(instance, tensors, place, name))
    assumed, because = interp.engine.assumed, _meant_to_update(instance)
    for tensor in tensors:
        if tensor.grad is not None:
            assumed.stepped_with |= _doubts(assumed.reaching.get(tensor, CERTAINLY))
            _refuse_inference(interp, tensor, name, call)
            event = write(
                tensor,
                name,
                place,
                bumps=0 if fused else BUMPS.get(name, 1),
                by_optimizer=True,
                assumptions=interp.engine.assumed.scenario | because,
            )
            interp.emit(ParameterMoved(tensor, event))
    interp.emit(StepEnded(instance, tensors, place, name))


def _meant_to_update(instance: Instance) -> frozenset[Assumption]:
    """What must hold for the steps of an optimizer, which code has made that is not seen, to write
    the parameters which that was given."""
    groups = (one.entries.get("params") for one in groups_of(instance) if isinstance(one, Mapping))
    rests = (params.rest for params in groups if isinstance(params, Items))
    return frozenset(
        Assumption(Kind.UPDATES_TRAINED, rest.origin, weight=0)
        for rest in rests
        if isinstance(rest, Unknown) and _UNSEEN in rest.attributes
    )


def _doubts(reaching: frozenset[Assumption]) -> set[Assumption]:
    """What was doubted of the way that gradients have come to a parameter: unknown code on it."""
    return {one for one in reaching if one.kind is Kind.GRADIENTS_PASS}


def _refuse_inference(interp: Interpreter, tensor: Tensor, name: str, call: Call) -> None:
    """Report a step that writes what was made under inference mode, outside of it."""
    if tensor.inference and not interp.engine.inference:
        place = interp.place(call.node)
        modified = Modified(place, name, tensor.name, tensor.storage.version)
        interp.engine.report(
            Fault(
                FaultKind.INFERENCE_TENSOR,
                place,
                tensor=tensor.name,
                operator=name,
                modified=modified,
                built=tensor.made,
            )
        )


def _zero_grad(interp: Interpreter, instance: Instance, call: Call) -> Value:
    place = interp.doing(call.node, [instance])
    interp.emit(ZeroGradCalled(instance, optimized(instance), place))
    zero_gradients(interp, optimized(instance), call)
    return None


def _add_group(interp: Interpreter, instance: Instance, call: Call) -> Value:
    groups = instance.attributes.get("param_groups")
    added = _group(call.get(0, "param_group"))
    if isinstance(groups, Items):
        _judge_added(interp, instance, optimized_in(added), call)
        groups.items.append(added)
    return None


def _judge_added(interp: Interpreter, instance: Instance, added: list[Tensor], call: Call) -> None:
    """Report parameters that an optimizer has already, and what is no leaf."""
    before = {id(tensor) for tensor in optimized(instance)}
    if names_all(instance.made_at) and any(id(tensor) in before for tensor in added):
        detail = "some parameters appear in more than one parameter group"
        refuse(interp, call.node, "add_param_group", detail)
    for tensor in added:
        _check_leaf(interp, tensor, call)


METHODS: dict[str, Callable[[Interpreter, Instance, Call], Value]] = {
    "__init__": _initialize,
    "step": _step,
    "zero_grad": _zero_grad,
    "add_param_group": _add_group,
}
