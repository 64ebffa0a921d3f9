"""Where the files of a project speak of a name."""

import ast
from pathlib import Path

import pytest
from tests.fakes import write_tree

from autograd_lint.project import mentions
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source


def found(project: Project, name: str) -> list[tuple[str, int]] | None:
    """File and row of each mention."""
    mentioned = project.mentions(name)
    if mentioned is None:
        return None
    return [(Path(one.source.filename).name, one.node.lineno) for one in mentioned]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("f(1)\n", [1]),
        ("import a\na.f(1)\n", [2]),
        ("table = {'x': f}\n", [1]),
        ("from a import f as g\ng(1)\n", [2]),
        ("from a import f\n", []),
        ("def f(x):\n    return x\n", []),
        ("f = 1\n", []),
        ("offset(1)\n'f'\n", []),
    ],
)
def test_what_is_a_mention(tmp_path: Path, text: str, rows: list[int]) -> None:
    write_tree(tmp_path, {"b.py": text})
    assert found(Project([tmp_path]), "f") == [("b.py", row) for row in rows]


def test_a_mention_knows_what_it_stands_in(tmp_path: Path) -> None:
    write_tree(tmp_path, {"b.py": "class A:\n    def m(self):\n        with x:\n            f()\n"})
    (mention,) = Project([tmp_path]).mentions("f") or []
    around = [type(node) for node in mention.around]
    assert around == [ast.Module, ast.ClassDef, ast.FunctionDef, ast.With, ast.Expr, ast.Call]


def test_environments_and_broken_files_are_passed_over(tmp_path: Path) -> None:
    write_tree(tmp_path, {"venv/b.py": "f()\n", "c.py": "f(\n", "d/e.py": "f()\n"})
    assert found(Project([tmp_path]), "f") == [("e.py", 1)]


def test_what_is_open_stands_for_the_file(tmp_path: Path) -> None:
    write_tree(tmp_path, {"b.py": "f()\n"})
    name = str(tmp_path / "b.py")
    assert found(Project([tmp_path], {name: Source(name, "\n\nf()\n")}), "f") == [("b.py", 3)]


def test_a_name_that_is_everywhere_tells_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tree(tmp_path, {f"b{number}.py": "f()\n" for number in range(3)})
    monkeypatch.setattr(mentions, "_MOST_NAMING", 2)
    assert found(Project([tmp_path]), "f") is None


def test_too_many_files_tell_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tree(tmp_path, {f"b{number}.py": "" for number in range(3)})
    monkeypatch.setattr(mentions, "_MOST_FILES", 2)
    assert found(Project([tmp_path]), "f") is None


def test_a_source_by_itself_is_mentioned_nowhere() -> None:
    assert Project.alone().mentions("f") == []


def test_all_files_and_folders_count(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": "", "b/c.py": ""})
    project = Project([tmp_path])
    project.mentions("f")
    assert {str(tmp_path / name) for name in ("a.py", "b", "b/c.py")} <= project.trail


def test_a_new_file_is_seen_once_the_project_is_renewed(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": "f()\n"})
    project = Project([tmp_path])
    assert found(project, "f") == [("a.py", 1)]
    write_tree(tmp_path, {"b.py": "f()\n"})
    project.renew()
    assert found(project, "f") == [("a.py", 1), ("b.py", 1)]


@pytest.mark.parametrize(
    ("use", "offered"), [("", True), ("TABLE = {'f': f}", True), ("f(1)", False)]
)
def test_a_package_offers_what_it_imports_and_does_not_only_call(
    tmp_path: Path, use: str, offered: bool
) -> None:
    write_tree(
        tmp_path, {"p/__init__.py": f"from p.a import f\n{use}\n", "p/a.py": "def f(): ...\n"}
    )
    assert Project([tmp_path]).offers("f") is offered
