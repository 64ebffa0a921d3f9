"""Whether the ways to a function keep grad mode on."""

from pathlib import Path

import pytest

from autograd_lint.facts.callers import owner_at
from autograd_lint.facts.grad_mode_of_callers import is_reached_with_grad, is_reached_without_grad
from autograd_lint.project.modules import Project
from tests.fakes import write_tree

HELPER = "def scores(model, x):\n    return model(x)\n"
HEAD = "import torch\nfrom helper import scores\nfrom models import make, spawn\n"
CALL = "    print(scores(make(), torch.ones(1)))\n"
OFF = f"    with torch.no_grad():\n    {CALL}"


@pytest.mark.parametrize(
    ("program", "with_grad", "without"),
    [
        (f"def main():\n{CALL}main()\n", True, False),
        (f"def main():\n{CALL}spawn(main, nprocs=2)\n", True, False),
        (f"def main():\n{OFF}main()\n", False, True),
        (f"def main():\n{CALL}with torch.no_grad():\n    main()\n", False, True),
        (f"@torch.no_grad()\ndef main():\n{CALL}main()\n", False, True),
        (f"torch.set_grad_enabled(False)\ndef main():\n{CALL}main()\n", False, False),
        (f"def main():\n{CALL}", False, False),
        (f"def main():\n{OFF}def other():\n{CALL}main()\nother()\n", True, False),
    ],
)
def test_a_way_from_the_top_of_a_file(
    tmp_path: Path, program: str, with_grad: bool, without: bool
) -> None:
    write_tree(tmp_path, {"helper.py": HELPER, "program.py": HEAD + program})
    project = Project([tmp_path])
    source = project.file(str(tmp_path / "helper.py"))
    owner = owner_at(source, 2) if source is not None else None
    assert owner is not None
    assert is_reached_with_grad(owner, project, lambda *_: False) is with_grad
    assert is_reached_without_grad(owner, project) is without
