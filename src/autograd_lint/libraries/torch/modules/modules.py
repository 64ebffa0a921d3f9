"""Modules of `torch.nn`: layers by the operator table, containers, and what they are made of."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries import einops
from autograd_lint.libraries.torch.events import ArgumentOverwritten
from autograd_lint.libraries.torch.modules.layers import layer_name, make_layer, run_layer
from autograd_lint.libraries.torch.modules.members import add_child
from autograd_lint.libraries.torch.modules.opaque_parameters import module_of, opaque_parameter
from autograd_lint.libraries.torch.modules.parallel import INSIDE, is_wrapper, wrap
from autograd_lint.libraries.torch.modules.parameter_containers import as_element
from autograd_lint.libraries.torch.training.optimizers import initialize_optimizer, is_optimizer
from autograd_lint.vm.abstract_methods import is_abstract
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.containers import extend
from autograd_lint.vm.dictionaries import held, listed
from autograd_lint.vm.dictionary_methods import begin
from autograd_lint.vm.events import ModuleMade
from autograd_lint.vm.graphs import graph_of
from autograd_lint.vm.instances import children, external_class, is_module
from autograd_lint.vm.iteration import iterate
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.unseen_code import call_unseen
from autograd_lint.vm.values import (
    DATA,
    MAY_RUN,
    Class,
    External,
    Function,
    Instance,
    Items,
    Mapping,
    Unknown,
    Value,
    constant,
)

PLAIN = frozenset({"builtins", *sys.stdlib_module_names})  # their classes are no modules
# Packages whose modules have no parts but those that the program gives them.
KNOWN_BASES = PLAIN | {"torch", "lightning", "pytorch_lightning", "lightning_fabric"}
COUNTED = 16  # elements of a container of modules whose number is told
OF_MODULES = {"Sequential", "ModuleList", "ModuleDict"}  # take nothing but modules
CONTAINERS = OF_MODULES | {"ParameterList", "ParameterDict"}


def container_name(instance: Instance) -> str | None:
    """`Sequential`, `ModuleList`, ... for an object that is one."""
    for path in external_class(instance):
        last = path.rpartition(".")[2]
        if path.startswith("torch.nn.") and last in CONTAINERS:
            return last
    return None


def count(instance: Instance) -> int | None:
    """How many elements a list or dictionary of modules or parameters has; None where it is not
    known, and where a loop over so many numbers is cut short anyway."""
    name = container_name(instance)
    if name is None or instance.unknown is not None or instance.partial:
        return None
    if not (name.endswith("List") or isinstance(instance.cls, External)):
        return None
    own = [one for one in instance.attributes if one.isdigit() or not name.endswith("List")]
    found = len(own) - ("training" in own)
    return found if found <= COUNTED else None


def make_external(interp: Interpreter, path: str, call: Call) -> Value:
    """`nn.Linear(...)`, `nn.Sequential(...)`, `optim.SGD(...)`."""
    instance = Instance(External(path), made_at=call.node)
    initialize_external(interp, instance, call)
    if is_module(instance):
        interp.emit(ModuleMade(instance))
    return instance


def initialize_external(interp: Interpreter, instance: Instance, call: Call) -> None:
    """What the `__init__` of an outside base does to the object."""
    if is_optimizer(instance):
        initialize_optimizer(interp, instance, call)
        return
    inner = held(instance)
    if inner is not None:
        begin(interp, instance, inner, call)
        return
    inside = listed(instance)
    if inside is not None:
        extend(interp, inside, call.get(0, "iterable", Items("list", [])), call.node)
        return
    instance.attributes.setdefault("training", True)
    container = container_name(instance)
    name = layer_name(instance, interp)
    if container is not None:
        fill_container(interp, instance, call)
    elif is_wrapper(instance):
        wrap(instance, call)
    elif name is not None:
        instance.made = Created(interp.place(call.node), name.rpartition(".")[2])
        make_layer(instance, interp.world.table.operator(name), call, interp.engine.inference)
    else:
        call_unseen(interp, call)


def fill_container(interp: Interpreter, instance: Instance, call: Call) -> None:
    """Add to a container what it is given when it is made, or later at once."""
    given: list[Value] = list(call.args)
    instance.partial |= call.open or any(isinstance(one, Items) and one.partial for one in given)
    if len(given) == 1 and not is_module(given[0]) and not isinstance(given[0], Tensor):
        if isinstance(given[0], Mapping):
            for key, value in given[0].entries.items():
                # A name that is computed is not known, but it is one to itself.
                name = str(key) if constant(key) else f"{len(instance.attributes)} of them"
                instance.attributes[name] = as_element(interp, instance, value, call.node)
            if given[0].rest is not None:
                instance.unknown = Unknown("a module", "module")
            return
        iteration = iterate(interp, given[0], call.node)
        given = iteration.gathered()
        if not iteration.complete:
            instance.unknown = Unknown("a module", "module")
    for value in given:
        if isinstance(value, Items) and len(value.items) == 2 and isinstance(value.items[0], str):
            part = as_element(interp, instance, value.items[1], call.node)
            instance.attributes[value.items[0]] = part
        else:
            add_child(instance, as_element(interp, instance, value, call.node))


def forward_external(interp: Interpreter, instance: Instance, call: Call) -> Value:
    """Call an object whose `forward` is an outside one."""
    if container_name(instance) == "Sequential":
        return _chain(interp, instance, call)
    if is_wrapper(instance):
        return call_value(interp, instance.attributes.get(INSIDE), call)
    name = layer_name(instance, interp)
    if name is not None:
        with interp.engine.inside(instance.made):
            return run_layer(interp, instance, interp.world.table.operator(name), call)
    if external_class(instance) == ["torch.nn.Identity"]:
        return call.get(0, "input")
    if isinstance(instance.cls, External) and instance.cls.path.startswith(einops.LAYERS):
        return einops.run_layer(interp, instance, call)
    return Unknown(interp.text(call.node))


def _as_output(part: Unknown, value: Value) -> None:
    """What a part of a chain returns is a tensor, for its parts are modules; data stay data.

    It has the graph of what the part is given, unless the part cuts it.
    """
    if not isinstance(value, Unknown) or value.weight == DATA:
        return
    value.weight = min(value.weight, 1)
    node = value.source
    if node is not None and node.requires is not None and value.tensor is None:
        requires = node.requires | {Assumption(Kind.GRAPH_PASSED_ON, part.origin, weight=0)}
        node.parts.add(id(value))
        value.tensor = Tensor(
            requires=requires, node=node, dtype=None, contiguous=None, name=value.origin
        )


def _may_have_run(interp: Interpreter, part: Unknown) -> None:
    """What modules have kept of a run is not known where they may have been run since."""
    others = part.attributes.get(MAY_RUN)
    for other in others.items if isinstance(others, Items) else ():
        for module in modules(other) if isinstance(other, Instance) else ():
            for name, value in list(module.attributes.items()):
                if graph_of(value) is not None:
                    interp.replaces(module.attributes, name)
                    module.attributes[name] = Unknown(name, holder=module)


def _chain(interp: Interpreter, instance: Instance, call: Call) -> Value:
    given = value = call.get(0, "input")
    before = len(given.storage.writes) if isinstance(given, Tensor) else 0
    for child in list(instance.attributes.values()):
        if isinstance(child, (Instance, Unknown, Function)):
            value = call_value(interp, child, Call([value], {}, call.node))
            if isinstance(child, Unknown):
                _as_output(child, value)
                _may_have_run(interp, child)
    if isinstance(given, Tensor) and len(given.storage.writes) > before:
        interp.emit(ArgumentOverwritten(given, given.storage.writes[before].event, value))
    return value


def parameters(value: Value, seen: set[int] | None = None) -> Iterator[tuple[str, Tensor]]:
    """The parameters of a module with their dotted names, each once."""
    seen = set() if seen is None else seen
    if not isinstance(value, Instance):
        return
    is_container = container_name(value) in OF_MODULES
    for name, own in list(value.attributes.items()):
        if isinstance(own, Tensor) and own.parameter and id(own) not in seen:
            seen.add(id(own))
            yield name, own
        elif isinstance(own, Unknown):
            opaque = own if is_container else module_of(own)
            if opaque is not None and id(opaque) not in seen:
                seen.add(id(opaque))
                yield name, opaque_parameter(opaque)
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


def named_modules(value: Instance) -> Iterator[tuple[str, Instance]]:
    """The same with their dotted names, as far as these lead there; the first one's is empty."""
    names = {id(value): ""}
    for module in modules(value):
        path = names[id(module)]
        yield path, module
        for name, child in module.attributes.items():
            if is_module(child):
                names.setdefault(id(child), f"{path}.{name}".lstrip("."))


