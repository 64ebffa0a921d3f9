"""Messages that no editor sends, and editors that go without a word."""

import json
import os
import random
import subprocess
import sys
from typing import Any

import pytest
from tests.server.test_serving import INITIALIZE, framed, started

LAST = [{"id": 99, "method": "shutdown"}, {"method": "exit"}]


def answers(out: bytes) -> list[dict[str, Any]]:
    """The messages in what a server wrote."""
    found = []
    while out:
        head, _, out = out.partition(b"\r\n\r\n")
        length = int(head.partition(b"Content-Length: ")[2].partition(b"\r\n")[0])
        found.append(json.loads(out[:length]))
        out = out[length:]
    return found


def exchanged(data: bytes) -> list[dict[str, Any]]:
    """What the server answers to some bytes; it ends in order."""
    process = started()
    out, _ = process.communicate(data, timeout=60)
    assert process.returncode in (0, 1)
    return answers(out)


@pytest.mark.parametrize("length", [b"9" * 17, b"9" * 5000, b"-5", b"0", b"x", b"1e9", b""])
def test_an_absurd_length_is_answered_and_the_next_message_too(length: bytes) -> None:
    data = b"Content-Length: " + length + b"\r\n\r\n" + framed(INITIALIZE, *LAST)
    told = exchanged(data)
    assert told[0]["error"]["code"] == -32600
    assert "no message has a length of" in told[0]["error"]["message"]
    assert [one["id"] for one in told if "id" in one][-2:] == [1, 99]


def test_a_request_after_shutdown_is_answered() -> None:
    where = {"textDocument": {"uri": "file:///a.py"}, "position": {"line": 0, "character": 0}}
    late = {"id": 100, "method": "textDocument/hover", "params": where}
    told = exchanged(framed(INITIALIZE, LAST[0], late, LAST[1]))
    (answer,) = (one for one in told if one.get("id") == 100)
    assert answer["error"]["code"] == -32600


@pytest.mark.skipif(sys.platform == "win32", reason="processes are asked for as POSIX has it")
def test_it_ends_with_its_editor_though_its_input_stays_open() -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as someone:
        process = started()
        assert process.stdin is not None
        begin = {**INITIALIZE, "params": {**INITIALIZE["params"], "processId": someone.pid}}
        process.stdin.write(framed(begin))
        process.stdin.flush()
        assert process.stdout is not None
        process.stdout.readline()
        someone.kill()
    assert process.wait(timeout=30) == 1
    for stream in (process.stdin, process.stdout, process.stderr):
        assert stream is not None
        stream.close()


METHODS = (
    "textDocument/didOpen", "textDocument/didChange", "textDocument/didClose", "no/such",
    "textDocument/hover", "textDocument/codeAction", "textDocument/diagnostic", "initialized",
    "workspace/didChangeConfiguration", "notebookDocument/didOpen", "$/cancelRequest",
    "codeAction/resolve", "workspace/didChangeWatchedFiles",
)  # fmt: skip
URI = "file:///a.py"
DOCUMENT = {"uri": URI, "languageId": "python", "version": 1, "text": "import torch\n"}
VALUES: tuple[object, ...] = (
    None, 1, -1, "x", [], {}, True, URI, {"textDocument": {"uri": URI}}, {"textDocument": DOCUMENT},
    {"textDocument": DOCUMENT, "contentChanges": [{"text": "x"}]},
)  # fmt: skip


def damaged(chance: random.Random) -> bytes:
    """A message of random parts, now and then with a wrong byte in it."""
    version = chance.choice(["2.0", "2.0", "2.0", "1", None])
    message: dict[str, object] = {"jsonrpc": version, "method": chance.choice(METHODS)}
    message["params"] = chance.choice(VALUES)
    if chance.random() < 0.6:
        message["id"] = chance.choice([1, 2, "a", None, 2**40, [], -1])
    body = json.dumps(message).encode()
    if chance.random() < 0.2:
        at = chance.randrange(len(body))
        body = body[:at] + bytes([chance.randrange(256)]) + body[at + 1 :]
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def test_random_messages_do_not_end_it() -> None:
    chance = random.Random(int(os.environ.get("AUTOGRAD_LINT_SEED", "1")))
    data = framed(INITIALIZE) + b"".join(damaged(chance) for _ in range(300)) + framed(*LAST)
    told = exchanged(data)
    assert 99 in [one.get("id") for one in told]


def test_two_editors_have_a_server_each() -> None:
    killed, other = started(), started()
    for process in (killed, other):
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(framed(INITIALIZE))
        process.stdin.flush()
        assert process.stdout.readline().startswith(b"Content-Length")
    killed.kill()
    killed.communicate()
    out, _ = other.communicate(framed(*LAST), timeout=60)
    assert other.returncode == 0
    assert b'"id": 99' in out or b'"id":99' in out
