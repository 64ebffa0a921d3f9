"""What `autograd_lint` offers to Python programs."""

import ast
import inspect
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from types import ModuleType

import pytest
import torch
from tests.fakes import write_tree

import autograd_lint
from autograd_lint import Finding, Report, addresses, callbacks, testing

LEAF = "import torch\nw = torch.ones(3, requires_grad=True)\nw += 1\n"


def test_check_gives_the_findings(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": LEAF, "b.py": LEAF, "pyproject.toml": ""})
    (found,) = autograd_lint.check(tmp_path / "a.py", cache=False)
    assert (found.code, found.place.row) == ("AG101", 3)
    assert found.certainty is autograd_lint.Certainty.CERTAIN
    assert len(autograd_lint.check([tmp_path], cache=False)) == 2


def test_check_takes_the_options_of_the_command(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": LEAF, "autograd-lint.toml": 'ignore = ["AG101"]'})
    assert autograd_lint.check(tmp_path, cache=False) == []
    assert len(autograd_lint.check(tmp_path, isolated=True, cache=False)) == 1
    silent = autograd_lint.check(tmp_path, isolated=True, ignore=["AG1"], cache=False)
    assert silent == []


def test_a_wrong_option_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(autograd_lint.Trouble, match="unknown rule `D100`"):
        autograd_lint.check(tmp_path, select=["D100"])
    with pytest.raises(autograd_lint.Trouble, match="no such file or directory"):
        autograd_lint.check(tmp_path / "gone.py")


def test_a_file_that_cannot_be_read_is_warned_of(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": LEAF})
    (tmp_path / "b.py").symlink_to(tmp_path / "gone.py")
    with pytest.warns(RuntimeWarning, match="dangling link"):
        found = autograd_lint.check(tmp_path, cache=False)
    assert len(found) == 1


def test_diagnose_gives_the_line_that_explains_an_error(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": LEAF, "pyproject.toml": ""})
    error = RuntimeError(
        "a leaf Variable that requires grad is being used in an in-place operation."
    )
    (found, *_) = autograd_lint.diagnose(error, tmp_path)
    assert (found.code, found.place.row) == ("AG101", 3)


def test_trace_tells_what_has_failed() -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(RuntimeError), autograd_lint.trace() as report:
        h = torch.ones(3, requires_grad=True).sigmoid()
        h.mul_(2)
        h.sum().backward()
    assert [one.code for one in report.findings] == ["AG103"]


def test_the_version_of_the_package_is_the_one_that_outputs_name() -> None:
    assert autograd_lint.__version__ == addresses.VERSION


def test_import_alone_imports_nothing_else() -> None:
    program = (
        "import sys, autograd_lint\n"
        "print([name for name in sys.modules if name.startswith('autograd_lint.')])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stdout == "[]\n"


def test_what_is_offered_is_named() -> None:
    assert all(hasattr(autograd_lint, name) for name in autograd_lint.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        autograd_lint.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_the_page_names_all_that_is_offered() -> None:
    page = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
    public = [*autograd_lint.__all__, *_functions_of(testing), *vars(Report), *_fields_of(Finding)]
    offered = {name for name in public if not name.startswith("_")}
    assert offered == {name for name in offered if re.search(rf"`{name}\b", page)}
    for function in (autograd_lint.check, autograd_lint.trace):
        parameters = inspect.signature(function).parameters
        row = next(one for one in page.splitlines() if one.startswith(f"| `{function.__name__}("))
        assert all(name in row for name in parameters)


def test_the_page_names_the_callbacks_and_what_they_take() -> None:
    page = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
    row = next(one for one in page.splitlines() if one.startswith("| `autograd_lint.callbacks`"))
    folder = Path(callbacks.__file__).parent  # what they are made for need not be installed
    for module in ("lightning", "accelerate"):
        tree = ast.parse((folder / f"{module}.py").read_text(encoding="utf-8"))
        (made,) = (one for one in tree.body if isinstance(one, ast.ClassDef))
        (init,) = (
            one for one in made.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"
        )
        taken = re.search(rf"`{module}\.{made.name}\((.*?)\)`", row)
        assert taken is not None
        assert all(one.arg in taken[1] for one in init.args.kwonlyargs)


def _functions_of(module: ModuleType) -> list[str]:
    found = inspect.getmembers(module, inspect.isfunction)
    return [name for name, one in found if one.__module__ == module.__name__]


def _fields_of(kind: type) -> list[str]:
    return [one.name for one in fields(kind)]


def test_what_graphs_kept_has_the_documented_fields() -> None:
    page = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
    section = page.partition("## What a graph kept")[2].partition("\n\nWhat `autograd_lint`")[0]
    with autograd_lint.trace() as report:
        torch.ones(3, requires_grad=True).exp().sum().backward()
    (graph,) = report.saved
    of_graph, _, of_tensor = section.partition("its saved tensors:")
    names = re.findall(r"`(\w+)`", of_graph), re.findall(r"`(\w+)`", of_tensor)
    assert {"call", "place", "bytes", "kept"} <= set(names[0])
    assert all(hasattr(graph.kept[0], name) for name in names[1])
    assert len(names[1]) == 9


def test_the_documented_programs_run(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
    write_tree(tmp_path, {"src/a.py": LEAF})
    told = []
    for program in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        (tmp_path / "program.py").write_text(program, encoding="utf-8")
        command = [sys.executable, "program.py"]
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        told.append(ran.stdout)
    assert told[0].startswith(f"{tmp_path}/src/a.py 3 AG101")
    assert told[1] == "['AG103']\n"
