"""`torch.distributions`: graphs run from the parameters to `log_prob`, `rsample` and `entropy`."""

from __future__ import annotations

from collections.abc import Callable

from autograd_lint.engine.graph import Node
from autograd_lint.engine.shapes import Shape, broadcast
from autograd_lint.engine.tensor import Tensor, either
from autograd_lint.engine.views import edge
from autograd_lint.libraries.shapes.distributions import Shapes, shapes_of
from autograd_lint.libraries.torch.events import (
    ActionDrawn,
    ProbabilityGiven,
    SampleDrawn,
    SampleScored,
)
from autograd_lint.libraries.torch.operators.refusing import refuse
from autograd_lint.libraries.torch.operators.unknown_tensors import as_tensor
from autograd_lint.libraries.torch.tensors.leaving_autograd import taken
from autograd_lint.vm.calls import Call
from autograd_lint.vm.instances import outside_name
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Bound, External, Instance, Items, Unknown, Value

HEAD = "torch.distributions."
# Those with `has_rsample = False`, whose `rsample` raises NotImplementedError.
WITHOUT_RSAMPLE = frozenset(
    {
        "Bernoulli",
        "Binomial",
        "Categorical",
        "Geometric",
        "LKJCholesky",
        "MixtureSameFamily",
        "Multinomial",
        "NegativeBinomial",
        "OneHotCategorical",
        "Poisson",
        "VonMises",
    }
)
_OPTIONS = frozenset({"validate_args", "temperature"})
PARAMETERS = ("probs", "logits", "loc", "scale", "mean", "rate", "concentration")


def is_distribution(value: Value) -> bool:
    """Whether a value is a distribution object."""
    return (
        isinstance(value, Instance)
        and isinstance(value.cls, External)
        and value.cls.path.startswith(HEAD)
    )


def make_distribution(interp: Interpreter, path: str, call: Call) -> Value:
    """`Categorical(logits=...)`, `Normal(mean, std)`, `Independent(base, 1)`."""
    name = path.rpartition(".")[2]
    instance = Instance(External(HEAD + name), made_at=call.node)
    given = [*call.args, *call.keywords.values()]
    tensors = [tensor for value in given if (tensor := _parameter(interp, value)) is not None]
    shapes = shapes_of(name, [_shape(value) for value in _parameters(call)])
    for value in given:
        if isinstance(value, Instance) and is_distribution(value):
            tensors.extend(_tensors(value))
            instance.attributes["base of it"] = value
            shapes = _independent(value, call) if name == "Independent" else Shapes()
    instance.attributes["batch of it"] = Tensor(shape=shapes.batch)
    instance.attributes["event of it"] = Tensor(shape=shapes.event)
    instance.attributes["parameters of it"] = Items("list", list(tensors))
    instance.attributes.update(
        {key: value for key, value in call.keywords.items() if key in PARAMETERS}
    )
    return instance


def _parameters(call: Call) -> list[Value]:
    """What a distribution is made from: all but a choice of checks, and the temperature."""
    named = call.keywords.items()
    return [*call.args, *(value for key, value in named if key not in _OPTIONS)]


def _shape(value: Value) -> Shape:
    """The shape of a parameter, which may be a number."""
    if isinstance(value, Tensor):
        return value.shape
    return () if isinstance(value, int | float) else None


def _shapes(instance: Instance) -> Shapes:
    """The shapes of a distribution that was made."""
    batch, event = (instance.attributes.get(f"{part} of it") for part in ("batch", "event"))
    if not isinstance(batch, Tensor) or not isinstance(event, Tensor):
        return Shapes()
    return Shapes(batch.shape, event.shape)


def _independent(base: Instance, call: Call) -> Shapes:
    """The shapes of `Independent(base, number)`."""
    number = call.get(1, "reinterpreted_batch_ndims")
    return _shapes(base).independent(number) if isinstance(number, int) else Shapes()


def _parameter(interp: Interpreter, value: Value) -> Tensor | None:
    if isinstance(value, Unknown) and not value.hint:
        return as_tensor(interp, value)
    return value if isinstance(value, Tensor) else None


