"""Sequences of several lengths in one."""

import pytest

from tests.vm.running import certain, kinds

PACK = """
from torch.nn.utils import rnn

x = torch.ones(5, 3, 4, requires_grad=True)
packed = rnn.{made}
out, state = nn.{layer}(4, 4)(packed)
{rest}
"""
PADDED = "pack_padded_sequence(x * 2, torch.tensor([5, 4, 3]))"
WAYS = [
    PADDED,
    "pack_sequence([x[:, 0], x[:4, 1], x[:3, 2]])",
    "PackedSequence((x * 2)[:, 0], torch.ones(5, dtype=torch.long))",
]


@pytest.mark.parametrize("layer", ["RNN", "GRU", "LSTM"])
@pytest.mark.parametrize("made", WAYS)
@pytest.mark.parametrize(
    "rest",
    [
        "out.data.sum().backward()",
        "out[0].sum().backward()",
        "packed.data.sum().backward()",
        "rnn.pad_packed_sequence(out)[0].sum().backward()",
        "padded, lengths = rnn.pad_packed_sequence(out)\npadded.sum().backward()",
    ],
)
def test_the_values_of_a_packed_sequence_keep_their_graph(made: str, layer: str, rest: str) -> None:
    assert kinds(PACK.format(made=made, layer=layer, rest=rest)) == []


@pytest.mark.parametrize(
    ("rest", "found"),
    [
        ("out.data.detach().sum().backward()", "no-grad-root"),
        ("out.data.sum().backward()\nout.data.sum().backward()", "graph-freed"),
        ("packed.data.mul_(2)\nout.data.sum().backward()", "saved-tensor-modified"),
        (
            "y = rnn.pad_packed_sequence(out)[0]\ny.sum().backward()\ny.sum().backward()",
            "graph-freed",
        ),
    ],
)
def test_they_are_tensors_like_others(rest: str, found: str) -> None:
    assert certain(PACK.format(made=PADDED, layer="RNN", rest=rest)) == [found]


def test_what_only_has_data_need_not_be_a_tensor() -> None:
    assert kinds("import library\nlibrary.thing().data.sum().backward()\n") == []
