"""Errors of the device are the program's own, and no line is told that torch does not know."""

from pathlib import Path
from textwrap import dedent

import pytest

from tests.live.test_program import python, trace

PROGRAMS = {
    "an index out of range": """
        import torch
        table = torch.nn.Embedding(4, 3).cuda()
        rows = torch.tensor([1, 9], device="cuda")
        loss = table(rows).sum()
        loss.backward()
        print(loss.item())
        """,
    "a label out of range": """
        import torch
        net = torch.nn.Linear(3, 4).cuda()
        opt = torch.optim.Adam(net.parameters())
        for label in (1, 7):
            opt.zero_grad()
            logits = net(torch.ones(1, 3, device="cuda"))
            torch.nn.functional.cross_entropy(logits, torch.tensor([label]).cuda()).backward()
            opt.step()
        torch.cuda.synchronize()
        """,
    "an assertion after a hidden write": """
        import torch
        x = torch.zeros(3, device="cuda", requires_grad=True)
        h = x.sigmoid()
        torch._assert_async(torch.zeros(1, device="cuda"))
        h.data.add_(1)
        h.sum().backward()
        print(x.grad)
        """,
    "an error that nobody waits for": """
        import os, torch
        x = torch.zeros(3, device="cuda", requires_grad=True)
        loss = x.sigmoid().sum()
        torch._assert_async(torch.zeros(1, device="cuda"))
        loss.backward()
        print("done", flush=True)
        os._exit(0)
        """,
    "out of memory": """
        import torch
        x = torch.zeros(1 << 20, device="cuda", requires_grad=True)
        try:
            (x.exp()[:, None] * torch.ones(1 << 22, device="cuda")).sum().backward()
        except torch.OutOfMemoryError as error:
            print(type(error).__name__)
        x.exp().sum().backward()
        print(x.grad.sum().item())
        """,
    "out of memory in backward": """
        import torch
        x = torch.zeros(1, device="cuda", requires_grad=True)
        torch.cuda.set_per_process_memory_fraction(0.01)
        x.expand(1 << 40).sum().backward()
        h = x.expand(1 << 40).abs()
        """,
}


def raised(stderr: str) -> list[str]:
    """The lines of the exception that ended a program; those before are the device's own.

    How much memory other processes leave free on the device is not among them.
    """
    lines = stderr.splitlines()
    start = next((row for row, line in enumerate(lines) if line.startswith("Traceback")), 0)
    told = [line for line in lines[start:] if not line.startswith("autograd-lint")]
    return [line.partition(" GPU ")[0] for line in told]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_error_is_the_programs_own_and_no_line_is_told(name: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(dedent(PROGRAMS[name]))
    plain, traced = python("program.py", cwd=tmp_path), trace("program.py", cwd=tmp_path)
    assert (traced.stdout, traced.returncode) == (plain.stdout, plain.returncode)
    errors = [one for one in raised(plain.stderr) if one.startswith(("torch.", "RuntimeError"))]
    assert [one for one in raised(traced.stderr) if one in errors] == errors
    assert "AG" not in traced.stderr.replace("AcceleratorError", "")
