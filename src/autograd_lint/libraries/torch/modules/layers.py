"""Layers of `torch.nn` by the operator table: their parameters, and what calling them does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from autograd_lint.engine.inplace import write
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.libraries.shapes.arguments import Arguments
from autograd_lint.libraries.shapes.layers import infer_layer
from autograd_lint.libraries.torch.modules.packed_sequences import data_of, packed_anew
from autograd_lint.libraries.torch.operators.apply import run_operator
from autograd_lint.libraries.torch.operators.kinds import kinds_given, kinds_of
from autograd_lint.libraries.torch.operators.option_decisions import settle_options
from autograd_lint.libraries.torch.operators.pools import SIZE, averages
from autograd_lint.libraries.torch.operators.unknown_tensors import as_tensor
from autograd_lint.libraries.torch.tensors.conversions import reshape
from autograd_lint.operators.facts import Operator
from autograd_lint.vm.calls import Call
from autograd_lint.vm.control import ProgramRaises
from autograd_lint.vm.instances import external_class, instance_attribute
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import (
    BUFFERS,
    Class,
    Function,
    Instance,
    Items,
    Property,
    Unknown,
    Value,
    by_default,
)

RECURRENT = {"nn.LSTM", "nn.GRU", "nn.RNN"}
EMBEDDINGS = {"nn.Embedding", "nn.EmbeddingBag"}
LAYOUT = {
    "batch_first",
    "bidirectional",
}  # options that were measured without a state
KEYWORD_ONLY = {"bias"}  # of normalisation layers
MOST_LAYERS = 32  # in a recurrent one, whose parameters are told apart
_FURTHER = re.compile(r"_l[1-9]\d*")  # what the table has one name for


def layer_name(instance: Instance, interp: Interpreter) -> str | None:
    """The table's name of the layer an object is, or inherits from."""
    for path in external_class(instance):
        name = f"nn.{path.rpartition('.')[2]}"
        if path.startswith("torch.nn.") and interp.world.table.is_layer(name):
            return name
    return None


def make_layer(instance: Instance, operator: Operator, call: Call, inference: bool = False) -> None:
    """Give a new layer its parameters and buffers; raises for an option that it does not have."""
    complete = "device" in operator.options
    if complete and not call.keywords.keys() <= {*operator.options, *KEYWORD_ONLY}:
        raise ProgramRaises("TypeError")
    options = {**dict(zip(operator.options, call.args, strict=False)), **call.keywords}
    instance.options = {name: _settled(value) for name, value in options.items()}
    left_out = {**_left_out(operator.name), **instance.options}
    for name in _numbered(operator.parameters, instance.options.get("num_layers")):
        if not _absent(name, left_out):
            shape = _parameter_shape(operator.name, name, instance.options)
            instance.attributes[name] = Tensor(
                requires=CERTAINLY, parameter=True, name=name, shape=shape, inference=inference
            )
        elif operator.name not in RECURRENT:
            instance.attributes[name] = None  # it is registered all the same
    for name in operator.buffers:
        instance.attributes[name] = _buffer(name, operator, left_out)


def _buffer(name: str, operator: Operator, options: dict[str, Value]) -> Value:
    """What a new layer has as a buffer: a tensor that it is given under that name, or one of its
    own."""
    if name in operator.options:
        return options.get(name)
    if name in BUFFERS and options.get("track_running_stats") is False:
        return None
    return Tensor(name=name)


def _left_out(layer: str) -> dict[str, Value]:
    """The options by which a layer has less than others of its kind unless it is told otherwise.

    Source: `_InstanceNorm.__init__` in torch/nn/modules/instancenorm.py.
    """
    if layer.startswith("nn.InstanceNorm"):
        return {"affine": False, "track_running_stats": False}
    return {}


def _settled(value: Value) -> Value:
    """A flag of unknown value is what it is by default."""
    if isinstance(value, Unknown) and value.hint == "bool" and value.usual is not None:
        return value.usual
    return value


def _absent(name: str, options: dict[str, Value]) -> bool:
    """Whether a layer's options leave a parameter out."""
    if options.get("bias") is False and name.startswith(("bias", "in_proj_bias")):
        return True
    if name in ("weight", "bias"):
        return options.get("affine") is False or options.get("elementwise_affine") is False
    if name.startswith("weight_hr") and not options.get("proj_size"):
        return True
    if name.endswith("_reverse"):
        return not options.get("bidirectional")
    return name in ("bias_k", "bias_v", "q_proj_weight", "k_proj_weight", "v_proj_weight")


def _numbered(names: Iterable[str], layers: Value) -> Iterator[str]:
    """The names of a layer's parameters; `*` stands for the numbers of further layers inside."""
    more = range(1, min(layers, MOST_LAYERS)) if isinstance(layers, int) else range(0)
    for name in names:
        yield from (name.replace("*", str(n)) for n in more) if "*" in name else (name,)


