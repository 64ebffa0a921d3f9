"""Whatever an editor did, and in whatever haste: at rest it is shown what a fresh check finds."""

import asyncio
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from lsprotocol import types
from tests.fakes import write_tree
from tests.server.editors import Client, change, editor, open_file, until

from autograd_lint.server.checking import Checking
from autograd_lint.server.configuring import Configuration
from autograd_lint.server.programs import Part, Program

HELPER = "import torch\n\n\ndef bump(x):\n    é = '😀'; x += 1\n    return x\n"
USER = """\
import torch
from helper import bump

w = torch.ones(3, requires_grad=True)
# ä😀
y = torch.sigmoid(w); s = "😀"; y += 1
bump(torch.exp(w)).sum().backward()
y.sum().backward()
"""
FILES = {"a.py": USER, "helper.py": HELPER, "b/c é.py": USER.replace("y += 1", "w += 1")}
TYPED = ("\n", "x = 1\n", "y += 1\n", "😀", "(", '"""', "# noqa\n", "import torch\n", "def f(:\n")
CONFIGURED = ("[tool.autograd-lint]\n", "[tool.autograd-lint]\nignore = ['AG103']\n", "[tool\n")
KEPT = "found before the syntax error"  # at the end of what is told of such a finding

Shown = dict[str, set[tuple[str, int]]]


@dataclass
class Somebody:
    """Who opens, edits, closes and removes files at random."""

    client: Client
    root: Path
    chance: random.Random
    opened: dict[Path, str] = field(default_factory=dict)
    versions: int = 0

    def act(self) -> None:
        """Do one thing."""
        path = self.root / self.chance.choice(list(FILES))
        if path not in self.opened:
            self.open(path)
            return
        act = self.chance.choice((self.edit, self.edit, self.edit, self.close, self.move, self.set))
        act(path)

    def open(self, path: Path) -> None:
        self.versions += 1
        self.opened[path] = FILES[path.relative_to(self.root).as_posix()]
        open_file(self.client, path, self.opened[path], self.versions)

    def edit(self, path: Path) -> None:
        for _ in range(self.chance.choice((1, 1, 20))):
            self.versions += 1
            text = self.opened[path]
            first = self.chance.randrange(len(text) + 1)
            typed = (
                text[:first]
                + self.chance.choice(TYPED)
                + text[first + self.chance.choice((0, 9)) :]
            )
            self.opened[path] = typed if self.chance.random() < 0.8 else FILES["a.py"]
            change(self.client, path.as_uri(), self.opened[path], self.versions)

    def close(self, path: Path) -> None:
        del self.opened[path]
        closed = types.TextDocumentIdentifier(path.as_uri())
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(closed))

    def move(self, path: Path) -> None:
        if path.exists():
            path.unlink()
            self._changed(path, types.FileChangeType.Deleted)
        else:
            path.write_text(FILES[path.relative_to(self.root).as_posix()], "utf-8")
            self._changed(path, types.FileChangeType.Created)

    def set(self, _: Path, text: str = "") -> None:
        path = self.root / "pyproject.toml"
        path.write_text(text or self.chance.choice(CONFIGURED))
        self._changed(path, types.FileChangeType.Changed)

    def _changed(self, path: Path, kind: types.FileChangeType) -> None:
        events = [types.FileEvent(path.as_uri(), kind)]
        self.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(events))

    def programs(self) -> Iterator[Program]:
        for path, text in self.opened.items():
            yield Program(path.as_uri(), str(path), (Part(path.as_uri(), str(path), text, 1),))

    def expected(self) -> Shown:
        """What a fresh check finds in what is open."""
        checking, found = Checking(Configuration()), Shown()
        for program in self.programs():  # from now on imports lead to what is open
            checking.check(program, lambda: True)
        for program in self.programs():
            for one in checking.check(program, lambda: True).findings:
                uri = Path(one.place.filename).as_uri()
                found.setdefault(uri, set()).add((one.code, one.place.row - 1))
        return found

    def shown(self) -> Shown:
        """What was pushed last for each document, but for what is kept over a syntax error."""
        last = {report.uri: report.diagnostics for report in self.client.reports}
        fresh = {
            uri: [one for one in found if not one.message.endswith(KEPT)]
            for uri, found in last.items()
        }
        return {
            uri: {(str(one.code), one.range.start.line) for one in found}
            for uri, found in fresh.items()
            if found
        }


@pytest.mark.asyncio
@pytest.mark.parametrize("seed", range(3))
async def test_what_is_shown_is_what_a_fresh_check_finds(tmp_path: Path, seed: int) -> None:
    write_tree(tmp_path, {**FILES, "pyproject.toml": CONFIGURED[0]})
    async with editor(tmp_path) as client:
        somebody = Somebody(client, tmp_path, random.Random(seed))
        for _ in range(60):
            somebody.act()
            await asyncio.sleep(somebody.chance.choice((0, 0, 0.02, 0.2)))
        somebody.set(tmp_path, CONFIGURED[0])
        expected = somebody.expected()
        await until(lambda: somebody.shown() == expected)
