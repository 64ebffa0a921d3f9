"""Settings: the editor's, and those of configuration files while these change."""

from pathlib import Path

import pytest
from lsprotocol import types
from tests.fakes import write_tree
from tests.server.editors import (
    LOSS,
    Client,
    capabilities,
    change,
    editor,
    open_file,
    pull,
    pushed,
    until,
)

pytestmark = pytest.mark.asyncio


def configurable(pulls: bool = False) -> types.ClientCapabilities:
    """An editor that can be asked for its settings and watches files."""
    watched = types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True)
    changed = types.DidChangeConfigurationClientCapabilities(dynamic_registration=True)
    refresh = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    return capabilities(
        pulls,
        workspace=types.WorkspaceClientCapabilities(
            configuration=True,
            did_change_configuration=changed,
            did_change_watched_files=watched,
            diagnostics=refresh,
        ),
    )


def reconfigure(client: Client, settings: object) -> None:
    """Tell that the settings have changed."""
    params = types.DidChangeConfigurationParams(settings)  # type: ignore[arg-type]
    client.workspace_did_change_configuration(params)


async def test_the_settings_it_is_started_with(tmp_path: Path) -> None:
    settings = {"settings": {"autograd-lint": {"ignore": ["AG101"]}}}
    async with editor(tmp_path, settings=settings) as client:
        assert await pushed(client, open_file(client, tmp_path / "a.py", LOSS)) == []


SHUFFLED = """import torch
from torch import nn

x = torch.ones(1, 4, 2, 2, requires_grad=True)
nn.functional.channel_shuffle(x, 2).sum().backward()
"""


async def test_another_torch_is_another_engine(tmp_path: Path) -> None:
    async with editor(tmp_path) as client:
        uri = open_file(client, tmp_path / "a.py", SHUFFLED)
        assert await pushed(client, uri) == []
        reconfigure(client, {"autograd-lint": {"target-torch": "2.4"}})
        assert len(await pushed(client, uri)) == 1
        reconfigure(client, {"autograd-lint": {"target-torch": "2.13"}})
        assert await pushed(client, uri) == []


async def test_the_settings_it_is_told(tmp_path: Path) -> None:
    async with editor(tmp_path) as client:
        uri = open_file(client, tmp_path / "a.py", LOSS)
        assert len(await pushed(client, uri)) == 1
        reconfigure(client, {"autograd-lint": {"select": ["AG3"]}})
        assert await pushed(client, uri) == []
        reconfigure(client, {"autograd-lint": {"enable": True}})
        assert len(await pushed(client, uri)) == 1
        reconfigure(client, {"autograd-lint": {"enable": False}})
        assert await pushed(client, uri) == []


async def test_the_settings_it_asks_for(tmp_path: Path) -> None:
    async with editor(tmp_path, configurable(), section={"ignore": ["leaf-modified"]}) as client:
        uri = open_file(client, tmp_path / "a.py", LOSS)
        await until(lambda: bool(client.registered))
        assert [one.method for one in client.registered[0].registrations] == [
            "workspace/didChangeWatchedFiles",
            "workspace/didChangeConfiguration",
        ]
        client.section = {}
        reconfigure(client, None)
        while not await pushed(client, uri):
            pass


@pytest.mark.parametrize(
    ("section", "trouble"),
    [
        ({"selct": []}, "unknown key `selct`; known keys: certainty, config,"),
        ({"ignore": ["AG999"]}, "unknown rule `AG999`"),
    ],
)
async def test_what_is_wrong_in_the_settings_is_shown(
    tmp_path: Path, section: object, trouble: str
) -> None:
    async with editor(tmp_path, settings=section) as client:
        uri = open_file(client, tmp_path / "a.py", LOSS)
        assert len(await pushed(client, uri)) == 1
        await until(lambda: bool(client.messages))
    (message,) = client.messages
    assert message.message.startswith("autograd-lint: ")
    assert trouble in message.message


async def test_configuration_files_are_read_again_when_they_change(tmp_path: Path) -> None:
    table = "[tool.autograd-lint]\n"
    async with editor(tmp_path) as client:
        uri = open_file(client, tmp_path / "a.py", LOSS)
        assert len(await pushed(client, uri)) == 1
        write_tree(tmp_path, {"pyproject.toml": table + 'ignore = ["AG101"]\n'})
        file = (tmp_path / "pyproject.toml").as_uri()
        told = [types.FileEvent(file, types.FileChangeType.Created)]
        client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(told))
        assert await pushed(client, uri) == []
        write_tree(tmp_path, {"pyproject.toml": table + 'ignore = ["AG1*"]\n'})
        change(client, uri, LOSS + "\n", 2)  # seen without being told
        assert len(await pushed(client, uri, 2)) == 1
        await until(lambda: bool(client.messages))
        write_tree(tmp_path, {"pyproject.toml": table + 'exclude = ["a.py"]\n'})
        saved = types.TextDocumentIdentifier(file)
        client.text_document_did_save(types.DidSaveTextDocumentParams(saved))
        assert await pushed(client, uri, 2) == []


async def test_an_editor_that_pulls_is_asked_to_pull_again(tmp_path: Path) -> None:
    async with editor(tmp_path, configurable(pulls=True), section={}) as client:
        uri = open_file(client, tmp_path / "a.py", LOSS)
        first = await pull(client, uri)
        client.section = {"ignore": ["AG101"]}
        reconfigure(client, None)
        await until(lambda: bool(client.refreshed))
        again = await pull(client, uri, first.result_id)
        assert isinstance(again, types.RelatedFullDocumentDiagnosticReport)
        assert list(again.items) == []


async def test_checks_can_wait_until_a_file_is_saved(tmp_path: Path) -> None:
    async with editor(tmp_path, settings={"run": "save"}) as client:
        uri = open_file(client, tmp_path / "a.py", "import torch\n")
        assert await pushed(client, uri, 1) == []
        change(client, uri, LOSS, 2)
        change(client, uri, LOSS + "\n", 3)
        identifier = types.TextDocumentIdentifier(uri)
        client.text_document_did_save(types.DidSaveTextDocumentParams(identifier))
        assert len(await pushed(client, uri)) == 1
        assert client.reports == []


async def test_what_the_baseline_knows_is_not_shown(tmp_path: Path) -> None:
    known = '{"findings": [{"file": "a.py", "code": "AG101", "line": "w += 1", "count": 1}]}'
    table = '[tool.autograd-lint]\nbaseline = "known.json"\n'
    write_tree(tmp_path, {"pyproject.toml": table, "known.json": known})
    async with editor(tmp_path) as client:
        uri = open_file(client, tmp_path / "a.py", LOSS)
        assert await pushed(client, uri) == []
        change(client, uri, LOSS.replace("w += 1", "w += 2"), 2)
        assert len(await pushed(client, uri, 2)) == 1
