"""What the table says of operators whose derivatives everybody knows."""

import pytest

from autograd_lint.operators.facts import AliasKind, Form
from autograd_lint.operators.table import load

TABLE = load()

ABSENT: dict[str, frozenset[str]] = {}
TENSOR = frozenset({"tensor", "float-tensor"})
NUMBER = frozenset({"number", "int"})
TRUE = frozenset({"true"})
FALSE = frozenset({"false"})


def form(name: str, **kinds: frozenset[str]) -> Form:
    operator = TABLE.operator(name)
    return operator.select({operator.key(word): kind for word, kind in kinds.items()})


def saved(found: Form) -> dict[str, frozenset[str] | None]:
    return {save.key: save.needs for save in found.saves if save.sure}


def alias(found: Form) -> AliasKind | None:
    shared = found.outputs[0].alias
    return shared.kind if shared else None


@pytest.mark.parametrize("name", ["mul", "matmul", "mm", "bmm", "__mul__"])
def test_products_save_each_factor_for_the_other(name: str) -> None:
    found = form(name, other=TENSOR)
    assert saved(found) == {"0": frozenset({"1"}), "1": frozenset({"0"})}


@pytest.mark.parametrize("name", ["exp", "sigmoid", "tanh", "sqrt", "relu", "softmax", "rsqrt"])
def test_result_savers(name: str) -> None:
    assert saved(form(name)) == {"out0": None}


@pytest.mark.parametrize(
    "name", ["log", "sin", "abs", "nn.functional.gelu", "nn.functional.silu", "clamp"]
)
def test_input_savers(name: str) -> None:
    assert "0" in saved(form(name))
    assert "out0" not in saved(form(name))


@pytest.mark.parametrize("name", ["add", "sub", "neg", "sum", "mean", "cat", "stack", "cumsum"])
def test_what_saves_nothing_can_be_run_backward_twice(name: str) -> None:
    found = form(name)
    assert (found.saves, found.frees) == ((), False)


def test_a_number_counts_as_kept() -> None:
    assert form("mul", other=NUMBER).frees
    assert not form("add", other=NUMBER).frees


def test_the_gradient_of_a_loss_may_depend_on_what_it_kept_inside() -> None:
    assert form("nn.functional.cross_entropy").curved
    assert not form("nn.functional.nll_loss").curved


def test_a_power_of_a_number_does_not_save_its_result() -> None:
    assert saved(form("pow", exponent=NUMBER)) == {"0": None}
    assert "out0" in saved(form("pow", exponent=TENSOR))


def test_in_place_operators_save_no_argument_that_they_overwrite() -> None:
    assert saved(form("mul_", other=TENSOR)) == {"1": frozenset({"0"})}
    assert saved(form("sin_")) == {}


@pytest.mark.parametrize("name", ["exp_", "sigmoid_", "nn.functional.leaky_relu_"])
def test_in_place_operators_that_need_their_result_save_it(name: str) -> None:
    found = form(name)
    assert found.modifies == ("0",)
    assert saved(found) == {"out0": None}
    assert alias(found) is AliasKind.SELF


def test_leaky_relu_saves_its_input_unless_in_place() -> None:
    assert saved(form("nn.functional.leaky_relu")) == {"0": None}
    in_place = form("nn.functional.leaky_relu", inplace=TRUE)
    assert (saved(in_place), in_place.modifies) == ({"out0": None}, ("0",))


def test_convolution_saves_unconditionally() -> None:
    assert saved(form("nn.functional.conv2d")) == {"0": None, "1": None}
    assert saved(form("nn.Conv2d")) == {"0": None, "weight": None}


def test_linear_saves_crosswise() -> None:
    crosswise = {"0": frozenset({"weight"}), "weight": frozenset({"0"})}
    assert saved(form("nn.Linear")) == crosswise


def test_cross_entropy_saves_the_target_but_not_the_logits() -> None:
    found = form("nn.functional.cross_entropy")
    assert "0" not in saved(found)
    assert "1" in saved(found)
    assert found.outputs[0].shape == "scalar"


def test_embedding_saves_the_indices_but_not_the_weight() -> None:
    assert saved(form("nn.functional.embedding")) == {"0": None}


