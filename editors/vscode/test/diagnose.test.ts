/** From what PyTorch printed, on the clipboard or in the terminal, to a line. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { before, beforeEach, test } from "node:test";
import { activate } from "../src/extension";
import { folder, program } from "./programs";
import { editor } from "./vscode";

const there = folder();
// Answers with what it was given, as a candidate; without a word where it was given "nothing".
const ANSWER = `
if (process.argv.includes("--version")) { console.log("autograd-lint 1.2.3"); process.exit(); }
let text = "";
process.stdin.on("data", (data) => (text += data));
process.stdin.on("end", () => {
  if (text === "nothing") { console.error("autograd-lint: nothing of autograd"); return; }
  console.log(JSON.stringify([{
    code: "AG103", message: text, help: "write a copy", probability: 0.876,
    filename: process.cwd() + "/train.py", location: { row: 14, column: 9 },
  }]));
});`;

before(async () => {
  editor.folder = there;
  editor.settings = { path: program(there, "answer", ANSWER) };
  await activate({ subscriptions: [] } as never);
});

beforeEach(() => {
  Object.assign(editor, { clipboard: "", selection: "", messages: [], offered: [], opened: [] });
});

function run(name: string): unknown {
  return editor.commands.get(`autograd-lint.${name}`)?.();
}

test("an error on the clipboard leads to its line", async () => {
  editor.clipboard = "RuntimeError: größer";
  await run("diagnoseClipboard");
  assert.equal(editor.offered[0]?.label, "train.py:14");
  assert.equal(editor.offered[0]?.description, "AG103, 88 %: RuntimeError: größer");
  assert.deepEqual(editor.opened, [{ path: join(there, "train.py"), row: 14, column: 9 }]);
});

test("what is selected in the terminal is diagnosed, and the clipboard stays as it was", async () => {
  editor.clipboard = "mine";
  editor.selection = "RuntimeError: of the terminal";
  await run("diagnoseTerminal");
  assert.match(editor.offered[0]?.description ?? "", /of the terminal/);
  assert.equal(editor.clipboard, "mine");
});

test("where nothing is selected, the clipboard is not taken for it", async () => {
  editor.clipboard = "mine";
  await run("diagnoseTerminal");
  assert.match(editor.messages[0] ?? "", /no text to diagnose/);
  assert.deepEqual([editor.offered, editor.clipboard], [[], "mine"]);
});

test("a text that says nothing of autograd is answered in the tool's own words", async () => {
  editor.clipboard = "nothing";
  await run("diagnoseClipboard");
  assert.deepEqual(editor.messages, ["autograd-lint: nothing of autograd"]);
});
