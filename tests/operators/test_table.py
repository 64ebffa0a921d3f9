"""The shipped table: found by the names programs use."""

import pytest

from autograd_lint.operators.table import load

TABLE = load()


@pytest.mark.parametrize(
    ("dotted", "name"),
    [
        ("torch.sigmoid", "sigmoid"),
        ("torch.Tensor.sigmoid", "sigmoid"),
        ("torch.Tensor.add_", "add_"),
        ("torch.Tensor.where", "Tensor.where"),
        ("torch.where", "where"),
        ("torch.functional.einsum", "einsum"),
        ("torch.nn.functional.relu", "nn.functional.relu"),
        ("torch.linalg.inv", "linalg.inv"),
        ("torch.special.expit", "special.expit"),
        ("torch.nn.ReLU", "nn.ReLU"),
        ("torch.nn.modules.activation.ReLU", "nn.ReLU"),
        ("torch.nn.init.zeros_", "nn.init.zeros_"),
        ("torch.Tensor.__getitem__", "__getitem__"),
    ],
)
def test_finds_an_operator_by_its_dotted_name(dotted: str, name: str) -> None:
    found = TABLE.find(dotted)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    "dotted",
    [
        "torch.no_such_operator",
        "torch.add_",
        "torch.Tensor.zeros",
        "numpy.add",
        "add",
        "torch.nn.modules.activation.relu",
    ],
)
def test_finds_nothing_where_programs_would_not(dotted: str) -> None:
    assert TABLE.find(dotted) is None


def test_names_the_torch_it_was_measured_on() -> None:
    assert TABLE.torch_version.count(".") == 2


def test_knows_the_methods_and_properties_of_tensors() -> None:
    assert TABLE.is_tensor_method("clamp_")
    assert TABLE.is_tensor_method("T")
    assert not TABLE.is_tensor_method("zeros")


def test_knows_layers_with_their_parameters_and_options() -> None:
    assert TABLE.is_layer("nn.Linear")
    assert not TABLE.is_layer("nn.functional.linear")
    linear = TABLE.operator("nn.Linear")
    assert linear.parameters == ("weight", "bias")
    assert linear.options[:3] == ("in_features", "out_features", "bias")


def test_recurrent_layers_name_parameters_of_any_number_of_parts() -> None:
    parameters = TABLE.operator("nn.GRU").parameters
    assert {"weight_ih_l0", "weight_ih_l*", "weight_ih_l0_reverse"} <= set(parameters)


def test_every_operator_has_a_form_for_any_call_and_that_one_last() -> None:
    for name in TABLE:
        *special, usual = TABLE.operator(name).forms
        assert usual.tests == ()
        assert all(form.tests for form in special)


def test_keywords_stand_for_positions() -> None:
    add = TABLE.operator("add")
    assert (add.key("input"), add.key("other"), add.key("out")) == ("0", "1", "out")


def test_notes_what_it_was_asked_for_until_it_is_taken_afresh() -> None:
    table = TABLE.afresh()
    table.find("torch.Tensor.add_")
    table.lacks("torch.nn.Buffer")
    assert table.asked == {"Tensor.add_", "add_", "torch.nn.Buffer"}
    assert table.afresh().asked == set()
