"""Witnesses that misbehave are stopped and reported, and nothing is lost."""

import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from autograd_lint import addresses
from autograd_lint.errors import Trouble
from autograd_lint.live.confirm.client import Witnesses
from autograd_lint.live.confirm.jobs import Harness, Job, Outcome

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")


@pytest.fixture(scope="module")
def witnesses() -> Iterator[Witnesses]:
    with Witnesses() as running:
        yield running


def outcome(witnesses: Witnesses, folder: Path, source: str, **options: object) -> Outcome:
    file = folder / "program.py"
    file.write_text(dedent(source).lstrip())
    return witnesses.run(Job(str(file), file.read_text(), **options))


def test_endless_loop_is_stopped(witnesses: Witnesses, tmp_path: Path) -> None:
    source = """
        import torch
        h = torch.zeros(3, requires_grad=True).exp()
        h += 1
        try:
            h.sum().backward()
        except RuntimeError:
            pass
        while True:
            pass
        """
    result = outcome(witnesses, tmp_path, source, seconds=2)
    assert result.ended == "time"
    assert [seen.error for seen in result.seen] == ["saved-tensor-modified"]


def test_loop_that_cannot_be_interrupted_is_killed(witnesses: Witnesses, tmp_path: Path) -> None:
    source = """
        import signal
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        while True:
            pass
        """
    assert outcome(witnesses, tmp_path, source, seconds=1).ended in ("time", "killed")


def test_memory_hunger_is_stopped(witnesses: Witnesses, tmp_path: Path) -> None:
    source = "import torch\nkept = []\nwhile True:\n    kept.append(torch.ones(1 << 24))\n"
    result = outcome(witnesses, tmp_path, source, memory_megabytes=512)
    assert result.ended == "memory"
    assert result.row == 4


def test_fork_bomb_does_not_start(witnesses: Witnesses, tmp_path: Path) -> None:
    result = outcome(witnesses, tmp_path, "import os\nwhile True:\n    os.fork()\n", seconds=2)
    assert (result.ended, result.row) == ("raised", 3)
    assert result.error is not None
    assert "PermissionError" in result.error


def test_the_project_cannot_be_deleted(witnesses: Witnesses, tmp_path: Path) -> None:
    source = "import os, shutil\nshutil.rmtree(os.path.dirname(__file__))\n"
    result = outcome(witnesses, tmp_path, source)
    assert result.error is not None
    assert "PermissionError" in result.error
    assert (tmp_path / "program.py").read_text() == source


def test_no_connection_to_loopback(witnesses: Witnesses, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.2)
        port = listener.getsockname()[1]
        source = f"import socket\nsocket.create_connection(('127.0.0.1', {port}))\n"
        result = outcome(witnesses, tmp_path, source)
        with pytest.raises(TimeoutError):
            listener.accept()
    assert result.ended == "raised"


def test_environment_is_not_handed_on(
    witnesses: Witnesses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "import os\nassert set(os.environ) <= {'PATH', 'LANG', 'LC_ALL', 'LC_CTYPE', 'HOME', "
    source += "'TMPDIR', 'OMP_NUM_THREADS', 'MKL_NUM_THREADS', 'MPLBACKEND', 'USER', "
    source += "'TORCHINDUCTOR_CACHE_DIR'}, set(os.environ)\n"  # the last one is set by torch itself
    assert outcome(witnesses, tmp_path, source).ended == "done"


def test_crash_ends_the_child_only(witnesses: Witnesses, tmp_path: Path) -> None:
    source = "import os\nos.abort()\n"
    result = outcome(witnesses, tmp_path, source)
    assert (result.ended, result.error) == ("killed", "SIGABRT")
    assert outcome(witnesses, tmp_path, "x = 1\n").ended == "done"


@pytest.mark.parametrize(
    ("ends", "told"),
    [
        ("os._exit(7)", "exit code 7"),
        ("signal.raise_signal(9)", "SIGKILL"),
        ("signal.raise_signal(40)", "signal 40"),
    ],
)
def test_a_program_that_ends_itself_is_told_with_how(
    witnesses: Witnesses, tmp_path: Path, ends: str, told: str
) -> None:
    result = outcome(witnesses, tmp_path, f"import os, signal\n{ends}\n")
    assert (result.ended, result.error) == ("killed", told)
    assert outcome(witnesses, tmp_path, "x = 1\n").ended == "done"


def test_arguments_of_a_module_are_found(witnesses: Witnesses, tmp_path: Path) -> None:
    source = """
        import torch
        from torch import nn

        class Block(nn.Module):
            def __init__(self, width, heads, cfg):
                super().__init__()
                self.body = nn.Conv2d(width, width, 3, padding=cfg.pad // 8)
                self.head = nn.Linear(width * heads, 1)

            def forward(self, image):
                b, c, h, w = image.shape
                x = torch.sigmoid(self.body(image))
                x += 1
                return x.mean()
        """
    options = {"harness": Harness.MODULE, "target": "Block", "wanted": "saved-tensor-modified"}
    result = outcome(witnesses, tmp_path, source, **options)
    assert [seen.rows for seen in result.seen] == [{"saved": 12, "modified": 13}]
    assert any("image" in assumption for assumption in result.assumptions)


def test_missing_modules_get_stand_ins(witnesses: Witnesses, tmp_path: Path) -> None:
    source = """
        import torch
        import no_such_module
        from no_such_module.nn import Base, register

        @register
        def penalty(x, scale=no_such_module.SCALE):
            y = x.exp()
            y *= 2
            return y
        """
    options = {"harness": Harness.FUNCTION, "target": "penalty", "wanted": "saved-tensor-modified"}
    result = outcome(witnesses, tmp_path, source, input_grad=True, **options)
    assert [seen.error for seen in result.seen] == ["saved-tensor-modified"]
    assert "a stand-in for the module `no_such_module`" in result.assumptions


def test_what_keeps_the_process_from_starting_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "__init__.py").write_text("import a_package_that_is_not_installed\n")
    monkeypatch.setattr(addresses, "FOLDER", str(tmp_path))
    with Witnesses() as witnesses, pytest.raises(Trouble, match="No module named 'a_package_that"):
        outcome(witnesses, tmp_path, "x = 1\n")
