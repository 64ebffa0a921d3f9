"""Modules of `torch.nn`: layers by the operator table, containers, and what `nn.Module` offers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

from autograd_lint.engine.inplace import write
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.interpreter.machine import Interpreter
from autograd_lint.interpreter.python.calls import Call, call_value
from autograd_lint.interpreter.python.instances import (
    children,
    external_class,
    is_module,
    is_module_class,
)
from autograd_lint.interpreter.python.iteration import LONGEST, MANY, iterate
from autograd_lint.interpreter.pytorch import rearranging
from autograd_lint.interpreter.pytorch.distributions import distribution_attribute, is_distribution
from autograd_lint.interpreter.pytorch.hidden import hidden_parameter, is_made, module_of
from autograd_lint.interpreter.pytorch.hooks import register_hook
from autograd_lint.interpreter.pytorch.layers import layer_name, make_layer, run_layer
from autograd_lint.interpreter.pytorch.lightning_modules import lightning_attribute
from autograd_lint.interpreter.pytorch.optimizers import initialize_optimizer, is_optimizer
from autograd_lint.interpreter.pytorch.refusing import refuse
from autograd_lint.interpreter.pytorch.registered import MEMBERS, REGISTERING, add_child, members
from autograd_lint.interpreter.values import (
    DATA,
    Bound,
    Class,
    External,
    Function,
    Instance,
    Items,
    Mapping,
    Unknown,
    Value,
)
from autograd_lint.interpreter.watching import (
    aliases,
    flags,
    functions,
    leaves,
    restoring,
    steps,
    targets,
)

MIXED = {"backward", "full_backward"}  # kinds of hooks of which a module takes only one
# By what the wrappers of a module, which are taken for the module itself, lead to it.
WRAPPED = {"module", "_orig_mod"}
CONTAINERS = {"Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict"}


def container_name(instance: Instance) -> str | None:
    """`Sequential`, `ModuleList`, ... for an object that is one."""
    for path in external_class(instance):
        last = path.rpartition(".")[2]
        if path.startswith("torch.nn.") and last in CONTAINERS:
            return last
    return None


def make_external(interp: Interpreter, path: str, call: Call) -> Value:
    """`nn.Linear(...)`, `nn.Sequential(...)`, `optim.SGD(...)`."""
    instance = Instance(External(path), made_at=call.node)
    initialize_external(interp, instance, call)
    return instance


def initialize_external(interp: Interpreter, instance: Instance, call: Call) -> None:
    """What the `__init__` of an outside base does to the object."""
    if is_optimizer(instance):
        initialize_optimizer(interp, instance, call)
        return
    instance.attributes.setdefault("training", True)
    container = container_name(instance)
    name = layer_name(instance, interp)
    if container is not None:
        _fill(interp, instance, call)
    elif name is not None:
        make_layer(instance, interp.world.table.operator(name), call, interp.engine.inference)


def _fill(interp: Interpreter, instance: Instance, call: Call) -> None:
    given: list[Value] = list(call.args)
    if len(given) == 1 and not is_module(given[0]) and not isinstance(given[0], Tensor):
        if isinstance(given[0], Mapping):
            entries = {str(key): value for key, value in given[0].entries.items()}
            instance.attributes.update(entries)
            if given[0].rest is not None:
                instance.unknown = Unknown("a module", "module")
            return
        iteration = iterate(interp, given[0], call.node)
        given = list(iteration.few(LONGEST if iteration.complete else MANY))
        if not iteration.complete:
            instance.unknown = Unknown("a module", "module")
    for value in given:
        if isinstance(value, Tensor):
            value.parameter = True
        if isinstance(value, Items) and len(value.items) == 2 and isinstance(value.items[0], str):
            instance.attributes[value.items[0]] = value.items[1]
        else:
            add_child(instance, value)


def forward_external(interp: Interpreter, instance: Instance, call: Call) -> Value:
    """Call an object whose `forward` is an outside one."""
    if container_name(instance) == "Sequential":
        return _chain(interp, instance, call)
    name = layer_name(instance, interp)
    if name is not None:
        return run_layer(interp, instance, interp.world.table.operator(name), call)
    if external_class(instance) == ["torch.nn.Identity"]:
        return call.get(0, "input")
    if isinstance(instance.cls, External) and instance.cls.path.startswith(rearranging.LAYERS):
        return rearranging.run_layer(interp, instance, call)
    return Unknown(interp.text(call.node))


def _chain(interp: Interpreter, instance: Instance, call: Call) -> Value:
    given = value = call.get(0, "input")
    before = len(given.storage.writes) if isinstance(given, Tensor) else 0
    for child in list(instance.attributes.values()):
        if is_module(child) or isinstance(child, (Unknown, Function)):
            value = call_value(interp, child, Call([value], {}, call.node))
    if isinstance(given, Tensor) and len(given.storage.writes) > before:
        aliases.overwritten(interp, given, given.storage.writes[before].event, value)
    return value


def parameters(value: Value, seen: set[int] | None = None) -> Iterator[tuple[str, Tensor]]:
    """The parameters of a module with their dotted names, each once."""
    seen = set() if seen is None else seen
    if not isinstance(value, Instance):
        return
    for name, own in list(value.attributes.items()):
        if isinstance(own, Tensor) and own.parameter and id(own) not in seen:
            seen.add(id(own))
            yield name, own
        elif isinstance(own, Unknown):
            hidden = module_of(own)
            if hidden is not None and id(hidden) not in seen:
                seen.add(id(hidden))
                yield name, hidden_parameter(hidden)
        elif is_module(own) and id(own) not in seen:
            seen.add(id(own))
            for inner, parameter in parameters(own, seen):
                yield f"{name}.{inner}", parameter


def modules(value: Instance) -> Iterator[Instance]:
    """The module and all modules below it, each once."""
    seen: set[int] = set()
    stack = [value]
    while stack:
        module = stack.pop()
        if id(module) not in seen:
            seen.add(id(module))
            yield module
            stack += [child for child in reversed(children(module)) if isinstance(child, Instance)]


def complete(value: Instance) -> bool:
    """Whether every submodule is known."""
    return all(
        not any(isinstance(own, Unknown) or _may_be_module(own) for own in attributes.values())
        and module.unknown is None
        for module in modules(value)
        if (attributes := module.attributes)
    )


def _may_be_module(value: Value) -> bool:
    """Whether an object has a base outside of the program which may be one of modules."""
    if not isinstance(value, Instance) or is_module(value) or not isinstance(value.cls, Class):
        return False
    tops = {path.partition(".")[0] for path in value.cls.external_bases()}
    return not tops <= {"builtins", *sys.stdlib_module_names}


def external_attribute(interp: Interpreter, instance: Instance, name: str) -> Value | None:
    """An attribute that an outside base gives an object; None when it gives none."""
    from autograd_lint.interpreter.pytorch.optimizers import optimizer_attribute

    if is_optimizer(instance):
        return optimizer_attribute(instance, name)
    if is_distribution(instance):
        return distribution_attribute(instance, name)
    if name in instance.options:
        return instance.options[name]
    lightning = lightning_attribute(instance, name)
    if lightning is not None:
        return lightning
    if name in WRAPPED and is_module(instance):
        return instance
    if name in MEMBERS and is_module(instance):
        return members(instance, name)
    if name in METHODS or (name == "forward" and not isinstance(instance.cls, Class)):
        outside = isinstance(instance.cls, External) or is_module_class(instance.cls)
        return Bound(instance, name) if outside else None
    layer = layer_name(instance, interp)
    if layer is not None and name in interp.world.table.operator(layer).parameters:
        return instance.attributes.get(name)
    return None


def module_method(interp: Interpreter, instance: Instance, name: str, call: Call) -> Value:
    """`module.name(...)` for what `nn.Module` and its containers define."""
    run = METHODS.get(name)
    if run is not None:
        return run(interp, instance, call)
    # What else an outside class gives has parameters behind it only where it is a module.
    return Unknown(interp.text(call.node), weight=1 if is_module(instance) else DATA)


def _initialize(interp: Interpreter, instance: Instance, call: Call) -> Value:
    initialize_external(interp, instance, call)
    return None


def _forward(interp: Interpreter, instance: Instance, call: Call) -> Value:
    functions.forward_called(interp, instance, call.node)
    return forward_external(interp, instance, call)


def _parameters(interp: Interpreter, instance: Instance, call: Call) -> Value:
    found = [tensor for _, tensor in parameters(instance)] or _hidden_parameters(instance)
    rest = None if complete(instance) else Unknown("a parameter", hint="module")
    return Items("list", list(found), rest, once=True)


def _hidden_parameters(instance: Instance) -> list[Tensor]:
    """The parameters of what a module is made of, where they are asked for and it has no others."""
    parts = [part for module in modules(instance) for part in module.attributes.values()]
    return [hidden_parameter(part) for part in parts if isinstance(part, Unknown) and is_made(part)]


def _named_parameters(interp: Interpreter, instance: Instance, call: Call) -> Value:
    pairs = [Items("tuple", [name, tensor]) for name, tensor in parameters(instance)]
    rest = None
    if not complete(instance):
        rest = Items("tuple", [Unknown("a name", "string"), Unknown("a parameter", "module")])
    return Items("list", list(pairs), rest)


def _children(interp: Interpreter, instance: Instance, call: Call) -> Value:
    rest = None if complete(instance) else Unknown("a module", "module")
    return Items("list", children(instance), rest)


def _modules(interp: Interpreter, instance: Instance, call: Call) -> Value:
    rest = None if complete(instance) else Unknown("a module", "module")
    return Items("list", list(modules(instance)), rest)


def _named_children(interp: Interpreter, instance: Instance, call: Call) -> Value:
    pairs = [
        Items("tuple", [name, child])
        for name, child in instance.attributes.items()
        if is_module(child)
    ]
    return Items("list", list(pairs), None)


def _entries(interp: Interpreter, instance: Instance, call: Call) -> Value:
    return _named_children(interp, instance, call)


def _train(interp: Interpreter, instance: Instance, call: Call) -> Value:
    for module in modules(instance):
        module.attributes["training"] = call.get(0, "mode", True)
    return instance


def _eval(interp: Interpreter, instance: Instance, call: Call) -> Value:
    interp.watch.set_at[id(instance), "training"] = interp.place(call.node)
    for module in modules(instance):
        module.attributes["training"] = False
    return instance


def _itself(interp: Interpreter, instance: Instance, call: Call) -> Value:
    return instance


def _requires_grad_(interp: Interpreter, instance: Instance, call: Call) -> Value:
    wanted = call.get(0, "requires_grad", True)
    for _, tensor in parameters(instance):
        if tensor.is_leaf:
            if isinstance(wanted, bool):
                flags.flagged(interp, tensor, wanted, interp.place(call.node))
            tensor.requires = CERTAINLY if wanted else None
    return instance


def _zero_grad(interp: Interpreter, instance: Instance, call: Call) -> Value:
    zero_gradients(interp, [tensor for _, tensor in parameters(instance)], call)
    return None


def zero_gradients(interp: Interpreter, tensors: list[Tensor], call: Call) -> None:
    """Drop gradients, or zero them in place with `set_to_none=False`."""
    keep = call.get(0, "set_to_none", True) is False
    steps.zeroed(interp, tensors, interp.place(call.node))
    for tensor in tensors:
        if keep and tensor.grad is not None:
            write(tensor.grad, "zero_grad", interp.place(call.node))
            tensor.grad.node, tensor.grad.requires = None, None
        else:
            tensor.grad = None


def _append(interp: Interpreter, instance: Instance, call: Call) -> Value:
    leaves.child_set(interp, instance, None, call.get(0, "module"), interp.place(call.node))
    add_child(instance, call.get(0, "module"))
    return instance


def _extend(interp: Interpreter, instance: Instance, call: Call) -> Value:
    iteration = iterate(interp, call.get(0, "modules"), call.node)
    for value in iteration.few(LONGEST if iteration.complete else MANY):
        add_child(instance, value)
    if not iteration.complete:
        instance.unknown = Unknown("a module", "module")
    return instance


def _apply(interp: Interpreter, instance: Instance, call: Call) -> Value:
    function = call.get(0, "fn")
    for module in list(modules(instance)):
        call_value(interp, function, Call([module], {}, call.node))
    return instance


def _load(interp: Interpreter, instance: Instance, call: Call) -> Value:
    given = call.get(0, "state_dict")
    entries = given.entries if isinstance(given, Mapping) else {}
    for name, tensor in parameters(instance):
        source = entries.get(name)
        if isinstance(source, Tensor):
            targets.copied(interp, tensor, source)
            restoring.restored(interp, tensor, source, call.node)
        write(tensor, "load_state_dict", interp.place(call.node))
    return Unknown(interp.text(call.node))


def _state(interp: Interpreter, instance: Instance, call: Call) -> Value:
    """Detached tensors on the memory of the parameters."""
    entries: dict[object, Value] = {
        name: restoring.state_of(interp, tensor, call.node) for name, tensor in parameters(instance)
    }
    return Mapping(entries, Unknown("a tensor of the state", weight=2))


def _hook(kind: str) -> Callable[[Interpreter, Instance, Call], Value]:
    def register(interp: Interpreter, instance: Instance, call: Call) -> Value:
        if kind in MIXED and any(instance.hooks.get(other) for other in MIXED - {kind}):
            detail = "Cannot use both regular backward hooks and full backward hooks"
            refuse(interp, call.node, interp.text(call.node), detail)
        return register_hook(instance, kind, call.get(0, "hook"))

    return register


def _unknown(interp: Interpreter, instance: Instance, call: Call) -> Value:
    return Unknown(interp.text(call.node))


METHODS: dict[str, Callable[[Interpreter, Instance, Call], Value]] = {
    **REGISTERING,
    "register_forward_hook": _hook("forward"),
    "register_forward_pre_hook": _hook("forward_pre"),
    "register_backward_hook": _hook("backward"),
    "register_full_backward_hook": _hook("full_backward"),
    "register_full_backward_pre_hook": _hook("full_backward_pre"),
    "__init__": _initialize,
    "forward": _forward,
    "__call__": _forward,
    "parameters": _parameters,
    "named_parameters": _named_parameters,
    "children": _children,
    "named_children": _named_children,
    "modules": _modules,
    "named_modules": _unknown,
    "values": _children,
    "items": _entries,
    "train": _train,
    "eval": _eval,
    "requires_grad_": _requires_grad_,
    "zero_grad": _zero_grad,
    "append": _append,
    "extend": _extend,
    "apply": _apply,
    "load_state_dict": _load,
    "state_dict": _state,
    **dict.fromkeys(
        ("to", "cuda", "cpu", "float", "double", "half", "bfloat16", "type", "share_memory"),
        _itself,
    ),
}
