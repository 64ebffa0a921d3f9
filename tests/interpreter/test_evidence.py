"""What speaks for an unknown being a tensor, and what against it."""

from tests.interpreter.running import kinds

MAXIMUM = "def f(x):\n    y = x * 2\n    y /= y.abs().max()\n    return y\n"


def test_numeric_methods_where_there_are_no_arrays() -> None:
    assert kinds(MAXIMUM) == ["saved-tensor-modified"]


def test_numeric_methods_where_there_are_arrays() -> None:
    assert kinds("import numpy as np\n" + MAXIMUM) == []


def test_an_index_along_several_dimensions() -> None:
    text = "def f(x):\n    y = torch.exp(x[:, 0])\n    y += 1\n    return y\n"
    assert kinds(text) == ["saved-tensor-modified"]


BIAS = """
def initialize(model):
    for layer in model.heads:
        b = layer.bias.view(3, -1)
        b[:, 1] += 1
        {stored}
"""


def test_an_attribute_that_is_made_a_parameter() -> None:
    text = BIAS.format(stored="layer.bias = nn.Parameter(b.view(-1))")
    assert kinds(text) == ["leaf-view-modified"]


def test_an_attribute_of_anything() -> None:
    assert kinds(BIAS.format(stored="pass")) == []


def test_a_layer_by_its_class() -> None:
    text = (
        "def initialize(model):\n"
        "    for m in model.modules():\n"
        "        if isinstance(m, nn.Conv2d):\n"
        "            m.weight.mul_(2)\n"
    )
    assert kinds(text) == ["leaf-modified"]


def test_an_unknown_that_equals_one_string_equals_no_other() -> None:
    text = (
        "def f(x, mode):\n"
        "    y = x.exp()\n"
        "    if mode == 'a':\n"
        "        y = y * 2\n"
        "    if mode == 'b':\n"
        "        y = y.detach()\n"
        "    if mode == 'a':\n"
        "        y += 1\n"
        "    return y\n"
    )
    assert kinds(text) == []
