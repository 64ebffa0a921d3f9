"""Modules of unknown classes: they have parameters, and what they return is computed from them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.graph import Node, SavedTensor
from autograd_lint.engine.tensor import Requires, Tensor, either
from autograd_lint.engine.views import edge, is_refused_now
from autograd_lint.libraries.torch.modules.modules import parameters
from autograd_lint.libraries.torch.modules.opaque_parameters import (
    EVALUATED,
    GIVEN,
    MADE,
    TRAINED,
    is_module_by_use,
    module_of,
    opaque_parameter,
)
from autograd_lint.libraries.torch.modules.uses import USING
from autograd_lint.vm.arrays import behind
from autograd_lint.vm.calls import Call
from autograd_lint.vm.contents import put_into
from autograd_lint.vm.events import ModuleCalled
from autograd_lint.vm.frames import outside_models
from autograd_lint.vm.grad_modes import unrecorded
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.record import OpaqueBackward
from autograd_lint.vm.values import (
    ARGUMENT,
    COMPUTED_WITH,
    DATA,
    FOREIGN,
    Class,
    Function,
    Items,
    Mapping,
    Unknown,
    Value,
    constant,
)

_TAKING_OUT = {"values", "items", "get", "pop", "copy"}  # of a container that code has given
_LOOKING_UP = {"get", "pop", "setdefault"}  # in a dictionary, such as a checkpoint
LOADED = "loaded, a module or anything else"
LOADERS = {"torch.hub.load", "timm.models._factory.create_model"}
PART = "part of a module"
BATCH = "given to code that runs backward"


def parts_of(module: Unknown, depth: int = 3) -> Iterator[Tensor]:
    """The parameters of what the program itself has put into a module that is not known."""
    for key, value in module.attributes.items():
        if not isinstance(key, tuple) or key[0] not in ("attribute", "item"):
            continue
        if isinstance(value, Tensor) and value.parameter:
            yield value
        elif isinstance(value, Unknown) and depth:
            yield from parts_of(value, depth - 1)
        else:
            yield from (tensor for _, tensor in parameters(value))


def uses_parts(module: Unknown) -> Assumption:
    """What is taken for granted where the program puts something into such a module."""
    return Assumption(Kind.USES_PARTS, module.origin, weight=0)


def makes_module(path: str) -> bool:
    """Whether an outside function returns a module as a rule."""
    if path.startswith("torchvision.models."):
        return True
    pretrained = path.startswith("transformers.") and path.endswith(".from_pretrained")
    return path in LOADERS or (pretrained and "Model" in path)


def made_module(interp: Interpreter, call: Call, cls: Class | None = None) -> Unknown:
    """A module whose class is unknown or not looked into: calling it shows that it is one."""
    _, node = outside_models(interp.frames, call.node)
    module = Unknown(interp.text(node))
    module.attributes[MADE] = cls
    return module


def loaded(interp: Interpreter, call: Call) -> Unknown:
    """What `torch.load` returns: a module where it is used as one."""
    found = made_module(interp, call)
    found.attributes[LOADED] = True
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Sources:
    """What the result of unknown code is computed from.

    `own` are the parameters of the module that was called, `given` the tensors that were handed in.
    `itself` says that the module was called, or a method of it, and not a part of it. `requires` is
    what must hold for a graph, None where there is none, `taken_out` that it is taken out of a
    container that unknown code has given.
    """

    module: Unknown | None
    itself: bool
    own: tuple[Tensor, ...]
    given: tuple[Tensor, ...]
    requires: Requires
    taken_out: bool = False

    @classmethod
    def of(cls, module: Unknown | None, called: Unknown, call: Call) -> _Sources:
        """What a call leads to."""
        given = tuple(tensor for value in _values(call) for tensor in _tensors(value))
        if module is not None:
            given = (*given, *_leaves(call))
        taken_out = called.parent is not None and called.member in _TAKING_OUT
        if called.parent is not None and taken_out:
            given = (*given, *_tensors(called.parent))
        if module is None:
            requires = either(*(one.requires_grad for one in given))
            return cls(None, False, (), given, requires, taken_out)
        itself = module is called or module is called.parent
        parameter, parts = opaque_parameter(module), tuple(parts_of(module)) if itself else ()
        learned = parameter.requires_grad
        if learned is not None and not itself:
            learned |= _that_part_learns(called)
        requires = either(learned, *(one.requires_grad for one in (*parts, *given)))
        if requires is not None and parts:
            requires |= {uses_parts(module)}
        return cls(module, itself, (parameter, *parts), given, requires)

    @property
    def learns(self) -> bool:
        """Whether parameters of the module that was called are computed with."""
        return self.itself and self.own[0].requires_grad is not None


def result_of(interp: Interpreter, unknown: Unknown, call: Call) -> Unknown:
    """What a call of something unknown returns, with the graph it must come from."""
    _, called = outside_models(interp.frames, call.node)
    result = Unknown(interp.text(called), weight=unknown.weight)
    if not unknown.root.attributes.keys().isdisjoint({TRAINED, EVALUATED}):
        unknown.root.attributes[GIVEN] = True  # what has a mode and is called is a module
    module = module_of(unknown)
    if module is not None and _reads(module, unknown, call):
        result.weight = 2
        return result
    if module is not None and _is_use(module, unknown.member):
        result.weight = DATA
        return result
    sources = _Sources.of(module, unknown, call)
    recording = interp.engine.grad_enabled
    if sources.requires is None or not (recording or sources.itself):
        learned = _learned_in(call) if recording else []
        if learned:
            result.attributes[COMPUTED_WITH] = Items("list", [*learned])
        elif next(_leaves(call), None) is None:
            result.graph_breaks = behind(_values(call))
        made = interp.whole or unknown.hint == "type"
        if not learned and (not recording or _is_data(_values(call), made=made)):
            result.weight = DATA
        return result
    node = _node(interp, sources, sources.requires, call)
    if not recording:
        result.weight, result.graph_breaks = DATA, unrecorded(interp, node)
    else:
        result.source = node
        if sources.learns:
            result.weight = min(result.weight, 0 if unknown is module else 1)
    if module is not None:
        graph = node if recording else None
        interp.emit(ModuleCalled(module.root, graph, call, itself=unknown is module))
    return result


def _learned_in(call: Call) -> list[Tensor]:
    """The parameters of the modules that a call is given."""
    return [one for value in _values(call) for one in own_parameters(value)]


def own_parameters(module: Value) -> Iterator[Tensor]:
    """The parameters of a module; one stands for all of them where its class is not known."""
    if not isinstance(module, Unknown):
        yield from (tensor for _, tensor in parameters(module))
    elif is_module_by_use(module.root):
        yield opaque_parameter(module)


def _node(
    interp: Interpreter, sources: _Sources, requires: frozenset[Assumption], call: Call
) -> Node:
    """The node of a graph that stands for a call of unknown code."""
    place = interp.place(call.node)
    tensors = (*sources.own, *sources.given)
    # What is unknown may do without the graph: it is not the one that a view refuses.
    targets = [edge(interp.engine, one, place) for one in tensors if not is_refused_now(one)]
    node = Node(
        interp.text(call.node).partition("(")[0],
        place,
        interp.engine.next_node(),
        requires,
        [target for target in targets if target is not None],
        opaque=True,
    )
    node.graph_breaks = behind(_values(call))
    if sources.own and _is_given_something(call):
        node.saved = [SavedTensor.of(tensor, "input", requires) for tensor in sources.own]
        node.frees = True
    node.of_caller = sources.module is not None and _is_of_caller(interp, sources.module)
    if not (sources.own or sources.taken_out):
        node.doubt = frozenset({Assumption(Kind.GRADIENTS_PASS, node.operator)})
    return node


def _is_of_caller(interp: Interpreter, module: Unknown) -> bool:
    """Whether a module is an argument, or a part of one, that nobody has given other modules to: it
    computes with what its caller has."""
    outermost = module
    while outermost.parent is not None:
        outermost = outermost.parent
    return ARGUMENT in outermost.attributes and not interp.state(OpaqueBackward).holds_modules


def close(interp: Interpreter, result: Unknown, made_by: Unknown) -> None:
    """Take note that what unknown code has computed leads to nothing but what it was given, and to
    parameters of its own."""
    if result.source is not None and is_closed(interp, made_by):
        result.source.closed = True


def is_closed(interp: Interpreter, unknown: Unknown) -> bool:
    """Whether something that is not known holds no parameters of modules of the program: a package
    made it, and code that is not seen was given none of them."""
    owner = unknown
    while owner.parent is not None:
        owner = owner.parent
    made = owner.attributes.keys() & {FOREIGN, MADE}
    return bool(made) and not interp.state(OpaqueBackward).holds_modules


def _is_given_something(call: Call) -> bool:
    """Whether a module computes something with what it is given: else it may hand over a parameter
    as it is. A number or a name only says which."""
    given = (*call.args, *call.keywords.values())
    return bool(call.more or call.open) or not all(map(constant, given))


def unwritten(interp: Interpreter, function: Function, receiver: Value, call: Call) -> Unknown:
    """What a method returns that is left to derived classes: that of a module computes with the
    parameters of the module."""
    derived = Unknown(function.name)
    if is_module(receiver) and function.name == "forward":
        derived.attributes[GIVEN] = True
    return result_of(interp, derived, call)


def _that_part_learns(unknown: Unknown) -> frozenset[Assumption]:
    """What the method of a part of a module rests on: not every part has parameters to use."""
    wrapped = unknown.parent is not None and unknown.parent.member == "module"
    because = Assumption(Kind.HAS_PARAMETERS, unknown.origin)
    return frozenset() if wrapped else frozenset({because})


def _reads(module: Unknown, unknown: Unknown, call: Call) -> bool:
    """Whether a call only asks something of what a module holds: a buffer, a number, settings.

    It is one of a method of an attribute, or of what was loaded and may be anything, and nothing is
    given that may be a tensor; or it looks up an entry of what was loaded, which is no module then.
    """
    if LOADED in module.attributes and unknown.member in _LOOKING_UP:
        return True
    direct = unknown is module or unknown.parent in (None, module)
    if unknown is module or (direct and LOADED not in module.attributes):
        return False
    return not call.open and all(constant(value) for value in _values(call))


def _is_use(module: Unknown, name: str) -> bool:
    """Whether a method uses a module without building a graph: by its name, or as it is marked."""
    cls = module.attributes.get(MADE)
    method = cls.find(name) if isinstance(cls, Class) else None
    marked = isinstance(method, Function) and method.mode is not None and not method.mode.grad
    return marked or name in USING


def _is_data(values: list[Value], *, made: bool) -> bool:
    """Whether all that may be a tensor among some arguments hardly requires grad.

    Without any such argument that goes only for what is `made` of them, by calling a class.
    """
    weights = [value.weight for value in values if isinstance(value, Unknown) and not value.hint]
    known = any(isinstance(value, Tensor) for value in values)
    return known or min(weights, default=DATA if made else 0) == DATA


def _values(call: Call) -> list[Value]:
    return [*call.args, *call.keywords.values()]


def _leaves(call: Call) -> Iterator[Tensor]:
    """The leaves that require grad among the arguments of a call: an input to optimize, or to take
    the gradient of."""
    for value in _values(call):
        given = value.tensor if isinstance(value, Unknown) else value
        if isinstance(given, Tensor) and given.is_leaf and given.requires is not None:
            yield given


def _tensors(value: Value, depth: int = 2) -> Iterator[Tensor]:
    """The tensors of an argument of which the graph is known."""
    if isinstance(value, Tensor):
        if value.node is not None and (not value.node.opaque or value.node.edges):
            yield value
    elif isinstance(value, Unknown):
        if value.source is not None:
            yield Tensor(requires=value.source.requires, node=value.source)
        for item in put_into(value).values() if depth else ():
            yield from _tensors(item, depth - 1)
    elif depth and isinstance(value, Items):
        for item in value.items:
            yield from _tensors(item, depth - 1)
    elif depth and isinstance(value, Mapping):
        for item in value.entries.values():
            yield from _tensors(item, depth - 1)
