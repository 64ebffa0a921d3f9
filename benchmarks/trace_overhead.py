"""What tracing costs: time of a loop and memory, against the untraced run.

    python -m benchmarks.trace_overhead [--steps N] [--rounds N] [--device cpu|cuda] [--time]

Each workload runs in a forked child for each way to run it, the ways one after the other, and again
in every round; the CPU time of all steps counts, in the middle one of the rounds, and on a GPU the
time until they are computed, beside the most memory of the GPU that was in use. `traced` is what
`autograd-lint trace` does by default, `all operators` what it does with `--backward-calls -1`;
`failures only` looks into the graph when backward raises; `anomaly` is
torch.autograd.set_detect_anomaly. With `--time`, memory is not measured.

Memory is the most that is allocated during a call of backward, when the graph is whole and the
tracer looks at it, in children that are not timed: every allocation of Python goes to the C library
there, which is asked while Python code runs. It differs by a few kilobytes from round to round, and
the middle one counts. (Resident memory differs by megabytes: it tells more of holes in the heap
than of who asked for memory.) What is loaded once does not count: the tracer's code, and the source
lines that anomaly mode keeps; nor do the interpreter's own caches, which are emptied before a look:
any dispatch mode, also one that does nothing, fills that of types with some 70 KB. `47 +28 KB, 0.1`
are what a way takes when it is opened, before anything is computed, what it takes beyond that, and
what of this has come since the middle of the run: all but that is taken once, however many steps
there are.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from statistics import median
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy
import torch
from torch import nn

from autograd_lint.live.attention import DEFAULT_CALLS, WHOLE_RUN
from autograd_lint.live.tracing import Tracer

Step = Callable[..., None]


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


def large(device: str) -> tuple[nn.Module, Step]:
    """Twelve encoder layers that keep a GPU busy."""
    layer = nn.TransformerEncoderLayer(1024, 16, 4096, batch_first=True)
    net = nn.TransformerEncoder(layer, 12).to(device)
    return trained(net, torch.randn(32, 256, 1024, device=device))


def rnn(device: str) -> tuple[nn.Module, Step]:
    """A GRU cell over forty items."""
    return trained(Recurrent().to(device), torch.randn(40, 16, 16, device=device))


def trained(net: nn.Module, batch: torch.Tensor) -> tuple[nn.Module, Step]:
    """A network and one training step of it, which may be told how to call backward."""
    return stepping(net, torch.optim.AdamW(net.parameters()), lambda: net(batch).pow(2).mean())


def stepping(
    net: nn.Module, optimizer: torch.optim.Optimizer, loss: Callable[[], torch.Tensor]
) -> tuple[nn.Module, Step]:
    """A step for a loss."""

    def step(backward: Callable[[torch.Tensor], None] = torch.Tensor.backward) -> None:
        optimizer.zero_grad()
        backward(loss())
        optimizer.step()

    return net, step


class ByHand(nn.Module):
    """A cell whose operators are written out."""

    def __init__(self) -> None:
        super().__init__()
        self.w, self.u = nn.Parameter(torch.randn(8, 8)), nn.Parameter(torch.randn(8, 8))
        self.b = nn.Parameter(torch.zeros(8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The last state."""
        state = x.new_zeros(x.shape[1], 8)
        for item in x:
            state = torch.tanh(item @ self.w + state @ self.u + self.b)
        return state


def by_hand(device: str) -> tuple[nn.Module, Step]:
    """A cell by hand over twenty items."""
    return trained(ByHand().to(device), torch.randn(20, 4, 8, device=device))


def scalars(device: str) -> tuple[nn.Module, Step]:
    """Two numbers that gradient descent finds."""
    held = nn.ParameterList([torch.tensor(1.0, device=device), torch.tensor(2.0, device=device)])
    one, two = held
    optimizer = torch.optim.SGD(held, lr=0.01)
    return stepping(held, optimizer, lambda: (one * 3 - two) ** 2 + one.abs())


def many_scalars(device: str) -> tuple[nn.Module, Step]:
    """Fifty numbers that gradient descent finds, each with terms of its own."""
    held = nn.ParameterList([torch.tensor(1 + at / 50, device=device) for at in range(50)])
    parameters = list(held)
    optimizer = torch.optim.SGD(held, lr=0.01)

    def loss() -> torch.Tensor:
        return torch.stack([(one * 3 - 2) ** 2 for one in parameters]).sum()

    return stepping(held, optimizer, loss)


