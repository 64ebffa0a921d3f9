"""Files that switch grad mode off when they are imported."""

import runpy
import sys
from pathlib import Path

import pytest
import torch

from autograd_lint import check

SWITCH = (
    "import torch\n\ntorch.set_grad_enabled(False)\n\n\ndef predict(net, x):\n    return net(x)\n"
)
GUARDED = (
    "import torch\n\n\ndef predict(net, x):\n    return net(x)\n\n\n"
    'if __name__ == "__main__":\n    torch.set_grad_enabled(False)\n'
)
TRAINING = """
import torch
from inference import predict

net = torch.nn.Linear(4, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
loss = net(torch.randn(8, 4)).pow(2).mean()
loss.backward()
optimizer.step()
"""
TOLD = """
import torch
from inference import predict

torch.set_grad_enabled(True)
net = torch.nn.Linear(4, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.randn(8, 4)).pow(2).mean().backward()
optimizer.step()
"""


def trains(folder: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the program gets through its training on the real engine."""
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "inference", raising=False)
    try:
        with torch.enable_grad():
            runpy.run_path(str(folder / "train.py"))
    except RuntimeError:
        return False
    finally:
        torch.set_grad_enabled(True)
        sys.modules.pop("inference", None)
    return True


@pytest.mark.parametrize(
    ("imported", "training", "trained"),
    [
        pytest.param(SWITCH, TRAINING, False, id="switched off by the import"),
        pytest.param(GUARDED, TRAINING, True, id="switched off by the script alone"),
        pytest.param(SWITCH, TOLD, True, id="switched on again"),
    ],
)
def test_a_mode_that_an_import_switches_off_is_told_where_it_ends_training(
    imported: str,
    training: str,
    trained: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "inference.py").write_text(imported)
    (tmp_path / "train.py").write_text(training)
    found = check(tmp_path, isolated=True, cache=False)
    told = [(one.code, Path(one.place.filename).name, one.place.row) for one in found]
    assert (trains(tmp_path, monkeypatch), told) == (
        trained,
        [] if trained else [("AG332", "inference.py", 3)],
    )
