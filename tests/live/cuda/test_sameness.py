"""A traced program on a GPU computes the same bits, on the same streams, and nothing is found."""

from pathlib import Path
from textwrap import dedent

import pytest

from autograd_lint.live.attention import WHOLE_RUN
from autograd_lint.live.tracing import Tracer
from tests.live.cuda.programs import codes, printed
from tests.live.test_program import python, trace

PROGRAMS = {
    "a convolutional network": """
        torch.backends.cudnn.deterministic = True
        net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(inplace=True),
            nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2)).cuda()
        opt = torch.optim.Adam(net.parameters())
        for _ in range(3):
            opt.zero_grad()
            net(torch.randn(4, 3, 16, 16, device="cuda")).pow(2).mean().backward()
            opt.step()
        bits(*net.parameters(), *net.buffers())
        print(torch.rand(3, device="cuda").tolist())
        """,
    "a transformer layer": """
        layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).cuda()
        layer(torch.randn(2, 5, 16, device="cuda")).sum().backward()
        bits(*(p.grad for p in layer.parameters()))
        layer.eval()
        with torch.no_grad():
            bits(layer(torch.ones(2, 5, 16, device="cuda")))
        """,
    "an LSTM": """
        net = nn.LSTM(3, 4, 2, dropout=0.5).cuda()
        net(torch.randn(5, 2, 3, device="cuda"))[0].sum().backward()
        bits(*(p.grad for p in net.parameters()))
        """,
    "a side stream": """
        side, net = torch.cuda.Stream(), nn.Linear(64, 64).cuda()
        x = torch.randn(32, 64, device="cuda")
        for _ in range(3):
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                torch.cuda._sleep(10_000_000)
                h = net(x).relu()
            torch.cuda.current_stream().wait_stream(side)
            h.record_stream(torch.cuda.current_stream())
            h.square().mean().backward()
            del h
        print(torch.cuda.current_stream() == torch.cuda.default_stream())
        bits(net.weight.grad)
        """,
    "weights that are averaged on a side stream": """
        side, net = torch.cuda.Stream(), nn.Linear(8, 8).cuda()
        average = [p.detach().clone() for p in net.parameters()]
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            opt.zero_grad()
            net(torch.randn(4, 8, device="cuda")).square().mean().backward()
            opt.step()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for mean, p in zip(average, net.parameters()):
                    mean.data.mul_(0.9).add_(p.data, alpha=0.1)
            torch.cuda.current_stream().wait_stream(side)
        bits(*average)
        """,
    "autocast and a scaler": """
        net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)).cuda()
        opt, scaler = torch.optim.AdamW(net.parameters()), torch.amp.GradScaler("cuda")
        for number in range(5):
            opt.zero_grad()
            with torch.autocast("cuda", dtype=torch.float16):
                loss = net(torch.randn(4, 8, device="cuda")).square().mean()
            scaler.scale(loss * (float("inf") if number == 2 else 1)).backward()
            scaler.unscale_(opt)
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            scaler.step(opt)
            scaler.update()
            print(scaler.get_scale())
        bits(*net.parameters())
        """,
    "copies that do not wait": """
        net = nn.Linear(3, 3).cuda()
        host = torch.empty(2, 3).pin_memory()
        for number in range(3):
            host.fill_(number)
            x = host.to("cuda", non_blocking=True)
            torch.cuda.synchronize()
            y = net(x)
            back = torch.empty(2, 3).pin_memory()
            back.copy_(y.detach(), non_blocking=True)
            y.sum().backward()
            torch.cuda.synchronize()
            bits(back)
        bits(net.weight.grad)
        """,
    "a loader that pins memory": """
        from torch.utils.data import DataLoader, TensorDataset
        net = nn.Linear(2, 1).cuda()
        data = TensorDataset(torch.arange(12.0).reshape(6, 2))
        for (x,) in DataLoader(data, batch_size=2, num_workers=1, pin_memory=True):
            print(x.is_pinned())
            net(x.cuda(non_blocking=True)).sum().backward()
        bits(net.weight.grad)
        """,
    "DataParallel": """
        net = nn.DataParallel(nn.Linear(4, 2).cuda(), device_ids=[0])
        net(torch.randn(3, 4).cuda()).sum().backward()
        bits(*(p.grad for p in net.parameters()))
        """,
    "threads of DataParallel": """
        from torch.nn.parallel import parallel_apply
        nets = [nn.Linear(4, 2).cuda() for _ in range(2)]
        x = torch.randn(3, 4, device="cuda")
        outputs = parallel_apply(nets, [(x,), (x,)], devices=[0, 0])
        sum(one.sum() for one in outputs).backward()
        bits(*(net.weight.grad for net in nets))
        """,
    "both kinds of checkpoints": """
        from torch.utils.checkpoint import checkpoint
        net = nn.Sequential(nn.Linear(3, 3), nn.Dropout(), nn.Linear(3, 1)).cuda()
        for reentrant in (True, False):
            x = torch.randn(2, 3, device="cuda", requires_grad=True)
            checkpoint(net, x, use_reentrant=reentrant).sum().backward()
            bits(x.grad)
        """,
    "saved tensors on the CPU": """
        x = torch.randn(8, device="cuda", requires_grad=True)
        with torch.autograd.graph.save_on_cpu(pin_memory=True):
            y = x.exp().sin()
        y.sum().backward()
        bits(x.grad)
        """,
}
WHOLE_PROGRAMS = {
    "DistributedDataParallel": """
        import os, torch
        import torch.distributed as dist
        from torch.nn.parallel import DistributedDataParallel
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29517")
        dist.init_process_group("nccl", rank=0, world_size=1)
        torch.manual_seed(0)
        net = DistributedDataParallel(torch.nn.Linear(4, 2).cuda(), device_ids=[0])
        for _ in range(2):
            net(torch.ones(3, 4, device="cuda")).sum().backward()
        print([p.grad.tolist() for p in net.parameters()])
        dist.destroy_process_group()
        """,
    "torch.compile": """
        import torch
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.GELU()).cuda()
        compiled = torch.compile(net, fullgraph=True)
        for _ in range(2):
            compiled(torch.ones(4, 8, device="cuda")).square().sum().backward()
        print([p.grad.tolist() for p in net.parameters()])
        print(torch._dynamo.utils.counters["stats"]["unique_graphs"])
        """,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("calls", [WHOLE_RUN, 1, 0])
@pytest.mark.parametrize("name", PROGRAMS)
def test_same_output_with_and_without_the_tracer(name: str, calls: int) -> None:
    plain = printed(PROGRAMS[name])
    assert plain
    tracer = Tracer(calls)
    assert printed(PROGRAMS[name], tracer) == plain
    assert tracer.unseen == {}
    assert codes(tracer) == []


@pytest.mark.parametrize("name", WHOLE_PROGRAMS)
def test_same_output_of_a_process(name: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(dedent(WHOLE_PROGRAMS[name]))
    plain, traced = python("program.py", cwd=tmp_path), trace("program.py", cwd=tmp_path)
    assert plain.returncode == 0, plain.stderr
    assert (traced.stdout, traced.returncode) == (plain.stdout, 0)
    assert "traced, nothing found" in traced.stderr