def _tensors(instance: Instance) -> list[Tensor]:
    found = instance.attributes.get("parameters of it")
    items = found.items if isinstance(found, Items) else []
    return [item for item in items if isinstance(item, Tensor)]


def _has_density(value: Value) -> bool:
    """Whether a distribution, and the one that it is made of, is one over real numbers."""
    if not isinstance(value, Instance):
        return True
    base = value.attributes.get("base of it")
    return outside_name(value) not in WITHOUT_RSAMPLE and _has_density(base)


def distribution_attribute(instance: Instance, name: str) -> Value | None:
    """A method of the distribution, or whether it has `rsample`; None for what is not modelled."""
    if name == "has_rsample" and outside_name(instance) in WITHOUT_RSAMPLE:
        return False
    return Bound(instance, name) if name in METHODS else None


def distribution_method(interp: Interpreter, instance: Instance, name: str, call: Call) -> Value:
    """`dist.log_prob(value)` and the like."""
    run = METHODS.get(name)
    return run(interp, instance, call) if run else Unknown(interp.text(call.node))


def _derived(
    interp: Interpreter, name: str, sources: list[Tensor], call: Call, shape: Shape
) -> Tensor:
    """A tensor computed from others by arithmetic that keeps what it needs."""
    place = interp.place(call.node)
    requires = either(*(tensor.requires_grad for tensor in sources))
    if requires is None or not interp.engine.recording:
        return Tensor(shape=shape)
    targets = [edge(interp.engine, tensor, place) for tensor in sources]
    edges = [target for target in targets if target is not None]
    node = Node(
        name, place, interp.engine.next_node(), requires, edges, frees=True, second=requires
    )
    return Tensor(requires=requires, node=node, shape=shape)


def _log_prob(interp: Interpreter, instance: Instance, call: Call) -> Value:
    value = call.get(0, "value")
    scored = [value] if isinstance(value, Tensor) else []
    for sample in scored:
        interp.emit(SampleScored(sample))
    sources = _tensors(instance) + scored
    shape = _shapes(instance).density(_shape(value))
    result = _derived(interp, "log_prob", sources, call, shape)
    interp.emit(ProbabilityGiven(outside_name(instance), sources, result))
    return result


def _entropy(interp: Interpreter, instance: Instance, call: Call) -> Value:
    return _derived(interp, "entropy", _tensors(instance), call, _shapes(instance).batch)


def _sample(interp: Interpreter, instance: Instance, call: Call) -> Value:
    whole = isinstance(instance.cls, External) and instance.cls.path.endswith(
        ("Categorical", "Multinomial")
    )
    sample = Tensor(dtype="int" if whole else "float", shape=_sampled(instance, call))
    sample.graph_breaks = taken(interp, _tensors(instance), "sample", call)
    interp.emit(ActionDrawn(sample))
    if _has_density(instance):
        interp.emit(SampleDrawn(sample))
    return sample


def _rsample(interp: Interpreter, instance: Instance, call: Call) -> Value:
    name = outside_name(instance)
    if name in WITHOUT_RSAMPLE:
        refuse(interp, call.node, "rsample", f"samples of {name} are not differentiable: rsample")
    return _derived(interp, "rsample", _tensors(instance), call, _sampled(instance, call))


def _sampled(instance: Instance, call: Call) -> Shape:
    """The shape of samples; how many are asked for is looked at where it is one alone."""
    return None if call.args or call.keywords else _shapes(instance).sample


def divergence(interp: Interpreter, call: Call) -> Value:
    """`kl_divergence(p, q)`, unknown where one of them is of the program's own classes."""
    both = [value for value in call.args if isinstance(value, Instance) and is_distribution(value)]
    if len(both) < 2:
        return Unknown(interp.text(call.node))
    sources = [tensor for value in both for tensor in _tensors(value)]
    shape = broadcast([_shapes(value).batch for value in both])
    return _derived(interp, "kl_divergence", sources, call, shape)


METHODS: dict[str, Callable[[Interpreter, Instance, Call], Value]] = {
    "log_prob": _log_prob,
    "entropy": _entropy,
    "sample": _sample,
    "rsample": _rsample,
}
