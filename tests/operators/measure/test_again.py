"""The shipped table, measured again on the installed torch."""

import pytest
import torch

from autograd_lint.operators.facts import Form
from autograd_lint.operators.measure.functions import measure_function
from autograd_lint.operators.measure.layers import layer_names, measure_layer
from autograd_lint.operators.table import load

TABLE = load()

# The large composites take a minute together.
SLOW = """
    nn.Transformer nn.TransformerEncoder nn.TransformerDecoder nn.TransformerEncoderLayer
    nn.TransformerDecoderLayer nn.MultiheadAttention nn.LSTM nn.GRU nn.RNN
    nn.LinearCrossEntropyLoss nn.functional.multi_head_attention_forward grid_sampler_3d
"""
# What programs are made of; to these, every seventh operator is added.
COMMON = (
    "add sub mul div pow matmul exp log sigmoid tanh relu sum mean max min cat stack chunk split"
    " view reshape transpose detach clone data to float __getitem__ __setitem__ __iadd__ add_ mul_"
    " zero_ copy_ masked_fill_ where gather scatter_ einsum nn.functional.relu nn.functional.linear"
    " nn.functional.dropout nn.functional.conv2d nn.functional.batch_norm nn.functional.mse_loss"
    " nn.functional.cross_entropy nn.functional.leaky_relu_"
)


def _is_seventh(name: str) -> bool:
    return not TABLE.is_layer(name) and sum(name.encode()) % 7 == 0


LAYERS = sorted(set(layer_names()) - set(SLOW.split()))
FUNCTIONS = sorted({*filter(_is_seventh, TABLE), *COMMON.split()} - set(SLOW.split()))

pytestmark = pytest.mark.skipif(
    torch.__version__.partition("+")[0] != TABLE.torch_version,
    reason="the table was measured on another torch",
)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def shipped(name: str) -> tuple[Form, ...]:
    return TABLE.operator(name).forms


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_does_what_the_table_says(name: str) -> None:
    measured = measure_layer(name)
    assert measured is not None
    assert measured.forms == shipped(name)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_operator_does_what_the_table_says(name: str) -> None:
    measured = measure_function(name)
    assert measured is not None
    assert measured.forms == shipped(name)
