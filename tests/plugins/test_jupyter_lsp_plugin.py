"""The language server in JupyterLab, as jupyter-lsp finds and starts it."""

import pytest

manager = pytest.importorskip("jupyter_lsp.manager")


@pytest.mark.filterwarnings("ignore")
def test_jupyter_lsp_finds_the_server() -> None:
    from jupyter_lsp.schema import LANGUAGE_SERVER_SPEC_MAP

    found = manager.LanguageServerManager(autodetect=True)
    found.initialize()
    specs = {name: dict(spec) for name, spec in found.language_servers.items()}
    assert specs["autograd-lint"]["languages"] == ["python"]
    assert specs["autograd-lint"]["argv"][1:] == ["-m", "autograd_lint", "server"]
    assert not list(LANGUAGE_SERVER_SPEC_MAP.iter_errors({"autograd-lint": specs["autograd-lint"]}))
