"""Shapes of what layers compute, as a root of backward shows them."""

import pytest

from tests.vm.running import certain

ROWS = "x, y = torch.rand(5, 4), torch.rand(5, 4)\nclasses = torch.zeros(5).long()\n"
IMAGE = "x = torch.rand(1, 1, 3, 3)\n"
SEVERAL = [
    (ROWS, "nn.BCEWithLogitsLoss(reduction='none')(net(x), y)"),
    (ROWS, "nn.CrossEntropyLoss(reduction='none')(net(x), classes)"),
    (ROWS, "nn.NLLLoss(reduction='none')(net(x).log_softmax(1), classes)"),
    (ROWS, "nn.TripletMarginLoss(reduction='none')(net(x), y, y)"),
    (ROWS, "nn.PairwiseDistance()(net(x), y)"),
    (ROWS, "nn.MarginRankingLoss(reduction='none')(net(x), y, y)"),
    (ROWS, "nn.ZeroPad1d(1)(net(x)[:1, :1])"),
    (ROWS, "nn.Unflatten(1, (2, 2))(net(x)[:1])"),
    (ROWS, "nn.GLU()(net(x)[:1])"),
    (ROWS, "nn.LSTM(4, 1)(net(x))[0]"),
    (ROWS, "nn.GRU(4, 1, bidirectional=True)(net(x)[:1])[0]"),
    (ROWS, "nn.LSTMCell(4, 3)(net(x[:1]))[1]"),
    (ROWS, "nn.MultiheadAttention(4, 1)(net(x), x, x)[0]"),
    (ROWS, "nn.TransformerEncoderLayer(4, 1)(x)"),
    ("", "nn.Embedding(3, 2)(torch.zeros(1).long())"),
    (IMAGE, "nn.Conv2d(1, 2, 3)(x)"),
    (IMAGE, "nn.Conv2d(1, 1, 3, padding=1)(x)"),
    (IMAGE, "nn.MaxPool2d(2)(nn.Conv2d(1, 2, 2)(x))"),
    (IMAGE, "nn.AdaptiveAvgPool2d((1, 2))(nn.Conv2d(1, 1, 1)(x))"),
]
SCALARS = [
    (ROWS, "nn.CrossEntropyLoss()(net(x), classes)"),
    (ROWS, "nn.MarginRankingLoss(margin=0.5)(net(x), y, y)"),
    (ROWS, "nn.HingeEmbeddingLoss()(net(x), y)"),
    (ROWS, "nn.GaussianNLLLoss()(net(x), y, y)"),
    (ROWS, "nn.KLDivLoss(reduction='batchmean')(net(x), y)"),
    (ROWS, "nn.LSTM(4, 2, proj_size=1)(net(x)[:1])[1][0]"),
    (ROWS, "nn.GLU()(net(x)[:1, :2])"),
    (ROWS, "nn.LSTM(4, 1)(net(x[:1]))[0]"),
    (IMAGE, "nn.Conv2d(1, 1, 3)(x)"),
    (IMAGE, "nn.Conv2d(1, 1, 3, stride=2, padding=1, dilation=2)(x)"),
    (IMAGE, "nn.MaxPool2d(2)(nn.Conv2d(1, 1, 2)(x))"),
    (IMAGE, "nn.MaxPool2d(2, ceil_mode=True)(nn.Conv2d(1, 1, 1)(x))[..., :1, :1]"),
    (IMAGE, "nn.AdaptiveAvgPool2d(1)(nn.Conv2d(1, 1, 1)(x))"),
]


def backward_of(head: str, expression: str) -> list[str]:
    return certain(f"net = nn.Linear(4, 4)\n{head}({expression}).backward()\n")


@pytest.mark.parametrize(("head", "expression"), SEVERAL)
def test_layers_give_several_elements(head: str, expression: str) -> None:
    assert backward_of(head, expression) == ["non-scalar-root"]


@pytest.mark.parametrize(("head", "expression"), SCALARS)
def test_layers_give_one_element(head: str, expression: str) -> None:
    assert backward_of(head, expression) == []


def test_one_known_size_above_one_is_enough() -> None:
    text = "m = torch.rand(3, 3, requires_grad=True)\nm[: int(input())].backward()\n"
    assert certain(text) == ["non-scalar-root"]
