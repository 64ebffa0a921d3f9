"""What `nn.Module` and its containers offer a program: their attributes and methods."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.libraries.torch.distributions import distribution_attribute, is_distribution
from autograd_lint.libraries.torch.events import (
    AttributeRegistered,
    HookRegistered,
    StateLoaded,
    TensorCopied,
)
from autograd_lint.libraries.torch.modules.container_methods import CONTAINER_METHODS
from autograd_lint.libraries.torch.modules.hooks import register_hook
from autograd_lint.libraries.torch.modules.layer_sizes import kept
from autograd_lint.libraries.torch.modules.layers import layer_name
from autograd_lint.libraries.torch.modules.members import MEMBERS, REGISTERING, members
from autograd_lint.libraries.torch.modules.modules import (
    complete,
    container_name,
    forward_external,
    has_more,
    initialize_external,
    modules,
    named_modules,
    parameters,
)
from autograd_lint.libraries.torch.modules.opaque_modules import is_closed
from autograd_lint.libraries.torch.modules.opaque_parameters import (
    is_made,
    opaque_parameter,
    other_parameter,
)
from autograd_lint.libraries.torch.modules.paths import METHODS as LOOKING_UP
from autograd_lint.libraries.torch.modules.states import load, loads_all, states_of
from autograd_lint.libraries.torch.operators.refusing import refuse
from autograd_lint.libraries.torch.tensors.flags import ask
from autograd_lint.libraries.torch.training.clearing import zero_gradients
from autograd_lint.libraries.torch.training.optimizers import is_optimizer, optimizer_attribute
from autograd_lint.project.code import code_of
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.control import ProgramRaises
from autograd_lint.vm.events import ForwardCalled
from autograd_lint.vm.instances import (
    call_instance,
    children,
    computed_key,
    forward,
    has_method,
    is_module,
    is_module_class,
    named_parts,
)
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.unseen_code import call_unseen
from autograd_lint.vm.values import (
    DATA,
    Bound,
    Class,
    Definition,
    External,
    Instance,
    Items,
    Mapping,
    Unknown,
    Value,
)

MIXED = {"backward", "full_backward"}  # kinds of hooks of which a module takes only one
# By what the wrappers of a module, which are taken for the module itself, lead to it.
WRAPPED = {"module", "_orig_mod"}
MISSING = "AttributeError"


def external_attribute(interp: Interpreter, instance: Instance, name: str) -> Value | None:
    """An attribute that an outside base gives an object; None when it gives none."""
    if is_optimizer(instance):
        return optimizer_attribute(instance, name)
    if is_distribution(instance):
        return distribution_attribute(instance, name)
    if name in instance.options:
        return kept(layer_name(instance, interp) or "", name, instance.options[name])
    if name in WRAPPED and is_module(instance):
        return instance
    if name in MEMBERS and is_module(instance):
        return members(instance, name)
    if name in CONTAINER_METHODS:
        return Bound(instance, name) if container_name(instance) is not None else None
    if name in METHODS or (name == "forward" and not isinstance(instance.cls, Class)):
        outside = isinstance(instance.cls, External) or is_module_class(instance.cls)
        return Bound(instance, name) if outside else None
    layer = layer_name(instance, interp)
    if layer is not None and name in interp.world.table.operator(layer).parameters:
        return instance.attributes.get(name)
    return None


def every_module_has(name: str) -> bool:
    """Whether every module has that attribute."""
    return name in METHODS or name.startswith("__")


def module_method(interp: Interpreter, instance: Instance, name: str, call: Call) -> Value:
    """`module.name(...)` for what `nn.Module` and its containers define."""
    run = METHODS.get(name)
    if run is not None:
        return run(interp, instance, call)
    call_unseen(interp, call, receiver=instance)
    # What else an outside class gives has parameters behind it only where it is a module.
    return Unknown(interp.text(call.node), weight=1 if is_module(instance) else DATA)


def _attribute(interp: Interpreter, instance: Instance, call: Call) -> Value:
    """`super().__getattr__(name)`: who catches its error knows where else to look."""
    name = call.get(0, "name")
    if isinstance(name, Unknown):
        name = computed_key(instance, name)
    found = instance.attributes.get(name) if isinstance(name, str) else None
    if found is None and isinstance(name, str):
        found = external_attribute(interp, instance, name)
    function = interp.frame.function
    if found is None and function is not None and function.query(_looks_elsewhere):
        raise ProgramRaises(MISSING)
    return Unknown(interp.text(call.node)) if found is None else found


@query
def _looks_elsewhere(_: Source, node: Definition) -> bool:
    handlers = [part for part in ast.walk(node) if isinstance(part, ast.ExceptHandler)]
    return any(one.type is not None and code_of(one.type) == MISSING for one in handlers)


def _initialize(interp: Interpreter, instance: Instance, call: Call) -> Value:
    initialize_external(interp, instance, call)
    return None


def _forward(interp: Interpreter, instance: Instance, call: Call) -> Value:
    interp.emit(ForwardCalled(instance, call.node))
    return forward_external(interp, instance, call)


def _call(interp: Interpreter, instance: Instance, call: Call) -> Value:
    """`__call__` of `nn.Module`: by `super()` where the class has its own, with hooks around it."""
    called = forward if has_method(instance, "__call__") else call_instance
    return called(interp, instance, call)


def _parameters(interp: Interpreter, instance: Instance, call: Call) -> Value:
    found = [tensor for _, tensor in parameters(instance)] or _opaque_parameters(instance)
    return Items("list", list(found), _other_parameter(interp, instance), single_pass=True)


def _other_parameter(interp: Interpreter, instance: Instance) -> Unknown | None:
    """Any parameter of parts of a module that are not known; None where there are none."""
    if complete(instance):
        return None
    unknown = [
        part
        for module in modules(instance)
        for part in module.attributes.values()
        if isinstance(part, Unknown) and part.hint in ("", "module")
    ]
    closed = not any(map(has_more, modules(instance)))
    return other_parameter(closed and all(is_closed(interp, part) for part in unknown))


def _opaque_parameters(instance: Instance) -> list[Tensor]:
    """The parameters of what a module is made of, where they are asked for and it has no others."""
    parts = [part for module in modules(instance) for part in module.attributes.values()]
    unknown = [part for part in parts if isinstance(part, Unknown) and is_made(part)]
    return [opaque_parameter(part) for part in unknown if part.hint in ("", "module")]


def _named_parameters(interp: Interpreter, instance: Instance, call: Call) -> Value:
    pairs = [Items("tuple", [name, tensor]) for name, tensor in parameters(instance)]
    other = _other_parameter(interp, instance)
    rest = Items("tuple", [Unknown("a name", "string"), other]) if other is not None else None
    return Items("list", list(pairs), rest, single_pass=True)


def _children(interp: Interpreter, instance: Instance, call: Call) -> Value:
    rest = None if complete(instance) else Unknown("a module", "module")
    return Items("list", children(instance), rest)


def _modules(interp: Interpreter, instance: Instance, call: Call) -> Value:
    rest = None if complete(instance) else Unknown("a module", "module")
    return Items("list", list(modules(instance)), rest)


def _named_children(interp: Interpreter, instance: Instance, call: Call) -> Value:
    return _pairs(instance, _submodules(instance))


def _submodules(instance: Instance) -> list[tuple[Value, Value]]:
    return [(name, part) for name, part in instance.attributes.items() if is_module(part)]


def _named_modules(interp: Interpreter, instance: Instance, call: Call) -> Value:
    return _pairs(instance, named_modules(instance))


def _pairs(instance: Instance, named: Iterable[tuple[Value, Value]]) -> Items:
    rest = None
    if not complete(instance):
        rest = Items("tuple", [Unknown("a name", "string"), Unknown("a module", "module")])
    return Items("list", [Items("tuple", [name, module]) for name, module in named], rest)


def _entries(interp: Interpreter, instance: Instance, call: Call) -> Value:
    return _pairs(instance, _held(instance))


def _values(interp: Interpreter, instance: Instance, call: Call) -> Value:
    rest = None if complete(instance) else Unknown("a module", "module")
    return Items("list", [part for _, part in _held(instance)], rest)


def _keys(interp: Interpreter, instance: Instance, call: Call) -> Value:
    rest = None if complete(instance) else Unknown("a name", "string")
    return Items("list", [name for name, _ in _held(instance)], rest)


def _held(instance: Instance) -> list[tuple[Value, Value]]:
    """The names and parts of a container; of any other module its submodules."""
    parts = named_parts(instance)
    if parts is not None:
        return list(parts.entries.items())
    return _submodules(instance)


def _train(interp: Interpreter, instance: Instance, call: Call) -> Value:
    return _put_into_mode(interp, instance, call.get(0, "mode", True), call)


def _eval(interp: Interpreter, instance: Instance, call: Call) -> Value:
    return _put_into_mode(interp, instance, False, call)


def _put_into_mode(interp: Interpreter, instance: Instance, mode: Value, call: Call) -> Value:
    interp.emit(AttributeRegistered(instance, "training", mode, call.node))
    for module in modules(instance):
        module.attributes["training"] = mode
    return instance


def _itself(interp: Interpreter, instance: Instance, call: Call) -> Value:
    return instance


def _requires_grad_(interp: Interpreter, instance: Instance, call: Call) -> Value:
    wanted = call.get(0, "requires_grad", True)
    for _, tensor in parameters(instance):
        if tensor.is_leaf:
            if isinstance(wanted, bool):
                ask(interp, tensor, wanted, call.node)
            tensor.requires = CERTAINLY if wanted else None
    return instance


def _zero_grad(interp: Interpreter, instance: Instance, call: Call) -> Value:
    zero_gradients(interp, [tensor for _, tensor in parameters(instance)], call)
    return None


def _apply(interp: Interpreter, instance: Instance, call: Call) -> Value:
    function = call.get(0, "fn")
    for module in list(modules(instance)):
        call_value(interp, function, Call([module], {}, call.node))
    return instance


def _load(interp: Interpreter, instance: Instance, call: Call) -> Value:
    if all(frame.receiver is not instance for frame in interp.frames):
        interp.record.forwards.loaded = True
    given = call.get(0, "state_dict")
    entries = given.entries if isinstance(given, Mapping) else {}
    loaded = [(tensor, entries.get(name)) for name, tensor in parameters(instance)]
    is_own = all(isinstance(one, Tensor) and one.storage is own.storage for own, one in loaded)
    for tensor, source in loaded:
        if isinstance(source, Tensor):
            interp.emit(TensorCopied(tensor, source))
            interp.emit(StateLoaded(tensor, source, call.node, is_own=is_own))
        if source is not None or loads_all(call):
            load(tensor, source, interp.place(call.node))
    return Unknown(interp.text(call.node))


def _state(interp: Interpreter, instance: Instance, call: Call) -> Value:
    """Detached tensors on the memory of the parameters."""
    entries = states_of(interp, parameters(instance), call.node)
    return Mapping(entries, Unknown("a tensor of the state", weight=2))


def _hook(kind: str) -> Callable[[Interpreter, Instance, Call], Value]:
    def register(interp: Interpreter, instance: Instance, call: Call) -> Value:
        if kind in MIXED and any(instance.hooks.get(other) for other in MIXED - {kind}):
            detail = "Cannot use both regular backward hooks and full backward hooks"
            refuse(interp, call.node, interp.text(call.node), detail)
        hook = call.get(0, "hook")
        name, known = f"register_{kind}_hook", instance.hooks.setdefault(kind, [])
        interp.emit(HookRegistered(instance, hook, name, interp.place(call.node), known))
        return register_hook(instance, kind, hook)

    return register


METHODS: dict[str, Callable[[Interpreter, Instance, Call], Value]] = {
    **REGISTERING,
    **LOOKING_UP,
    **CONTAINER_METHODS,
    "register_forward_hook": _hook("forward"),
    "register_forward_pre_hook": _hook("forward_pre"),
    "register_backward_hook": _hook("backward"),
    "register_full_backward_hook": _hook("full_backward"),
    "register_full_backward_pre_hook": _hook("full_backward_pre"),
    "__init__": _initialize,
    "__getattr__": _attribute,
    "forward": _forward,
    "__call__": _call,
    "parameters": _parameters,
    "named_parameters": _named_parameters,
    "children": _children,
    "named_children": _named_children,
    "modules": _modules,
    "named_modules": _named_modules,
    "values": _values,
    "keys": _keys,
    "items": _entries,
    "train": _train,
    "eval": _eval,
    "requires_grad_": _requires_grad_,
    "zero_grad": _zero_grad,
    "apply": _apply,
    "load_state_dict": _load,
    "state_dict": _state,
    **dict.fromkeys(
        ("to", "cuda", "cpu", "float", "double", "half", "bfloat16", "type", "share_memory"),
        _itself,
    ),
}
