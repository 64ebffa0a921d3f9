"""`check --confirm --device cuda`."""

from pathlib import Path

import pytest

from tests.live.test_program import python

PROGRAM = """\
import torch

h = torch.zeros(3, device="cuda", requires_grad=True).exp()
h.add_(1)
h.sum().backward()
"""
STEP = """\
import torch


class Net(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = torch.nn.Linear(width, width)

    def forward(self, x):
        h = self.layer(x).sigmoid()
        h += 1
        return h
"""


@pytest.mark.parametrize("program", [PROGRAM, STEP])
@pytest.mark.parametrize("options", [(), ("--confirm-unconfined",)])
def test_finding_is_confirmed_on_the_device(
    program: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "program.py").write_text(program)
    command = ["check", "--no-cache", "--confirm", "--device", "cuda", *options, "program.py"]
    ran = python("-m", "autograd_lint", *command, cwd=tmp_path)
    assert "1 confirmed" in ran.stdout, ran.stdout + ran.stderr
