"""The process that runs witnesses says what it lacks before it runs one."""

import pytest

from autograd_lint.live.confirm import server
from autograd_lint.live.confirm.terms import Terms


def test_what_it_cannot_import_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_USED", ("a_library_that_is_not_installed",))
    ready = server.Server(Terms(False, "none"))._preload()
    assert ready.error == (
        "autograd-lint cannot be imported (witnesses run without PYTHONPATH): "
        "ModuleNotFoundError: No module named 'a_library_that_is_not_installed'"
    )
