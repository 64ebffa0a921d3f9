/** From what PyTorch printed to the lines that explain it. */

import { spawn } from "node:child_process";
import * as vscode from "vscode";
import { Command } from "./command";

/** One of the lines, as `autograd-lint diagnose --output-format json` tells it. */
interface Candidate {
  readonly code: string;
  readonly message: string;
  readonly help: string;
  readonly probability: number;
  readonly filename: string;
  readonly location: { readonly row: number; readonly column: number };
}

interface Choice extends vscode.QuickPickItem {
  readonly candidate: Candidate;
}

/** Show the lines that explain a text, and open the one that is chosen. */
export async function diagnose(command: Command, text: string): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const title = "autograd-lint: looking for the lines that explain the error";
  const location = vscode.ProgressLocation.Notification;
  const { found, said } = await vscode.window.withProgress({ location, title }, () =>
    candidates(command, text, folder),
  );
  if (found.length === 0) {
    void vscode.window.showInformationMessage(said || "Nothing in the workspace explains it.");
    return;
  }
  const placeHolder = "The lines that explain the error, the likeliest first";
  const chosen = await vscode.window.showQuickPick(found.map(choice), {
    placeHolder,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (chosen) {
    await open(chosen.candidate);
  }
}

function choice(candidate: Candidate): Choice {
  const name = vscode.workspace.asRelativePath(candidate.filename);
  const share = `${Math.round(100 * candidate.probability)} %`;
  return {
    label: `${name}:${candidate.location.row}`,
    description: `${candidate.code}, ${share}: ${candidate.message}`,
    detail: candidate.help,
    candidate,
  };
}

async function open(candidate: Candidate): Promise<void> {
  const at = new vscode.Position(candidate.location.row - 1, candidate.location.column - 1);
  const uri = vscode.Uri.file(candidate.filename);
  await vscode.window.showTextDocument(uri, { selection: new vscode.Range(at, at) });
}

function candidates(
  command: Command,
  text: string,
  cwd: string | undefined,
): Promise<{ found: Candidate[]; said: string }> {
  const args = [...command.args, "diagnose", "--output-format", "json"];
  return new Promise((resolve, reject) => {
    const child = spawn(command.program, args, { cwd });
    let output = "";
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (data: string) => (output += data));
    child.stderr.setEncoding("utf8").on("data", (data: string) => (said += data));
    child.stdin.on("error", reject);
    child.on("error", reject);
    child.on("close", () => {
      resolve({ found: output ? (JSON.parse(output) as Candidate[]) : [], said: said.trim() });
    });
    child.stdin.end(text);
  });
}
