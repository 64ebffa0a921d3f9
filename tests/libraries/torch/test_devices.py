"""`cpu()` copies what lies on another device; where that is not known, nothing rests on it."""

import pytest

from tests.vm.running import certain, kinds

SENT = """
def send(pipe, device):
    buffer = {}
    pipe.send(buffer[:, :2].{moved}.detach_())
"""
ELSEWHERE = [
    "torch.zeros(3, 4, device=device)",
    "torch.zeros(3, 4, device='cuda')",
    "torch.zeros_like(torch.zeros(3, 4, device=device))",
    "torch.zeros(3, 4).to(device)",
    "torch.zeros(3, 4).cuda()",
    "(torch.zeros(3, 4).cuda() * 2).exp()",
    "nn.Linear(4, 4)(torch.zeros(3, 4).to(device))",
    "nn.Linear(4, 4)(pipe.recv().cuda().flatten(1))",
    "nn.Linear(4, 4)(pipe.recv().to('cuda'))",
]
HERE = [
    "torch.zeros(3, 4)",
    "torch.zeros(3, 4, device=torch.device('cpu'))",
    "torch.zeros(3, 4, device=device).cpu()",
]


@pytest.mark.parametrize("moved", ["cpu()", "to('cpu')"])
@pytest.mark.parametrize("made", ELSEWHERE)
def test_what_comes_from_another_device_is_a_copy(made: str, moved: str) -> None:
    assert kinds(SENT.format(made, moved=moved)) == []


@pytest.mark.parametrize("made", HERE)
def test_what_lies_on_the_cpu_is_what_it_was(made: str) -> None:
    assert certain(SENT.format(made, moved="cpu()")) == ["view-modified"]