def _parameter_shape(
    layer: str, name: str, options: dict[str, Value]
) -> tuple[int | None, ...] | None:
    if layer != "nn.Linear":
        return None
    rows, columns = options.get("out_features"), options.get("in_features")
    sizes = (rows, columns) if name == "weight" else (rows,)
    known = map(by_default, sizes)
    return tuple(size if isinstance(size, int) else None for size in known)


def run_layer(interp: Interpreter, instance: Instance, operator: Operator, call: Call) -> Value:
    """Call a layer."""
    bound: dict[str, Value] = {str(i): value for i, value in enumerate(call.args)}
    bound.update({operator.key(name): value for name, value in call.keywords.items()})
    sequence = data_of(bound.get("0")) if operator.name in RECURRENT else None
    if sequence is not None:
        bound["0"] = sequence
    elif isinstance(bound.get("0"), Unknown):
        bound["0"] = _input(interp, bound["0"])
    given = bound.get("0")
    if operator.name == "nn.Flatten" and isinstance(given, Tensor):
        ends = [instance.options.get("start_dim", 1), instance.options.get("end_dim", -1)]
        return reshape(interp, given, "flatten", Call(ends, {}, call.node))
    states = bound.get("1")
    if operator.name in RECURRENT and isinstance(states, Items):
        bound["1"] = Items("tuple", [_input(interp, item) for item in states.items])
    own = _own_tensors(interp, instance, operator, call)
    training = instance.attributes.get("training", True)
    values = {**instance.options, **bound}
    kinds = kinds_given(operator, values)
    settle_options(interp, operator, values, kinds, call.node)
    kinds["training"] = kinds_of(training)
    kinds |= {name: kinds_of(value) for name, value in own.items() if name not in kinds}
    if operator.name in RECURRENT and ("1" in bound or sequence is not None):
        kinds = {key: kind for key, kind in kinds.items() if key not in LAYOUT}
    if averages(operator.name):
        own[SIZE] = instance.options.get(SIZE)
    if operator.name in EMBEDDINGS:
        _renormalize(interp, instance, call)
    result = run_operator(interp, operator, {**own, **bound}, call.node, kinds=kinds)
    infer_layer(operator.name, Arguments({**instance.options, **bound}), result)
    if sequence is not None and isinstance(result, Items) and result.items:
        result.items[0] = packed_anew(interp, result.items[0], call.node)
    return _nested(operator.name, result)


def _own_tensors(
    interp: Interpreter, instance: Instance, operator: Operator, call: Call
) -> dict[str, Value]:
    """The tensors that a layer computes with, computed where it is parametrized or its class has a
    property; not what else is set on it, as the parts that `weight_norm` computes a weight from."""
    found = {
        name: value.read(interp, call.node) if isinstance(value, Property) else value
        for name, value in list(instance.attributes.items())
    }
    if operator.name in RECURRENT:
        found = _by_table(found)
    if isinstance(instance.cls, Class):
        for name in operator.parameters:
            written = instance.cls.find(name)
            if isinstance(written, Function) and written.kind in ("property", "cached_property"):
                value = instance_attribute(interp, instance, name, call.node)
                found[name] = as_tensor(interp, value)
    names = {*operator.parameters, *operator.buffers, *operator.measured}
    own = {name: value for name, value in found.items() if name in names}
    return {name: value for name, value in own.items() if isinstance(value, (Tensor, Items))}


def _by_table(attributes: dict[str, Value]) -> dict[str, Value]:
    """The attributes of a recurrent layer under the names that the operator table has for them."""
    found: dict[str, Value] = {}
    further: dict[str, list[Value]] = {}
    for name, value in attributes.items():
        known = _FURTHER.sub("_l*", name)
        if known == name:
            found[name] = value
        elif isinstance(value, Tensor):
            further.setdefault(known, []).append(value)
    return {**found, **{name: Items("list", several) for name, several in further.items()}}


def _renormalize(interp: Interpreter, instance: Instance, call: Call) -> None:
    """With `max_norm` an embedding scales the rows it looks up, in place, outside of the graph."""
    weight = instance.attributes.get("weight")
    if instance.options.get("max_norm") is not None and isinstance(weight, Tensor):
        write(weight, "embedding_renorm_", interp.place(call.node))


def _input(interp: Interpreter, value: Value) -> Value:
    return as_tensor(interp, value) or value


def _nested(name: str, result: Value) -> Value:
    """Recurrent layers return their states in a tuple of their own."""
    if name == "nn.LSTM" and isinstance(result, Items) and len(result.items) == 3:
        return Items("tuple", [result.items[0], Items("tuple", result.items[1:])])
    return result
