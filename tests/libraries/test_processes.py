"""What a program runs in processes of their own."""

import pytest

from tests.vm.running import certain

PROGRAM = """
import multiprocessing
import torch.multiprocessing as mp

w = torch.ones(3, requires_grad=True)

def train(number, scale):
    y = w.exp()
    y.mul_(scale)
    y.sum().backward()

if __name__ == "__main__":
    with torch.no_grad():
        {start}
"""
STARTS = [
    "mp.spawn(train, args=(2,), nprocs=4)",
    "mp.start_processes(fn=train, args=(2,))",
    "mp.Process(target=train, args=(0, 2)).start()",
    "multiprocessing.Process(target=train, args=(0,), kwargs={'scale': 2}).start()",
]


@pytest.mark.parametrize("start", STARTS)
def test_a_process_runs_its_function_in_grad_mode(start: str) -> None:
    assert certain(PROGRAM.format(start=start)) == ["saved-tensor-modified"]


def test_a_process_that_is_not_started_runs_nothing() -> None:
    found = PROGRAM.replace("w.exp()", "w.exp().detach()")
    assert certain(found.format(start="mp.Process(target=train, args=(0, 2))")) == []


KEPT = """
import torch.multiprocessing as mp

kept = []

def train(number):
    w = torch.ones(3, requires_grad=True)
    for one in kept:
        one.backward()
    y = w.exp().sum()
    y.backward()
    kept.append(y)

for number in range(3):
    mp.Process(target=train, args=(number,)).start()
"""


def test_processes_share_no_memory() -> None:
    assert certain(KEPT) == []