def policy(device: str) -> tuple[nn.Module, Step]:
    """An update by the actions of twenty moments, each of which NumPy observes."""
    net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2)).to(device)
    random = numpy.random.default_rng(0)

    def loss() -> torch.Tensor:
        logs, rewards = [], []
        for _ in range(20):
            seen = torch.from_numpy(random.standard_normal(4).astype(numpy.float32)).to(device)
            choice = torch.distributions.Categorical(logits=net(seen))
            action = choice.sample()
            logs.append(choice.log_prob(action))
            rewards.append(float(action.item()))
        gained = torch.tensor(rewards, device=device)
        return -(torch.stack(logs) * (gained - gained.mean())).sum()

    return stepping(net, torch.optim.Adam(net.parameters()), loss)


def samples(device: str) -> tuple[nn.Module, Step]:
    """A hundred samples that NumPy draws and torch normalizes; nothing calls backward."""
    random = numpy.random.default_rng(0)

    def step(backward: object = None) -> None:
        for _ in range(100):
            sample = torch.from_numpy(random.standard_normal(8)).float()
            (sample - sample.mean()) / (sample.std() + 1e-6)

    return nn.Module(), step


def collate(device: str) -> tuple[nn.Module, Step]:
    """Ten batches that are put together of numbers; nothing calls backward."""

    def step(backward: object = None) -> None:
        for _ in range(10):
            pairs = [(torch.tensor([at, at + 1]), torch.tensor(float(at))) for at in range(8)]
            torch.stack([x for x, _ in pairs]).float().mean()
            float(torch.stack([y for _, y in pairs]).sum())

    return nn.Module(), step


WORKLOADS = {
    "MLP": mlp,
    "CNN": cnn,
    "transformer": transformer,
    "RNN": rnn,
    "cell by hand": by_hand,
    "scalars": scalars,
    "fifty": many_scalars,
    "policy": policy,
    "samples": samples,
    "collate": collate,
}
ON_GPU = {**WORKLOADS, "large": large}


def workloads_of(device: str) -> dict[str, Callable[[str], tuple[nn.Module, Step]]]:
    """What is measured on a device."""
    return WORKLOADS if device == "cpu" else ON_GPU


WAYS: dict[str, Callable[[], AbstractContextManager[object]]] = {
    "plain": nullcontext,
    "traced": lambda: Tracer(DEFAULT_CALLS),
    "all operators": lambda: Tracer(WHOLE_RUN),
    "failures only": lambda: Tracer(0),
    "anomaly": lambda: torch.autograd.set_detect_anomaly(True),
}


# Small objects, too, are to be counted one by one, and freed ones at once.
_COUNTED = {"PYTHONMALLOC": "malloc", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}
_WARMING = 10  # steps
_LOOKED_AT = 4  # steps at the beginning and at the end of a run
_AT_FIRST, _APART = 100, 11  # looks take a while: after so many calls and returns, further apart


class Allocated(ctypes.Structure):
    """What `mallinfo2` of the C library returns."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd",
            "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost",
        )
    )  # fmt: skip


def load() -> None:
    """Run every way until what it loads is there, and Python's caches are full.

    Python keeps a table of the lines of each function that is looked at: all are looked at here.
    """
    torch.set_num_threads(1)
    for workload in WORKLOADS.values():
        for way in WAYS.values():
            _, step = workload("cpu")
            with way():
                for _ in range(_WARMING):
                    sys.setprofile(lambda frame, event, argument: None)
                    step()
                    sys.setprofile(None)
    gc.collect()


def in_child(measure: Callable[[], Any]) -> Any:
    """What `measure` returns in a forked child."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, pickle.dumps(measure()))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        result = pickle.load(stream)
    os.waitpid(child, 0)
    return result


def now(device: str) -> float:
    """CPU seconds; on a GPU those of a clock, when all is computed."""
    if device == "cpu":
        return time.process_time()
    torch.cuda.synchronize()
    return time.perf_counter()


def timed(workload: str, way: str, steps: int, device: str) -> tuple[float, int, int]:
    """Seconds of a step on average, the most bytes of a GPU, and a hash of the parameters."""
    torch.manual_seed(0)
    torch.backends.cudnn.deterministic = True
    net, step = workloads_of(device)[workload](device)
    with WAYS[way]():
        for _ in range(0 if device == "cpu" else _WARMING):
            step()
        start = now(device)
        for _ in range(steps):
            step()
        taken = now(device) - start
    most = 0 if device == "cpu" else torch.cuda.max_memory_allocated()
    bits = [p.detach().cpu().view(torch.int32).sum().item() for p in net.parameters()]
    return taken / steps, most, hash(tuple(bits))


def times_of(
    workload: str, rounds: int, steps: int, device: str
) -> tuple[dict[str, float], dict[str, int]]:
    """For every way the time of a step, and the bytes of a GPU."""
    times: dict[str, list[float]] = {way: [] for way in WAYS}
    most: dict[str, int] = {}
    parameters = set()
    for _ in range(rounds):
        for way in WAYS:
            taken, most[way], bits = in_child(partial(timed, workload, way, steps, device))
            times[way].append(taken)
            parameters.add(bits)
    if len(parameters) > 1:
        print(f"{workload}: other parameters")
    return {way: median(times[way]) for way in WAYS}, most


