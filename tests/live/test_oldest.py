"""A torch that is too old is refused in one line, by everything that runs programs."""

from collections.abc import Callable
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

import autograd_lint
from autograd_lint.errors import Trouble
from autograd_lint.live import oldest
from autograd_lint.live.command import run_trace
from autograd_lint.live.confirm.confirm import Confirmer
from autograd_lint.plugins.pytest_tracing import require_torch

ROOT = Path(__file__).parents[2]


@pytest.fixture
def older(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oldest, "version", lambda name: "2.3.1+cpu")


@pytest.mark.parametrize(
    ("use", "name"),
    [
        (lambda: run_trace(__file__, []), "trace"),
        (autograd_lint.trace, "trace"),
        (Confirmer, "--confirm"),
    ],
)
@pytest.mark.usefixtures("older")
def test_an_older_torch_is_refused(use: Callable[[], object], name: str) -> None:
    with pytest.raises(Trouble) as refused:
        use()
    assert str(refused.value) == f"{name}: torch 2.3.1+cpu is too old; install 2.4 or later"


@pytest.mark.usefixtures("older")
def test_the_plugin_refuses_it_as_wrong_usage() -> None:
    with pytest.raises(
        pytest.UsageError, match=r"^--autograd-trace: torch 2\.3\.1\+cpu is too old"
    ):
        require_torch()


def test_a_torch_without_a_package_is_let_through(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(oldest, "version", missing)
    oldest.require("trace")


def test_the_extra_asks_for_the_same_version() -> None:
    version = ".".join(map(str, oldest.OLDEST))
    assert f'live = ["torch>={version}"]' in (ROOT / "pyproject.toml").read_text()
