"""Real editors with the configuration that `editors/` gives, without a screen."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from tests.server.editors import SERVER

EDITORS = Path(__file__).parents[2] / "editors"
SESSIONS = Path(__file__).parent
PROGRAM = """\
import torch

x = torch.ones(3, requires_grad=True)
h = torch.sigmoid(x)
s = "é𝔻€"; h += 1  # shift
h.sum().backward()
"""
IN_NEOVIM = """\
opened train.py as python
diagnostic 4:17-18 autograd-lint `h` is modified in place after `sigmoid` saved it for backward
hover # saved-tensor-modified (AG103)
offered AG103: Write `h = h + 1` (unsafe)
offered AG103: ignore it on this line
buffer s = "é𝔻€"; h = h + 1  # shift
clean and on disk as it was: s = "é𝔻€"; h += 1  # shift
ended
"""
"""Columns count bytes in Neovim, and lines from 0."""
IN_EMACS = (
    IN_NEOVIM.replace(" python\n", " python-mode\n")
    .replace("4:17-18", "5:11-12")
    .replace("autograd-lint `h`", "autograd-lint [AG103]: `h`")
)


def session(tmp_path: Path, *command: str) -> tuple[str, int, str]:
    """What an editor told on standard output, its exit code, and what else it said."""
    (tmp_path / "train.py").write_text(PROGRAM, encoding="utf-8")
    server = tmp_path / "bin" / "autograd-lint"
    server.parent.mkdir()
    server.write_text(f"#!{sys.executable}\n{SERVER[4]}\n", encoding="utf-8")
    server.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{server.parent}{os.pathsep}{os.environ['PATH']}",
        "OPENED": str(tmp_path / "train.py"),
        "HOME": str(tmp_path),
        "LC_ALL": "C.UTF-8",
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    return done.stdout, done.returncode, done.stderr


@pytest.mark.skipif(not shutil.which("nvim"), reason="Neovim (`nvim`) is not installed")
def test_neovim_mends_a_file(tmp_path: Path) -> None:
    sources = (EDITORS / "neovim.lua", SESSIONS / "neovim_session.lua")
    commands = [f"+luafile {source}" for source in sources]
    told, code, said = session(tmp_path, "nvim", "--clean", "--headless", "-n", *commands)
    assert (told, code) == (IN_NEOVIM, 0), said


@cache
def has_eglot() -> bool:
    """Whether Emacs is installed, and has its client for language servers."""
    if not shutil.which("emacs"):
        return False
    ask = "(progn (package-initialize) (require 'eglot))"
    asked = subprocess.run(["emacs", "--batch", "--eval", ask], capture_output=True, check=False)
    return asked.returncode == 0


def test_emacs_mends_a_file(tmp_path: Path) -> None:
    if not has_eglot():
        pytest.skip("Emacs with eglot is not installed")
    sources = (EDITORS / "emacs.el", SESSIONS / "emacs_session.el")
    loads = [part for source in sources for part in ("--load", str(source))]
    start = ("emacs", "--batch", "--eval", "(package-initialize)")
    told, code, said = session(tmp_path, *start, *loads)
    assert (told, code) == (IN_EMACS, 0), said
