"""Which kernels attention takes, and whether they have a second derivative."""

import pytest

from tests.vm.running import HEAD, kinds

TWICE = """
import torch.nn.functional as F
from torch.backends import cuda
from torch.nn.attention import SDPBackend, sdpa_kernel
q = torch.ones(2, 2, 4, 8, requires_grad=True)
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
{attended}
gradient = torch.autograd.grad(out.sum(), q, create_graph=True)[0]
gradient.sum().backward()
"""


@pytest.mark.filterwarnings("ignore:.*sdp_kernel.*is deprecated:FutureWarning")
@pytest.mark.parametrize(
    "attended",
    [
        "with sdpa_kernel(SDPBackend.MATH):\n    out = attend(q)",
        "with sdpa_kernel([SDPBackend.MATH]):\n    out = attend(q)",
        "with cuda.sdp_kernel(enable_flash=False, enable_math=True):\n    out = attend(q)",
        "out = sdpa_kernel(SDPBackend.MATH)(attend)(q)",
    ],
)
def test_attention_in_plain_operators_can_be_differentiated_twice(attended: str) -> None:
    exec(HEAD + TWICE.format(attended=attended), {})
    assert kinds(TWICE.format(attended=attended)) == []


@pytest.mark.parametrize(
    "attended",
    [
        "out = attend(q)",
        "with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.MATH]):\n    out = attend(q)",
        "with sdpa_kernel(SDPBackend.MATH):\n    attend(q)\nout = attend(q)",
    ],
)
def test_a_fused_kernel_cannot(attended: str) -> None:
    with pytest.raises(RuntimeError, match="is not implemented"):
        exec(HEAD + TWICE.format(attended=attended), {})
    assert kinds(TWICE.format(attended=attended)) == ["other"]


def test_a_kernel_that_is_switched_off_stays_off() -> None:
    off = "cuda.enable_flash_sdp(False)\nout = attend(q)"
    assert kinds(TWICE.format(attended=off)) == []
    on = "cuda.enable_flash_sdp(False)\ncuda.enable_flash_sdp(True)\nout = attend(q)"
    assert kinds(TWICE.format(attended=on)) == ["other"]
