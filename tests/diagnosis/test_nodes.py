"""Names of graph nodes, and the operators that make them."""

import pytest

from autograd_lint.diagnosis.nodes import bare, same


@pytest.mark.parametrize("name", ["SigmoidBackward0", "SigmoidBackward", "Sigmoid"])
def test_the_suffix_of_older_releases_is_taken_off(name: str) -> None:
    assert bare(name) == "Sigmoid"


@pytest.mark.parametrize(
    ("node", "operator", "answer"),
    [
        ("LogSoftmaxBackward0", "nn.functional.log_softmax", True),
        ("AddBackward0", "add_", True),
        ("NativeBatchNormBackward0", "nn.BatchNorm2d", True),
        ("CudnnConvolutionBackward", "conv2d", True),
        ("ReluBackward0", "sigmoid", False),
        ("AsStridedBackward0", "sigmoid", None),
        ("Adder", "Adder", True),
    ],
)
def test_operators_are_known_by_their_nodes(node: str, operator: str, answer: bool | None) -> None:
    assert same(node, operator) is answer
