"""What a CUDA graph captures is what it captures without the tracer."""

import pytest

from autograd_lint.live.tracing import Tracer
from tests.live.cuda.programs import codes, printed

TRAINING = """
    net = nn.Sequential(nn.Linear(8, 8), nn.ReLU(inplace=True), nn.Linear(8, 1)).cuda()
    opt = torch.optim.Adam(net.parameters(), capturable=True)
    x = torch.randn(4, 8, device="cuda")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            opt.zero_grad(set_to_none=True)
            net(x).square().mean().backward()
            opt.step()
    torch.cuda.current_stream().wait_stream(side)
    captured = torch.cuda.CUDAGraph()
    opt.zero_grad(set_to_none=True)
    with torch.cuda.graph(captured):
        loss = net(x).square().mean()
        loss.backward()
        opt.step()
    for _ in range(3):
        x.copy_(torch.randn(4, 8, device="cuda"))
        captured.replay()
        print(loss.item())
    bits(*net.parameters())
    """
PROGRAMS = {
    "a whole step": TRAINING,
    "a write through `.data`": """
        x = torch.zeros(16, device="cuda", requires_grad=True)
        captured = torch.cuda.CUDAGraph()
        with torch.cuda.graph(captured):
            h = x.sigmoid()
            h.data.mul_(1)
            h.sum().backward()
        x.grad.zero_()
        captured.replay()
        bits(h, x.grad)
        """,
    "an average that is captured": """
        p, mean = torch.randn(16, device="cuda"), torch.zeros(16, device="cuda")
        mean.data.mul_(0.9)
        captured = torch.cuda.CUDAGraph()
        with torch.cuda.graph(captured):
            mean.data.mul_(0.9).add_(p.data)
            torch._foreach_mul_([mean], 2.0)
        captured.replay()
        bits(mean)
        """,
    "graphed callables": """
        net = nn.Sequential(nn.Linear(8, 8), nn.Tanh()).cuda()
        x = torch.randn(4, 8, device="cuda")
        graphed = torch.cuda.make_graphed_callables(net, (x.clone(),))
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            opt.zero_grad()
            graphed(x).sum().backward()
            opt.step()
        bits(*net.parameters())
        """,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_replays_as_without_the_tracer(name: str) -> None:
    plain = printed(PROGRAMS[name])
    assert plain
    tracer = Tracer()
    assert printed(PROGRAMS[name], tracer) == plain
    assert tracer.unseen == {}
    assert codes(tracer) == []
