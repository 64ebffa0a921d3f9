"""What findings say of whole programs: their names, their remedies, their places."""

from textwrap import dedent

import pytest

from autograd_lint.checking.pipeline import check_source
from autograd_lint.configuration.settings import Settings
from autograd_lint.findings import Certainty, Finding
from autograd_lint.project.source import Source


def found(text: str, code: str) -> Finding:
    """The one finding of a rule in a program."""
    source = Source("program.py", dedent(text))
    findings = check_source(source, Settings(certainty=Certainty.POSSIBLE))
    (finding,) = (one for one in findings if one.code == code)
    return finding


def test_out_is_what_an_operator_cannot_write_to() -> None:
    finding = found(
        """
        import torch
        w = torch.ones(3, requires_grad=True)
        buffer = torch.empty(3)
        torch.mul(w, 2, out=buffer)
        """,
        "AG107",
    )
    assert finding.message == "`mul` cannot write to `buffer` here"


@pytest.mark.parametrize(
    ("body", "remedy"),
    [
        ("x += 1\n    return x.exp()", "write `x = x + 1`, which makes a new tensor"),
        ("return F.relu(x, inplace=True).sum()", "remove `inplace=True` and use the returned tens"),
    ],
)
def test_the_remedy_for_an_overwritten_argument_is_for_this_write(body: str, remedy: str) -> None:
    finding = found(
        f"""
import torch
import torch.nn.functional as F
def block(x):
    {body}
x = torch.ones(3)
print(block(x) + x)
""",
        "AG110",
    )
    assert finding.help.startswith(remedy)


def test_a_gradient_of_another_size_is_not_called_none() -> None:
    finding = found(
        """
        import torch
        w = torch.ones(3, requires_grad=True)
        w.grad = torch.zeros(2)
        """,
        "AG310",
    )
    assert finding.message == "PyTorch refuses `grad` for `w`"


@pytest.mark.parametrize(
    ("loss", "applied"),
    [("cross_entropy", "softmax"), ("binary_cross_entropy_with_logits", "sigmoid")],
)
def test_the_loss_says_which_function_it_applies(loss: str, applied: str) -> None:
    finding = found(
        f"""
        import torch
        import torch.nn.functional as F
        logits = torch.zeros(1, 3, requires_grad=True)
        F.{loss}(logits.{applied}(-1), torch.zeros(1, 3)).backward()
        """.replace("sigmoid(-1)", "sigmoid()"),
        "AG345",
    )
    assert finding.reason == f"`{loss}` expects logits: it applies {applied} to them itself"


def test_the_backward_of_a_module_is_told_at_its_definition() -> None:
    finding = found(
        """
        from torch import nn
        class Reversal(nn.Module):
            def forward(self, x):
                return x.clone()
            def backward(self, grad):
                return -grad
        """,
        "AG606",
    )
    assert (finding.place.row, finding.place.column) == (6, 5)


@pytest.mark.parametrize(
    ("program", "message", "reason"),
    [
        (
            """
            import threading
            import torch
            w = torch.ones(2, requires_grad=True)
            def work():
                w * 2
            with torch.no_grad():
                threading.Thread(target=work).start()
            """,
            "a thread does not inherit",
            "a new thread begins",
        ),
        (
            """
            import torch
            @torch.no_grad()
            async def work(w):
                return w * 2
            """,
            "an `async def` function does not inherit",
            "a coroutine runs after its decorator",
        ),
    ],
)
def test_who_does_not_inherit_a_mode_is_told_why(program: str, message: str, reason: str) -> None:
    finding = found(program, "AG333")
    assert finding.message.startswith(message)
    assert finding.reason.startswith(reason)
