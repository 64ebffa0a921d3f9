"""What tracing costs: CPU time of a training step and memory, against the untraced run.

    python benchmarks/trace_overhead.py [--steps N] [--rounds N] [--device cpu|cuda]

Each workload runs in a forked child for each way to run it, the ways one after the other, and again
in every round; of all rounds the least CPU time of a step counts, and of their peaks of resident
memory the middle one. `anomaly` is torch.autograd.set_detect_anomaly; `window` traces the first
calls of backward only, and is timed after them; `failures only` starts untraced, and looks into the
graph when backward raises. Memory is what a run needs at most of its own (RSS): torch's code, of
which any dispatch mode makes more be read (some 1.4 MB), and what is loaded once do not count.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import pickle
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from statistics import median

os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch
from torch import nn

from autograd_lint.live.tracing import WHOLE_RUN, Tracer

Step = Callable[[], None]


def mlp(device: str) -> tuple[nn.Module, Step]:
    """Three linear layers."""
    net = nn.Sequential(
        nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10)
    ).to(device)
    return trained(net, torch.randn(128, 64, device=device))


def cnn(device: str) -> tuple[nn.Module, Step]:
    """A small convolutional network with batch norm."""
    net = nn.Sequential(
        nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(inplace=True), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3), nn.BatchNorm2d(32), nn.ReLU(inplace=True),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10),
    ).to(device)  # fmt: skip
    return trained(net, torch.randn(16, 3, 32, 32, device=device))


def transformer(device: str) -> tuple[nn.Module, Step]:
    """Four encoder layers."""
    layer = nn.TransformerEncoderLayer(128, 4, 256, batch_first=True)
    net = nn.TransformerEncoder(layer, 4).to(device)
    return trained(net, torch.randn(16, 32, 128, device=device))


class Recurrent(nn.Module):
    """A cell in a Python loop: many tiny nodes, the worst case."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.GRUCell(16, 32)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The last state."""
        state = x.new_zeros(x.shape[1], 32)
        for item in x:
            state = self.cell(item, state)
        return state


def rnn(device: str) -> tuple[nn.Module, Step]:
    """A GRU cell over forty items."""
    return trained(Recurrent().to(device), torch.randn(40, 16, 16, device=device))


def trained(net: nn.Module, batch: torch.Tensor) -> tuple[nn.Module, Step]:
    """A network and one training step of it."""
    optimizer = torch.optim.AdamW(net.parameters())

    def step() -> None:
        optimizer.zero_grad()
        net(batch).pow(2).mean().backward()
        optimizer.step()

    return net, step


WORKLOADS = {"MLP": mlp, "CNN": cnn, "transformer": transformer, "RNN": rnn}
WAYS: dict[str, Callable[[], AbstractContextManager[object]]] = {
    "plain": nullcontext,
    "traced": lambda: Tracer(WHOLE_RUN),
    "window": lambda: Tracer(3),
    "failures only": lambda: Tracer(0),
    "anomaly": lambda: torch.autograd.set_detect_anomaly(True),
}


def load() -> None:
    """Run every way once on as little as can be, and give the memory of that back."""
    for workload in WORKLOADS.values():
        for way in WAYS.values():
            _, step = workload("cpu")
            with way():
                step()
                step()
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)


def measured(workload: str, way: str, steps: int, device: str) -> tuple[float, int, int]:
    """Least CPU seconds of a step, peak memory in kilobytes, and a hash of the parameters."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, pickle.dumps(run(workload, way, steps, device)))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        result: tuple[float, int, int] = pickle.load(stream)
    os.waitpid(child, 0)
    return result


def peak() -> int:
    """The most kilobytes that this process has had of its own: code read from files left out."""
    lines = Path("/proc/self/status").read_text().splitlines()
    sizes = {line.split()[0]: int(line.split()[1]) for line in lines if line.endswith(" kB")}
    return sizes["VmHWM:"] - sizes["RssFile:"]


def run(workload: str, way: str, steps: int, device: str) -> tuple[float, int, int]:
    """The same in this process."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    net, step = WORKLOADS[workload](device)
    times = []
    with WAYS[way]():
        for _ in range(steps):
            start = time.process_time()
            step()
            times.append(time.process_time() - start)
    memory = peak()
    bits = [p.detach().cpu().view(torch.int32).sum().item() for p in net.parameters()]
    return min(times[5:]), memory, hash(tuple(bits))


def rounds(workload: str, number: int, steps: int, device: str) -> dict[str, tuple[float, float]]:
    """For every way the least time of a step and the middle peak of memory, of all rounds."""
    times: dict[str, list[float]] = {way: [] for way in WAYS}
    peaks: dict[str, list[int]] = {way: [] for way in WAYS}
    parameters = set()
    for _ in range(number):
        for way in WAYS:
            taken, used, bits = measured(workload, way, steps, device)
            times[way].append(taken)
            peaks[way].append(used)
            parameters.add(bits)
    assert len(parameters) == 1, f"{workload}: other parameters"
    return {way: (min(times[way]), median(peaks[way])) for way in WAYS}


def main() -> None:
    """Print a table of ratios."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    torch.set_num_threads(1)
    load()
    ways = [way for way in WAYS if way != "plain"]
    print(f"{'':12} {'plain':>10} " + " ".join(f"{way:>22}" for way in ways))
    for workload in WORKLOADS:
        found = rounds(workload, options.rounds, options.steps, options.device)
        plain, memory = found["plain"]
        cells = []
        for way in ways:
            taken, used = found[way]
            cells.append(f"{taken / plain:8.2f}x {(used - memory) / 1024:+6.1f} MB")
        print(f"{workload:12} {plain * 1e3:7.2f} ms " + " ".join(f"{cell:>22}" for cell in cells))


if __name__ == "__main__":
    main()
