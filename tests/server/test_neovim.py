"""A real Neovim with the configuration that `editors/` gives."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.server.editors import SERVER

ROOT = Path(__file__).parents[2]
PROGRAM = """\
import torch

x = torch.ones(3, requires_grad=True)
h = torch.sigmoid(x)
s = "é𝔻€"; h += 1  # shift
h.sum().backward()
"""
SESSION = """\
opened train.py as python
diagnostic 4:17-18 autograd-lint `h` is modified in place after `sigmoid` saved it for backward
hover # saved-tensor-modified (AG103)
offered AG103: Write `h = h + 1` (unsafe)
offered AG103: silence it on this line
buffer s = "é𝔻€"; h = h + 1  # shift
clean and on disk as it was: s = "é𝔻€"; h += 1  # shift
ended
"""
"""Columns count bytes in Neovim."""


@pytest.mark.skipif(not shutil.which("nvim"), reason="Neovim (`nvim`) is not installed")
def test_a_file_is_opened_and_mended(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM, encoding="utf-8")
    command = tmp_path / "bin" / "autograd-lint"
    command.parent.mkdir()
    command.write_text(f"#!{sys.executable}\n{SERVER[4]}\n", encoding="utf-8")
    command.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}",
        "OPENED": str(tmp_path / "train.py"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    session = Path(__file__).with_name("neovim_session.lua")
    sources = [f"luafile {ROOT / 'editors' / 'neovim.lua'}", f"luafile {session}"]
    done = subprocess.run(
        ["nvim", "--clean", "--headless", "-n", *(f"+{source}" for source in sources)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.stdout, done.returncode) == (SESSION, 0), done.stderr