def complete(value: Instance) -> bool:
    """Whether every submodule is known."""
    return not any(
        has_more(module) or any(isinstance(own, Unknown) for own in module.attributes.values())
        for module in modules(value)
        if module.attributes
    )


def has_more(module: Instance) -> bool:
    """Whether a module may have parts that the program does not show: its class or its objects do,
    or it was changed where that was not followed.

    A class does by a `__setattr__` of its own, where it has a base from elsewhere of which there is
    no model, and where it is left to derived classes what the module is made of.
    """
    if module.unknown is not None or any(map(_may_be_module, module.attributes.values())):
        return True
    if not isinstance(module.cls, Class):
        return False
    own = [one for one in module.cls.mro() if not one.source.stands_for]
    bases = [base.path for one in own for base in one.bases if isinstance(base, External)]
    tops = {path.partition(".")[0] for path in bases}
    overwritten = isinstance(module.cls.find("__setattr__"), Function)
    return bool(tops - KNOWN_BASES) or overwritten or is_abstract(module.cls)


def _may_be_module(value: Value) -> bool:
    """Whether an object has a base outside of the program which may be one of modules."""
    if not isinstance(value, Instance) or is_module(value) or not isinstance(value.cls, Class):
        return False
    tops = {path.partition(".")[0] for path in value.cls.external_bases()}
    return not tops <= PLAIN
