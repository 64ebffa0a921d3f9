"""`check --watch`."""

from pathlib import Path

import pytest
import watchfiles

from autograd_lint.cli import watching
from autograd_lint.errors import Trouble


def test_every_change_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchfiles, "watch", lambda *paths, **options: iter([set(), set()]))
    runs: list[int] = []
    assert watching.watch([tmp_path], lambda: runs.append(1) or 1) == 0
    assert len(runs) == 3


def test_trouble_does_not_end_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def check() -> int:
        raise Trouble("a.toml: unknown key")

    monkeypatch.setattr(watchfiles, "watch", lambda *paths, **options: iter([set()]))
    assert watching.watch([tmp_path], check) == 0
    assert capsys.readouterr().err.count("autograd-lint: a.toml: unknown key") == 2


def test_only_what_may_matter_is_looked_at() -> None:
    names = ("a.py", "a.ipynb", "autograd-lint.toml", ".autograd_lint_cache/index.json", "a.txt")
    heeded = [name for name in names if watching._matters(watchfiles.Change.modified, name)]
    assert heeded == ["a.py", "a.ipynb", "autograd-lint.toml"]
