/** Which autograd-lint is started. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { LogOutputChannel } from "vscode";
import { activate } from "../src/extension";
import { findCommand } from "../src/command";
import { started } from "./languageclient";
import { folder, program, VERSION } from "./programs";
import { editor, window } from "./vscode";

const log = window.createOutputChannel() as unknown as LogOutputChannel;
const missing = "process.exit(1);";
let there = "";

beforeEach(() => {
  there = folder();
  process.env.PATH = there;
  editor.settings = {};
  editor.interpreter = undefined;
  editor.pythonIsActive = true;
  started.length = 0;
});

test("what the setting names is started, whatever else there is", async () => {
  editor.interpreter = program(there, "python", VERSION);
  program(there, "autograd-lint", VERSION);
  editor.settings = { path: "/opt/autograd-lint" };
  const found = await findCommand(log);
  assert.deepEqual(found, { program: "/opt/autograd-lint", args: [], source: "setting" });
});

test("the interpreter that the Python extension has chosen goes before PATH", async () => {
  editor.interpreter = program(there, "python", VERSION);
  program(there, "autograd-lint", VERSION);
  assert.equal((await findCommand(log))?.program, editor.interpreter);
});

test("a Python extension that sleeps is woken for its interpreter", async () => {
  editor.interpreter = program(there, "python", VERSION);
  editor.pythonIsActive = false;
  assert.equal((await findCommand(log))?.program, editor.interpreter);
});

test("an interpreter without the package leaves it to PATH", async () => {
  editor.interpreter = program(there, "python", missing);
  program(there, "autograd-lint", VERSION);
  assert.equal((await findCommand(log))?.source, "PATH");
});

test("without the Python extension PATH is looked at", async () => {
  program(there, "autograd-lint", VERSION);
  assert.equal((await findCommand(log))?.program, "autograd-lint");
});

test("where there is none, none is found", async () => {
  assert.equal(await findCommand(log), undefined);
});

test("an interpreter is asked for the package, never for what lies in the open folder", async () => {
  editor.interpreter = program(there, "python", VERSION);
  const found = await findCommand(log);
  for (const name of ["autograd_lint", "runpy"]) {
    mkdirSync(join(there, name));
    writeFileSync(join(there, name, "__init__.py"), "print('hijacked')\n");
    writeFileSync(join(there, name, "__main__.py"), "print('hijacked')\n");
  }
  const arguments_ = [...(found?.args ?? []), "--version"];
  const python = process.env.PYTHON ?? "/usr/bin/python3";
  let said = "";
  try {
    said = execFileSync(python, arguments_, { cwd: there, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    said = String(error);
  }
  assert.match(said, /No module named '?autograd_lint|autograd-lint \d/);
  assert.doesNotMatch(said, /hijacked/);
});

test("another interpreter, and another path in the settings, start the server anew", async () => {
  editor.interpreter = program(there, "python", VERSION);
  await activate({ subscriptions: [] } as never);
  editor.interpreter = program(there, "other", VERSION);
  editor.interpreterChanged.forEach((listener) => listener({}));
  await editor.commands.get("autograd-lint.restart")?.();
  assert.equal(started.at(-2)?.command, editor.interpreter);
  editor.settings = { path: "/opt/autograd-lint" };
  editor.settingsChanged.forEach((listener) => listener({ affectsConfiguration: () => true }));
  await editor.commands.get("autograd-lint.restart")?.();
  assert.deepEqual(started.at(-2), { command: "/opt/autograd-lint", args: ["server"] });
  assert.equal(editor.status, "autograd-lint: 1.2.3 (setting)");
});