def allocated(ask: Callable[[], Any]) -> int:
    """The bytes that this process has taken of the C library, by what the library tells."""
    now = ask()
    return int(now.uordblks + now.hblkhd)


class Taken(NamedTuple):
    """The bytes that a way takes when it is opened, the most bytes of this process in the first,
    the middle and the last steps of a run, and those that it has taken since the middle one."""

    opened: float
    most: float
    grown: float


def most_allocated(workload: str, way: str, steps: int, device: str) -> Taken:
    """What a way takes in a run."""
    ask: Any = ctypes.CDLL(None).mallinfo2
    ask.restype = Allocated
    most = events = 0
    held: list[int] = []  # at the beginning of backward in these steps

    def look(frame: Any, event: str, argument: Any) -> None:
        nonlocal most, events
        if events < _AT_FIRST or events % _APART == 0:
            most = max(most, allocated(ask))
        events += 1

    def backward(loss: torch.Tensor) -> None:
        nonlocal events
        events = 0
        gc.collect()
        sys._clear_type_cache()
        held.append(allocated(ask))
        sys.setprofile(look)
        loss.backward()
        sys.setprofile(None)

    torch.manual_seed(0)
    _, step = workloads_of(device)[workload](device)
    gc.collect()
    sys._clear_type_cache()
    before = allocated(ask)
    with WAYS[way]():
        sys._clear_type_cache()
        opened = allocated(ask) - before
        for number in range(steps):
            seen = number == steps // 2 or min(number, steps - 1 - number) < _LOOKED_AT
            step(backward if seen else torch.Tensor.backward)
    return Taken(opened, most, held[-1] - held[_LOOKED_AT] if held else 0)


def print_memory(rounds: int, steps: int, device: str) -> None:
    """Print, for every workload and way, the kilobytes at its opening and those above the plain
    run, in all and since the middle."""
    found: dict[str, dict[str, Taken]] = {}
    for workload in workloads_of(device):
        runs = {way: partial(most_allocated, workload, way, steps, device) for way in WAYS}
        ran = {way: [in_child(run) for _ in range(rounds)] for way, run in runs.items()}
        taken = {way: Taken(*map(median, zip(*ran[way], strict=True))) for way in WAYS}
        plain = taken["plain"]
        found[workload] = {
            way: Taken(
                one.opened / 1024, (one.most - plain.most) / 1024, (one.grown - plain.grown) / 1024
            )
            for way, one in taken.items()
        }
    print(json.dumps(found))


def memory(options: argparse.Namespace) -> dict[str, dict[str, Taken]]:
    """The same, measured where every allocation is counted."""
    sizes = ["--rounds", str(options.rounds), "--steps", str(options.steps)]
    command = [sys.executable, __file__, "--memory", "--device", options.device, *sizes]
    ran = subprocess.run(command, check=True, capture_output=True, env=os.environ | _COUNTED)
    told: dict[str, dict[str, list[float]]] = json.loads(ran.stdout)
    return {work: {way: Taken(*one) for way, one in by.items()} for work, by in told.items()}


def main() -> None:
    """Print a table of ratios, and of kilobytes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--time", action="store_true", help="measure no memory")
    parser.add_argument("--memory", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if (
        options.device == "cpu"
    ):  # else CUDA would be asked for, which a forked child cannot use then
        load()
    if options.memory:
        print_memory(options.rounds, options.steps, options.device)
        return
    kilobytes = {} if options.time else memory(options)
    ways = [way for way in WAYS if way != "plain"]
    print(f"{'':12} {'plain':>10} " + " ".join(f"{way:>29}" for way in ways))
    for workload in workloads_of(options.device):
        times, most = times_of(workload, options.rounds, options.steps, options.device)
        plain = times["plain"]
        taken = kilobytes.get(workload, {}).items()
        more = {
            way: f" {one.opened:3.0f} +{one.most - one.opened:5.0f} KB, {one.grown:4.1f}"
            for way, one in taken
        }
        cells = [f"{times[way] / plain:8.2f}x{more.get(way, '')}" for way in ways]
        row = f"{workload:12} {plain * 1e3:7.2f} ms " + " ".join(f"{cell:>29}" for cell in cells)
        print(row, flush=True)
        if options.device != "cpu":
            used_more = [f"{(most[way] - most['plain']) / 1024:+7.0f} KB" for way in ways]
            used = f"{most['plain'] / 2**20:7.1f} MB"
            print(f"{'  of the GPU':12} {used} " + " ".join(f"{cell:>29}" for cell in used_more))


if __name__ == "__main__":
    main()
