"""nbQA, which runs `python -m autograd_lint` over notebooks made into scripts."""

import json
import subprocess
import sys
from pathlib import Path

CELLS = ["import torch\n", "w = torch.ones(3, requires_grad=True)\nw += 1\n"]


def test_nbqa_shows_findings_by_cell(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": one}
        for one in CELLS
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "n.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    check = "autograd_lint check --no-cache --output-format concise"
    command = [sys.executable, "-m", "nbqa", check, "n.ipynb"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "n.ipynb:cell_2:2:1" in ran.stdout
