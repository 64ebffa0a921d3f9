"""The tracer takes no memory of the GPU, and tells of that of tensors, not of the allocator's."""

from collections.abc import Callable

import pytest
import torch
from torch import nn

import autograd_lint
from autograd_lint.live.tracing import Tracer
from tests.live.cuda.programs import measured

BLOCK = 512  # bytes, the least that the allocator hands out


def convolutions() -> None:
    torch.manual_seed(0)
    net = nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.Flatten(), nn.LazyLinear(2)
    ).cuda()
    train(net, torch.randn(4, 3, 16, 16, device="cuda"))


def transformer() -> None:
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    train(layer.cuda(), torch.randn(4, 8, 16, device="cuda"))


def train(net: nn.Module, batch: torch.Tensor) -> None:
    net(batch)
    optimizer = torch.optim.AdamW(net.parameters())
    for _ in range(4):
        optimizer.zero_grad()
        net(batch).square().mean().backward()
        optimizer.step()


def peak() -> int:
    """The most that was in use."""
    return int(torch.cuda.max_memory_allocated())


PROGRAMS: list[Callable[[], None]] = [convolutions, transformer]


@pytest.mark.parametrize("program", PROGRAMS)
def test_as_much_in_use_as_without_the_tracer(program: Callable[[], None]) -> None:
    program()

    def most() -> int:
        torch.cuda.reset_peak_memory_stats()
        measured(program, peak)
        return peak()

    plain = most()
    with Tracer():
        assert most() == plain


@pytest.mark.parametrize("program", PROGRAMS)
def test_nothing_is_kept_after_a_run(program: Callable[[], None]) -> None:
    program()
    with Tracer():
        assert measured(program, torch.cuda.memory_allocated) == 0


def test_what_was_there_before_many_hidden_writes_takes_no_memory_of_the_gpu() -> None:
    mean, other = torch.ones(1 << 16, device="cuda"), torch.ones(1 << 16, device="cuda")

    def average() -> None:
        for _ in range(100):
            mean.data.mul_(0.9).add_(other.data)

    average()
    with Tracer():
        assert measured(average, torch.cuda.memory_allocated) == 0


def test_tensors_are_told_with_their_own_size() -> None:
    with autograd_lint.trace() as report:
        torch.ones(3, device="cuda", requires_grad=True).exp().sum().backward()
    (kept,) = [one for one in report.saved[0].kept if not one.shared]
    assert kept.bytes == 12 < BLOCK
