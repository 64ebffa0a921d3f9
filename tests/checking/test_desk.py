"""Files that are checked one after the other."""

from pathlib import Path

import pytest
from tests import fakes
from tests.fakes import write_tree

from autograd_lint.analysis import Analysed
from autograd_lint.checking import pipeline, watchdog
from autograd_lint.checking.cache import Cache
from autograd_lint.checking.checked import Checked
from autograd_lint.checking.desk import Plan
from autograd_lint.configuration.settings import Settings
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source

ENDLESS = "endless()"


def _analyse(
    source: Source,
    project: Project,
    most: int | None = None,
    coverage: bool = False,
    *,
    within: int | None = None,
) -> Analysed:
    """Runs for ever over a file that says so, and over any file without a limit of steps."""
    while within is None or ENDLESS in source.text:
        pass
    return fakes.analyse(source, project)


def _checked(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> Checked:
    monkeypatch.setattr(pipeline, "limited", lambda *given: watchdog.limited(0.2))
    write_tree(folder, {"a.py": text})
    plan = Plan(Settings(), (folder,), fakes.machinery(_analyse))
    return plan.desk().check(folder / "a.py")


def test_what_takes_too_long_is_checked_in_few_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = _checked(tmp_path, "import torch\nbad()\n", monkeypatch)
    assert (found.trouble, len(found.findings), found.left_out) == ("", 1, ("<module>",))


def test_what_was_checked_in_few_steps_is_tried_anew_by_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "limited", lambda *given: watchdog.limited(0.2))
    write_tree(tmp_path, {"a.py": "import torch\nbad()\n"})
    cache = Cache(tmp_path / "cache", Settings())
    state = (tmp_path / "a.py").stat()
    assert cache.by_content(str(tmp_path / "a.py"), state, str, b"") is None
    plan = Plan(Settings(), (tmp_path,), fakes.machinery(_analyse))
    cache.put(plan.desk().check(tmp_path / "a.py"))
    cache.write()
    again = Cache(tmp_path / "cache", Settings())
    assert again.by_content(str(tmp_path / "a.py"), state, str, b"") is None


def test_what_takes_too_long_even_so_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = _checked(tmp_path, f"import torch\n{ENDLESS}\n", monkeypatch)
    assert "a.py: too costly, not checked" in found.trouble
    assert not found.left_out
