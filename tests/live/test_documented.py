"""Every example of the page on the real engine runs as it stands."""

import re
import subprocess
import sys
from pathlib import Path

from tests.live.command import trace

PAGE = (Path(__file__).parents[2] / "docs" / "live.md").read_text(encoding="utf-8")
SCRIPT = "import torch\nx = torch.ones(3, requires_grad=True)\nx.exp().sum().backward()\n"
TEST = "import torch\ndef test():\n    torch.ones(3, requires_grad=True).sum().backward()\n"


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command], cwd=folder, capture_output=True, text=True, check=True
    )


def test_the_programs(tmp_path: Path) -> None:
    told = []
    for program in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        (tmp_path / "program.py").write_text(program, encoding="utf-8")
        told.append(run(tmp_path, "program.py").stdout)
    assert told == ["['AG106']\n[('exp', 12)]\n", "[('AG317', 12)]\n", ""]
    assert "AG106" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_commands(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPT)
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "train.py").write_text(SCRIPT)
    (tmp_path / "src").mkdir()
    (tmp_path / "test_it.py").write_text(TEST)
    commands = re.findall(r"\$ (.+)", PAGE)
    assert {one.split()[0] for one in commands} == {"autograd-lint", "pytest"}
    for command in commands:
        name, *rest = command.split()
        if rest[0] == "trace":
            trace(*rest[1:], cwd=tmp_path, check=True)
        else:
            run(tmp_path, "-m", "pytest" if name == "pytest" else "autograd_lint", *rest)
