"""What the engine runs in a thread of its own, for a GPU, counts as its caller's."""

import pytest

from autograd_lint.live.findings import findings_of
from autograd_lint.live.tracing import Tracer
from tests.live.cuda.programs import printed
from tests.live.programs import Run

CHECKPOINT = """
    from torch.utils.checkpoint import checkpoint
    net = nn.Sequential(nn.Linear(3, 3), nn.Tanh()).cuda()
    x = torch.randn(2, 3, device="cuda", requires_grad=True)
    checkpoint(net, x, use_reentrant=True).sum().backward()
    print(x.grad is None)
    """


def test_a_cut_in_a_custom_backward_is_told(traced: Run) -> None:
    run = traced(
        """
        import torch
        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x
            @staticmethod
            def backward(ctx, g):
                (x,) = ctx.saved_tensors
                return 2 * x.detach() * g
        x = torch.full((1,), 3.0, device="cuda", requires_grad=True)
        torch.autograd.grad(Square.apply(x), x, create_graph=True)
        """
    )
    assert [(one.code, one.place.row) for one in findings_of(run.tracer.faults)] == [("AG604", 10)]


@pytest.mark.filterwarnings("always")
def test_a_warning_of_a_hook_stands_at_the_call_of_backward(traced: Run) -> None:
    run = traced(
        """
        import torch
        net = torch.nn.Linear(2, 2).cuda()
        net.register_full_backward_hook(lambda module, inner, outer: None)
        net(torch.ones(1, 2, device="cuda")).sum().backward()
        """
    )
    assert [(one.code, one.place.row) for one in findings_of(run.tracer.faults)] == [("AG310", 4)]


def test_the_call_that_a_checkpoint_makes_is_part_of_the_programs(traced: Run) -> None:
    tracer = Tracer(2)
    assert printed(CHECKPOINT, tracer) == "False\n"
    (attention,) = tracer._attentions
    assert (attention.rounds, tracer._left) == (1, 1)


def test_what_a_second_derivative_saves_is_named_as_on_the_cpu(traced: Run) -> None:
    run = traced(
        """
        import torch
        x = torch.full((2,), 3.0, device="cuda", requires_grad=True)
        y = x.exp()
        (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        h = g.sin()
        h.mul_(2)
        k = h.exp()
        k.add_(1)
        k.sum().backward()
        """
    )
    assert run.rows() == {"saved": 7, "modified": 8, "needed": 9}
