"""Processes that a program starts are counted, however they are started."""

import multiprocessing
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from autograd_lint.live.tracing import Tracer
from tests.live.command import trace


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_process_that_is_observed_is_not_counted(method: str) -> None:
    with Tracer() as tracer:
        process = multiprocessing.get_context(method).Process(target=os.getpid)
        process.start()
        process.join()
    assert tracer.children == 0


def test_a_process_that_is_forked_by_hand_is_counted() -> None:
    with Tracer() as tracer:
        child = os.fork()
        if not child:
            os._exit(0)
        os.waitpid(child, 0)
    assert tracer.children == 1


def test_nothing_is_counted_afterwards() -> None:
    with Tracer() as tracer:
        pass
    process = multiprocessing.get_context("fork").Process(target=os.getpid)
    process.start()
    process.join()
    assert tracer.children == 0


def test_the_report_says_so(tmp_path: Path) -> None:
    program = "import os\nfor _ in range(2):\n    os.fork() or os._exit(0)\n"
    (tmp_path / "a.py").write_text(program)
    ran = trace("a.py", cwd=tmp_path, check=True)
    assert "not seen: 2 processes that the program has started" in ran.stderr


def test_where_a_system_has_no_forks_programs_are_traced_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(os, "register_at_fork")  # as on Windows
    with Tracer() as tracer:
        pass
    assert tracer.children == 0


PROGRAM = """
import multiprocessing
import sys
import torch

def train(number=0):
    x = torch.ones(3, requires_grad=True)
    h = x.exp()
    h.add_(1)
    h.sum().backward()

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    if sys.argv[2] == "process":
        process = context.Process(target=train)
        process.start()
        process.join()
        print(process.exitcode)
    else:
        with context.Pool(2) as pool:
            try:
                pool.map(train, [1, 2])
            except RuntimeError:
                print("raised")
"""


def traced(folder: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "a.py").write_text(program)
    return trace("a.py", *arguments, cwd=folder, check=True)


def begun(folder: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The same in a process that begins as one: those that it spawns begin as it did."""
    (folder / "a.py").write_text(program)
    command = [sys.executable, "-m", "autograd_lint", "trace", "a.py", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_what_a_process_of_multiprocessing_does_is_told(tmp_path: Path, method: str) -> None:
    ran = (traced if method == "fork" else begun)(tmp_path, PROGRAM, method, "process")
    assert ran.stdout == "1\n"
    assert ran.stderr.count("AG103") == 1
    assert "a.py:9:5" in ran.stderr
    assert "not seen" not in ran.stderr


def test_a_pool_tells_what_its_workers_did_before_it_ended_them(tmp_path: Path) -> None:
    ran = traced(tmp_path, PROGRAM, "fork", "pool")
    assert ran.stdout == "raised\n"
    assert ran.stderr.count("error[") == 1
    assert "not seen" not in ran.stderr


def test_an_error_that_a_process_has_explained_is_not_explained_again(tmp_path: Path) -> None:
    program = PROGRAM.replace("multiprocessing\n", "torch.multiprocessing\n", 1)
    program = program.split("if __name__")[0] + (
        'if __name__ == "__main__":\n    torch.multiprocessing.spawn(train, nprocs=1)\n'
    )
    (tmp_path / "a.py").write_text(program)
    command = [sys.executable, "-m", "autograd_lint", "trace", "a.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert ran.stderr.count("error[") == 1


def test_a_process_that_loads_data_is_observed(tmp_path: Path) -> None:
    program = """
import torch
from torch.utils.data import DataLoader

if __name__ == "__main__":
    for batch in DataLoader(torch.ones(4, 2), batch_size=2, num_workers=2):
        print(batch.sum().item())
"""
    ran = traced(tmp_path, program)
    assert ran.stdout == "4.0\n4.0\n"
    assert ran.stderr == "autograd-lint: traced, nothing found\n"


def test_a_program_in_python_that_is_run_is_counted(tmp_path: Path) -> None:
    program = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', ''])\n"
    assert "not seen: a process" in traced(tmp_path, program).stderr


def test_other_programs_are_not_counted(tmp_path: Path) -> None:
    program = "import subprocess\nsubprocess.run(['true'])\n"
    assert "not seen" not in traced(tmp_path, program).stderr


def test_nothing_is_left_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    traced(tmp_path, PROGRAM, "fork", "process")
    assert not [one for one in temporary.iterdir() if one.name.startswith("autograd-lint")]


@pytest.mark.parametrize("kind", ["json", "sarif"])
def test_what_is_not_seen_is_told_to_people_where_a_program_reads_the_rest(
    tmp_path: Path, kind: str
) -> None:
    (tmp_path / "a.py").write_text("import os\nos.fork() or os._exit(0)\n")
    options = ["--output-format", kind, "--output-file", "report"]
    ran = trace(*options, "a.py", cwd=tmp_path, check=True)
    assert "not seen: a process" in ran.stderr


def test_each_rank_has_a_file_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "1")
    (tmp_path / "a.py").write_text("")
    trace("--output-file", "report.txt", "a.py", cwd=tmp_path, check=True)
    told = (tmp_path / "report.rank1.txt").read_text()
    assert told == "autograd-lint: rank 1 traced, nothing found\n"


# The threads of gloo let go of a step's tensors a moment later. An interpreter that ends before
# aborts now and then, with or without a tracer, so that the program waits.
RANKS = """
import os
import sys
import time
import torch
import torch.distributed
from torch.nn.parallel import DistributedDataParallel

def train(rank=None):
    if rank is not None:
        os.environ.update(RANK=str(rank), WORLD_SIZE="2", MASTER_ADDR="127.0.0.1")
        store = torch.distributed.FileStore(sys.argv[1], 2)
        torch.distributed.init_process_group("gloo", store=store, rank=rank, world_size=2)
    else:
        torch.distributed.init_process_group("gloo")
    net = DistributedDataParallel(torch.nn.Linear(2, 1))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(2):
        net(torch.ones(3, 2)).sum().backward()
        opt.zero_grad()
        opt.step()
    time.sleep(0.5)
    torch.distributed.destroy_process_group()

if __name__ == "__main__":
    if len(sys.argv) > 1:
        torch.multiprocessing.spawn(train, nprocs=2)
    else:
        train()
"""


def test_the_documented_command_for_ranks_writes_a_report_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")
    page = (Path(__file__).parents[2] / "docs" / "live.md").read_text(encoding="utf-8")
    (documented,) = re.findall(r"^torchrun (.*)$", page, re.MULTILINE)
    (tmp_path / "train.py").write_text(RANKS)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", *documented.split()]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    for rank in (0, 1):
        told = (tmp_path / f"report.rank{rank}.txt").read_text()
        assert "zero-grad-before-step" in told
        assert "train.py:20:9" in told
        assert told.endswith(f"autograd-lint: rank {rank} traced, 1 finding\n")


def test_ranks_that_a_program_spawns_are_told_in_one_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")
    ran = begun(tmp_path, RANKS, str(tmp_path / "store"))
    assert ran.stderr.count("zero-grad-before-step") == 1
    assert "a.py:20:9" in ran.stderr
    assert "not seen" not in ran.stderr
