"""Files that are checked by the workers of a cluster."""

import sys
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from types import ModuleType, TracebackType

import pytest
from tests.fakes import write_tree

from autograd_lint.checking.desk import Plan
from autograd_lint.checking.request import Request, refuse
from autograd_lint.checking.workers import check_files
from autograd_lint.configuration.settings import Settings
from autograd_lint.errors import Trouble

TEXT = "import torch\nw = torch.ones(1, requires_grad=True)\nw.add_(1)\n"
CLUSTER = "dask://scheduler:8786"


class Client:
    """A cluster of two workers that are threads of this process."""

    workers = 2

    def __init__(self, address: str, timeout: int) -> None:
        if address != "tcp://scheduler:8786":
            raise OSError("timed out")

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, where: TracebackType | None
    ) -> None: ...

    def nthreads(self) -> dict[str, int]:
        return {"tcp://worker:1": self.workers} if self.workers else {}

    def get_executor(self) -> Executor:
        return ThreadPoolExecutor(self.workers)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    names = [f"{number}.py" for number in range(6)]
    write_tree(tmp_path, dict.fromkeys(names, TEXT))
    return [tmp_path / name for name in names]


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> type[Client]:
    module = ModuleType("distributed")
    monkeypatch.setattr(module, "Client", Client, raising=False)
    monkeypatch.setitem(sys.modules, "distributed", module)
    return Client


@pytest.mark.usefixtures("cluster")
def test_a_cluster_finds_what_one_process_finds(files: list[Path]) -> None:
    plan = Plan(Settings())
    assert list(check_files(files, plan, executor=CLUSTER)) == list(check_files(files, plan, 1))


@pytest.mark.usefixtures("cluster")
def test_a_scheduler_that_does_not_answer_is_told(files: list[Path]) -> None:
    with pytest.raises(Trouble, match="no scheduler of dask answers there"):
        list(check_files(files, Plan(Settings()), executor="dask://elsewhere:1"))


def test_a_cluster_without_workers_is_told(
    files: list[Path], cluster: type[Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "workers", 0)
    with pytest.raises(Trouble, match="has no workers"):
        list(check_files(files, Plan(Settings()), executor=CLUSTER))


def test_what_is_not_installed_is_told(files: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(Trouble, match=r"pip install 'autograd-lint\[dask\]'"):
        list(check_files(files, Plan(Settings()), executor=CLUSTER))


def test_other_executors_are_refused() -> None:
    with pytest.raises(Trouble, match="choose `processes`, or `dask://HOST:PORT`"):
        refuse(Request(executor="ray"))


def test_processes_are_not_counted_on_a_cluster() -> None:
    with pytest.raises(Trouble, match="leave it out with --executor"):
        refuse(Request(executor=CLUSTER, jobs=2))
