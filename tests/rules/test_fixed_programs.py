"""Whole programs, fixed: every line but those that need mending stays as it was written."""

from textwrap import dedent

import pytest

from autograd_lint.checking.pipeline import check_source
from autograd_lint.configuration.settings import Settings
from autograd_lint.findings import Finding
from autograd_lint.fixes.applying import apply
from autograd_lint.project.source import Source


def findings(data: bytes) -> list[Finding]:
    return check_source(Source("a.py", data.decode()), Settings())


def fixed(text: str, unsafe: bool = True) -> str:
    data = dedent(text).encode()
    return apply(data, "a.py", findings(data), findings, unsafe).data.decode()


def runs(text: str) -> None:
    exec(compile(text, "a.py", "exec"), {})


def test_several_fixes_in_one_file_converge() -> None:
    text = fixed("""\
        import torch  as  th   # an own name

        w = th.ones(3, requires_grad=True)
        b = th.ones(3, requires_grad=True)
        optimizer = th.optim.SGD([w, b],
                                 lr=0.1)  # slow
        h = th.sigmoid(w * b)
        h.mul_(   # twice
            2,    # as much
        )
        (h + b).sum().backward( )  # one backward
        w -= 0.1 * w.grad
        b -= (
            0.1   # the rate
            * b.grad
        )
        """)
    assert text == dedent("""\
        import torch  as  th   # an own name

        w = th.ones(3, requires_grad=True)
        b = th.ones(3, requires_grad=True)
        optimizer = th.optim.SGD([w, b],
                                 lr=0.1)  # slow
        h = th.sigmoid(w * b)
        h = h.mul(   # twice
            2,    # as much
        )
        (h + b).sum().backward( )  # one backward
        with th.no_grad():
            w -= 0.1 * w.grad
            b -= (
                0.1   # the rate
                * b.grad
            )
        """)
    runs(text)
    assert findings(text.encode()) == []


def test_safe_fixes_alone_leave_the_others() -> None:
    program = """\
        import torch

        w = torch.ones(3, requires_grad=True)
        w += 1
        """
    assert fixed(program, unsafe=False) == dedent(program)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("h[0] = h[1] * 2", "h = h.clone()\nh[0] = h[1].clone() * 2"),
        ("h += 1; x = 2", "h = h + 1; x = 2"),
        ("y = torch.relu_(h)", "y = torch.relu(h)"),
        ("torch.relu_(h)", "h = torch.relu(h)"),
        ("F.relu(h, inplace=True)", "h = F.relu(h)"),
        ("torch.add(h, 1, out=h)", "h = torch.add(h, 1)"),
        ("h.add_(1).mul_(2)", "h = h.add(1).mul(2)"),
        ("h.zero_()", "h = torch.zeros_like(h)"),
        ("if True: h += 1", "if True: h = h + 1"),
        ("act = torch.nn.ReLU(inplace=True)\ny = act(h)", "act = torch.nn.ReLU()\ny = act(h)"),
        ("y = torch.nn.ReLU(inplace=True)(h)", "y = torch.nn.ReLU(inplace=True)(h.clone())"),
    ],
)
def test_a_write_to_what_was_saved_makes_a_new_tensor(before: str, after: str) -> None:
    head = "import torch\nimport torch.nn.functional as F\nw = torch.ones(3, requires_grad=True)\n"
    head += "h = torch.sigmoid(w).detach()\nloss = (h * w).sum()\n"
    tail = "\nloss.backward()\n"
    text = fixed(head + before + tail)
    assert text == head + after + tail
    runs(text)


def test_state_is_cut_after_backward() -> None:
    text = fixed("""\
        import torch

        lstm = torch.nn.LSTM(2, 2)
        state = (torch.zeros(1, 1, 2), torch.zeros(1, 1, 2))
        for _ in range(3):
            out, state = lstm(torch.ones(1, 1, 2), state)
            out.sum().backward()  # this step
        """)
    line = "    out.sum().backward()  # this step\n"
    cut = "    state = tuple(part.detach() for part in state)\n"
    assert line + cut in text
    runs(text)


def test_a_penalty_by_itself_is_given_a_graph() -> None:
    text = fixed("""\
        import torch

        critic = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))
        x = torch.ones(3, 2, requires_grad=True)
        grad = torch.autograd.grad(critic(x).sum(), x)[0]
        (grad.norm(dim=1) - 1).pow(2).mean().backward()
        """)
    assert "torch.autograd.grad(critic(x).sum(), x, create_graph=True)[0]" in text
    runs(text)
