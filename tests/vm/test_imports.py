"""Names of the project's own packages."""

from pathlib import Path

import pytest

from autograd_lint.analysis.files import analyse
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree
from tests.vm.running import certain

PACKAGE = """
from .state import *
from .trial import *
"""
STATE = """
class State:
    def __init__(self, loss):
        self.loss = loss
"""
TRIAL = """
import torch
from package import State

State(torch.zeros(1)).loss.backward()
"""


def test_a_star_does_not_give_what_asks_for_the_name_itself(tmp_path: Path) -> None:
    assert kinds_in(tmp_path, PACKAGE, STATE, TRIAL) == ["no-grad-root"]


OF_ITSELF = """
from package import state
from package.state import State
"""
BY_MODULE = """
import package
import torch

package.state.State(torch.zeros(1)).loss.backward()
"""


def test_a_package_that_imports_a_module_of_its_own_by_its_name(tmp_path: Path) -> None:
    assert kinds_in(tmp_path, OF_ITSELF, STATE, BY_MODULE) == ["no-grad-root"]
    assert kinds_in(tmp_path, "from . import state", STATE, BY_MODULE) == ["no-grad-root"]


def kinds_in(root: Path, package: str, state: str, trial: str) -> list[str]:
    """The kinds of the faults of `trial` in a package of these files."""
    files = {"__init__.py": package, "state.py": state, "trial.py": trial}
    write_tree(root, {f"package/{name}": text for name, text in files.items()})
    source = Source(str(root.resolve() / "package/trial.py"), trial)
    return [fault.kind.value for fault in analyse(source, Project([root.resolve()]))]


LISTED = """
import torch
__all__ = ["_leaf"]
_leaf = torch.ones(1, requires_grad=True)
_other = _leaf
"""


@pytest.mark.parametrize(("name", "found"), [("_leaf", ["leaf-modified"]), ("_other", [])])
def test_a_star_gives_the_private_names_that_are_listed(
    tmp_path: Path, name: str, found: list[str]
) -> None:
    trial = f"import torch\nfrom .state import *\n{name}.add_(1)\n"
    assert kinds_in(tmp_path, "", LISTED, trial) == found


def test_modules_that_give_each_other_all_names_are_asked_once(tmp_path: Path) -> None:
    names = [f"m{number}" for number in range(12)]
    text = "import torch\n" + "".join(f"from .{name} import *\n" for name in names)
    write_tree(tmp_path, {f"package/{name}.py": text for name in names})
    trial = text + "absent.sum().backward()\n"
    assert kinds_in(tmp_path, "", text, trial) == []


LAZY = """
from ..loading import _LazyModule

_import_structure = {"config": ["Config"]}
{listed}
sys.modules[__name__] = _LazyModule(__name__, __file__, _import_structure)
"""
BASE = """
import torch

class Base(torch.nn.Module):
    def score(self, x):
        with torch.no_grad():
            return self.layer(x)
"""
DERIVED = """
import torch
from . import Base

class Model(Base):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

Model().score(torch.ones(2)).sum().backward()
"""


@pytest.mark.parametrize(
    "listed",
    [
        '_import_structure["base"] = ["Base", "Other"]',
        '_import_structure["base"].append("Base")',
        "_import_structure['base'].extend([\n    'Other',\n    'Base',\n])",
    ],
)
def test_a_lazy_package_has_the_names_that_its_table_lists(tmp_path: Path, listed: str) -> None:
    lazy = LAZY.replace("{listed}", listed)
    files = {"package/__init__.py": lazy, "package/base.py": BASE, "package/model.py": DERIVED}
    write_tree(tmp_path, files)
    found = analyse(Source(str(tmp_path / "package/model.py"), DERIVED), Project([tmp_path]))
    assert [fault.kind.value for fault in found] == ["no-grad-root"]


@pytest.mark.parametrize("module", ["torch.nn.utils", "torch.nn.utils.weight_norm"])
def test_a_function_of_torch_is_known_by_the_module_that_defines_it(module: str) -> None:
    program = f"""
from {module} import weight_norm
net = nn.Sequential(weight_norm(nn.Linear(2, 2)), nn.ReLU(), nn.Dropout(0.5, inplace=True))
net(torch.ones(3, 2)).sum().backward()
"""
    assert certain(program) == ["saved-tensor-modified"]
