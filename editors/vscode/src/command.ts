/** Which autograd-lint is started: the one of the settings, of the interpreter, or on PATH. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as vscode from "vscode";

const run = promisify(execFile);

/** As `python -m autograd_lint`, but nothing is imported from the folder that is open. */
const MODULE = [
  "-c",
  "import sys; sys.path = [one for one in sys.path if one]; import runpy; " +
    "runpy.run_module('autograd_lint', run_name='__main__', alter_sys=True)",
];

/** A program with the arguments that make it autograd-lint, and where it was found. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly source: string;
}

/** What the Python extension exports, as far as it is used here. */
interface Python {
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(
      path: object,
    ): Promise<{ readonly executable: { readonly uri?: vscode.Uri } } | undefined>;
    onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

/** The first command that can be run; undefined where there is none. */
export async function findCommand(log: vscode.LogOutputChannel): Promise<Command | undefined> {
  const configured = vscode.workspace.getConfiguration("autograd-lint").get<string>("path", "");
  if (configured) {
    return { program: configured, args: [], source: "setting" };
  }
  const interpreter = await activeInterpreter();
  const candidates: Command[] = [{ program: "autograd-lint", args: [], source: "PATH" }];
  if (interpreter) {
    candidates.unshift({ program: interpreter, args: MODULE, source: interpreter });
  }
  for (const one of candidates) {
    if (await answers(one, log)) {
      return one;
    }
  }
  return undefined;
}

async function answers(command: Command, log: vscode.LogOutputChannel): Promise<boolean> {
  try {
    const { stdout } = await run(command.program, [...command.args, "--version"]);
    log.info(`${command.source}: ${stdout.trim()}`);
    return true;
  } catch (error) {
    log.info(`${command.source}: not found (${error instanceof Error ? error.message : error})`);
    return false;
  }
}

async function python(): Promise<Python | undefined> {
  const extension = vscode.extensions.getExtension<Python>("ms-python.python");
  return extension && (extension.isActive ? extension.exports : await extension.activate());
}

/** The interpreter that the Python extension has chosen for the workspace. */
export async function activeInterpreter(): Promise<string | undefined> {
  const environments = (await python())?.environments;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const chosen = environments?.getActiveEnvironmentPath(folder);
  const resolved = chosen && (await environments?.resolveEnvironment(chosen));
  return resolved?.executable.uri?.fsPath;
}

/** Call `changed` whenever the Python extension chooses another interpreter. */
export async function whenInterpreterChanges(changed: () => void): Promise<vscode.Disposable> {
  const event = (await python())?.environments.onDidChangeActiveEnvironmentPath;
  return event ? event(changed) : new vscode.Disposable(() => undefined);
}
