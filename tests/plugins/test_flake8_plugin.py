"""The plugin in the real flake8, found by the entry point that the package declares."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fakes import write_tree

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PROGRAM = """\
import torch

w = torch.ones(3, requires_grad=True)
s = "é𝔻"; w += 1
"""
FOUND = "AG101 `w` is a leaf that requires grad, and is modified in place"


@pytest.fixture
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages in which the entry points of this one are installed."""
    folder = tmp_path_factory.mktemp("site")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    points = project["entry-points"]["flake8.extension"]
    lines = "".join(f"{name} = {target}\n" for name, target in points.items())
    write_tree(
        folder,
        {
            "autograd_lint-0.dist-info/METADATA": "Name: autograd-lint\nVersion: 0\n",
            "autograd_lint-0.dist-info/entry_points.txt": f"[flake8.extension]\n{lines}",
        },
    )
    return folder


def flake8(site: Path, root: Path, *options: str, text: str | None = None) -> list[str]:
    """What flake8 says of the files in `root`."""
    path = os.pathsep.join([str(site), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "flake8", "--isolated", *options],
        cwd=root,
        env={**os.environ, "PYTHONPATH": path},
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_findings_are_flake8s_own(site: Path, tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": PROGRAM, "b.py": "import torch\n"})
    told = flake8(site, tmp_path, "--jobs=2")
    assert f"./a.py:4:11: {FOUND}" in told
    assert "./a.py:4:9: E702 multiple statements on one line (semicolon)" in told
    assert "./b.py:1:1: F401 'torch' imported but unused" in told


def test_flake8_chooses_and_silences(site: Path, tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": PROGRAM, "b.py": PROGRAM.rstrip() + "  # noqa: AG101\n"})
    assert flake8(site, tmp_path, "--select=AG") == [f"./a.py:4:11: {FOUND}"]
    assert flake8(site, tmp_path, "--select=AG", "--extend-ignore=AG1") == []


def test_our_configuration_holds(site: Path, tmp_path: Path) -> None:
    table = '[tool.autograd-lint]\ncertainty = "{}"\n'
    assuming = (
        "import torch\n\ndef f(x, y):\n    h = torch.sigmoid(x)\n    h += 1\n"
        "    (h + y).sum().backward()\n"
    )
    write_tree(tmp_path, {"a.py": assuming, "pyproject.toml": table.format("possible")})
    (shown,) = flake8(site, tmp_path, "--select=AG")
    assert shown.endswith(" (assuming: `x` requires grad)")
    write_tree(tmp_path, {"pyproject.toml": table.format("certain")})
    assert flake8(site, tmp_path, "--select=AG") == []


def test_standard_input_is_read(site: Path, tmp_path: Path) -> None:
    told = flake8(site, tmp_path, "--select=AG", "-", text=PROGRAM)
    assert told == [f"stdin:4:11: {FOUND}"]


def test_imports_are_followed(site: Path, tmp_path: Path) -> None:
    helper = "import torch\n\ndef make():\n    return torch.ones(3, requires_grad=True)\n"
    caller = "import torch\nfrom helper import make\n\nw = make()\nw += 1\n"
    write_tree(tmp_path, {"pyproject.toml": "", "helper.py": helper, "caller.py": caller})
    assert flake8(site, tmp_path, "--select=AG") == [f"./caller.py:5:1: {FOUND}"]