def test_indices_of_reductions_are_saved_and_never_require_grad() -> None:
    found = form("max", dim=NUMBER)
    assert saved(found) == {"out1": None}
    assert not found.outputs[1].differentiable
    assert found.outputs[1].dtype == "int"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("view", AliasKind.VIEW),
        ("transpose", AliasKind.VIEW),
        ("tensor_split", AliasKind.VIEW),
        ("chunk", AliasKind.MULTI_VIEW),
        ("split", AliasKind.MULTI_VIEW),
        ("unbind", AliasKind.MULTI_VIEW),
        ("__iter__", AliasKind.MULTI_VIEW),
        ("detach", AliasKind.DETACHED),
        ("data", AliasKind.UNVERSIONED),
        ("unsafe_chunk", AliasKind.UNVERSIONED),
        ("contiguous", AliasKind.SELF),
        ("real", AliasKind.SELF),
        ("clone", None),
        ("cat", None),
    ],
)
def test_how_results_share_memory(name: str, kind: AliasKind | None) -> None:
    assert alias(form(name)) is kind


@pytest.mark.parametrize("name", ["contiguous", "reshape", "to", "cpu", "float"])
def test_what_may_be_a_copy_is_not_sure_to_share(name: str) -> None:
    shared = [each.outputs[0].alias for each in TABLE.operator(name).forms]
    assert any(each is not None and not each.sure for each in shared)


def test_indexing_is_a_view_unless_by_tensors() -> None:
    getitem = TABLE.operator("__getitem__")
    by_mask = getitem.select({"1": frozenset({"index-mask"})})
    assert alias(getitem.select({"1": frozenset({"index-int"})})) is AliasKind.VIEW
    assert (alias(by_mask), saved(by_mask)) == (None, {"1": None})


def test_assigning_by_index_modifies_and_carries_an_edge_to_the_value() -> None:
    found = TABLE.operator("__setitem__").select({"1": frozenset({"index-int"})})
    assert found.modifies == ("0",)
    assert found.differentiable == frozenset({"0", "2"})
    assert found.outputs == ()


def test_dropout_that_does_nothing_returns_its_input() -> None:
    assert alias(form("nn.functional.dropout", training=FALSE)) is AliasKind.SELF
    assert alias(form("nn.Dropout", training=FALSE)) is AliasKind.SELF
    assert alias(form("nn.Dropout", training=TRUE)) is None


def test_batch_norm_counts_batches_and_writes_its_statistics_unseen() -> None:
    layer = form("nn.BatchNorm2d", training=TRUE)
    assert (layer.modifies, layer.bumps) == (("num_batches_tracked",), True)
    assert layer.unversioned == ("running_mean", "running_var")
    still = form("nn.BatchNorm2d", training=FALSE)
    assert (still.modifies, still.unversioned) == ((), ())
    unseen = form("nn.functional.batch_norm", training=TRUE)
    assert (unseen.modifies, unseen.bumps) == (("1", "2"), False)
    some, none = frozenset({"number"}), frozenset({"number", "zero"})
    assert form("nn.functional.batch_norm", training=TRUE, momentum=some).modifies == ("1", "2")
    assert form("nn.functional.batch_norm", training=TRUE, momentum=none).modifies == ()


@pytest.mark.parametrize("name", ["argmax", "eq", "isnan", "zeros_like", "detach", "nonzero"])
def test_what_never_requires_grad(name: str) -> None:
    found = form(name)
    assert found.differentiable == frozenset()
    assert not any(output.differentiable for output in found.outputs)


def test_a_cast_to_integers_cuts_the_graph() -> None:
    assert form("to", device=frozenset({"int-dtype"})).differentiable == frozenset()
    assert form("to", device=frozenset({"float-dtype"})).differentiable == frozenset({"0"})


def test_writing_into_out_is_no_part_of_a_graph() -> None:
    found = form("add", out=TENSOR)
    assert (found.modifies, found.differentiable) == (("out",), frozenset())


def test_division_makes_floats_of_integers() -> None:
    assert form("div").outputs[0].dtype == "float"
    assert form("mul").outputs[0].dtype == "same"
