"""The language server while somebody types: what it costs to check a text anew after a change.

`python -m benchmarks.editing FILE... [--edits N] [--rounds N] [--random N] [--seed N]`: every file
is opened in the server, where it stands in its project, and edited N times: a statement or remark
is written above a random line of a function, and taken away again. Told is what the server's
process spends on a change, from receiving it to pushing diagnostics, in milliseconds of CPU: the
middle, the 95th percentile, the slowest. Where other programs run at the same time, the least of
several rounds of one change is what it costs alone. At the end the findings are counted beside
those of a check without a server; with `--random` they are compared after so many more edits of all
kinds (bodies, signatures, imports, bases, constants, definitions, names), one upon the other. Linux
only.
"""

import argparse
import asyncio
import random
import statistics
import sys
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from lsprotocol import types
from pygls.lsp.client import LanguageClient
from tests.edits import edited as changed

from autograd_lint.checking.machinery import standard_machinery
from autograd_lint.checking.pipeline import Checker
from autograd_lint.configuration.settings import Settings
from autograd_lint.findings import Finding
from autograd_lint.project.modules import Project
from autograd_lint.project.roots import Homes
from autograd_lint.project.source import Source
from autograd_lint.server.checking import Checking
from autograd_lint.server.configuring import Configuration
from autograd_lint.server.programs import Part, Program

SERVER = [sys.executable, "-c", "import sys, autograd_lint.cli as cli; sys.exit(cli.main())"]
TIDYING = 0.1  # seconds after a change in which the server lets its garbage go
ADDED = ("_added = 1", "# a remark", "assert True", "_name = None")


@dataclass
class Editor:
    """A client of the server, and what was pushed last for each document."""

    client: LanguageClient = field(default_factory=lambda: LanguageClient("benchmark", "1"))
    pushed: dict[str, types.PublishDiagnosticsParams] = field(default_factory=dict)

    async def start(self) -> None:
        """Starts the server and introduces itself."""
        await self.client.start_io(*SERVER, "server")
        self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(
            lambda told: self.pushed.update({told.uri: told})
        )
        capabilities = types.ClientCapabilities()
        await self.client.initialize_async(types.InitializeParams(capabilities))
        self.client.initialized(types.InitializedParams())

    async def stop(self) -> None:
        """Ends the server."""
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()

    async def open(self, path: Path, text: str) -> None:
        """Opens a file and waits for its diagnostics."""
        item = types.TextDocumentItem(path.as_uri(), "python", 0, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        await self._told(path, 0)

    async def edit(self, path: Path, text: str, version: int) -> float:
        """Changes a text; returns the milliseconds of CPU until its diagnostics are pushed."""
        await asyncio.sleep(TIDYING)
        before = self._spent()
        changed = types.TextDocumentContentChangeWholeDocument(text)
        document = types.VersionedTextDocumentIdentifier(version, path.as_uri())
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [changed]))
        await self._told(path, version)
        return (self._spent() - before) * 1000

    async def _told(self, path: Path, version: int) -> None:
        while True:
            told = self.pushed.get(path.as_uri())
            if told is not None and told.version == version:
                return
            await asyncio.sleep(0.005)

    def _spent(self) -> float:
        """The seconds of CPU that the server's process has spent so far."""
        server = self.client._server
        assert server is not None
        tasks = Path(f"/proc/{server.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def edited(text: str, chance: random.Random) -> str:
    """The text with a statement or a remark above some line that can take it."""
    lines = text.split("\n")
    places = [row for row in range(1, len(lines)) if _takes_a_statement(lines, row)]
    row = chance.choice(places)
    indent = lines[row][: len(lines[row]) - len(lines[row].lstrip())]
    return "\n".join([*lines[:row], indent + chance.choice(ADDED), *lines[row:]])


def _takes_a_statement(lines: list[str], row: int) -> bool:
    """Whether a line is a plain statement of a function below another of the same indentation."""
    line, above = lines[row], lines[row - 1]
    plain = line.lstrip()[:1].isalpha() and "(" not in above and not above.rstrip().endswith(",")
    indented = line.startswith(" ") and above[: len(line) - len(line.lstrip()) + 1].strip() != ""
    return plain and indented and ("=" in line or "return" in line) and "=" in above


async def measure(path: Path, options: argparse.Namespace) -> tuple[list[float], int]:
    """The cost of every edit of a file, and the number of findings at the end."""
    editor, text = Editor(), path.read_text("utf-8")
    chance, versions = random.Random(options.seed), count(1)
    await editor.start()
    await editor.open(path, text)
    costs: list[float] = []
    for _ in range(options.edits):
        changed = edited(text, chance)
        rounds = []
        for _ in range(options.rounds):
            there = await editor.edit(path, changed, next(versions))
            rounds.append((there, await editor.edit(path, text, next(versions))))
        costs.extend(map(min, zip(*rounds, strict=True)))
    last = editor.pushed[path.as_uri()]
    await editor.stop()
    return costs, len(last.diagnostics)


def alone(path: Path, text: str) -> list[Finding]:
    """The findings in a file without a server."""
    checker = Checker(Settings(), Project(Homes().of(path.parent).roots), standard_machinery)
    return list(checker.source(Source(str(path), text)).findings)


def differing(path: Path, edits: int, chance: random.Random) -> list[str]:
    """Edit a text at random: where the findings were not those of a check without a server."""
    original = text = path.read_text("utf-8")
    checking, wrong = Checking(Configuration()), []
    for version in range(edits):
        program = Program(
            path.as_uri(), str(path), (Part(path.as_uri(), str(path), text, version),)
        )
        found = list(checking.check(program, lambda: True).findings)
        if found != alone(path, text):
            wrong.append(text)
        text = original if chance.random() < 0.2 else changed(text, chance)
    return wrong


def told(costs: list[float]) -> str:
    """Middle, 95th percentile and the slowest."""
    ordered = sorted(costs)
    late = ordered[max(0, -(-len(ordered) * 95 // 100) - 1)]
    return f"{statistics.median(ordered):8.0f}{late:8.0f}{ordered[-1]:8.0f}"


def main() -> None:
    """Prints a row for every file, and one for all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--edits", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    print(f"{'file':40s}{'lines':>7s}{'middle':>8s}{'p95':>8s}{'max':>8s}  same findings")
    everything: list[float] = []
    for file in options.files:
        path = file.resolve()
        costs, found = asyncio.run(measure(path, options))
        everything += costs
        lines = path.read_text("utf-8").count("\n")
        expected = alone(path, path.read_text("utf-8"))
        same = found == sum(finding.place.filename == str(path) for finding in expected)
        wrong = differing(path, options.random, random.Random(options.seed))
        told_same = "yes" if same and not wrong else f"NO ({len(wrong)} of {options.random})"
        print(f"{path.name:40s}{lines:7d}{told(costs)}  {told_same}", flush=True)
    print(f"{'all':47s}{told(everything)}")


if __name__ == "__main__":
    main()
