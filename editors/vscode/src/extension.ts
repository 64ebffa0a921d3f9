/** What VS Code is offered: the server, and the commands. */

import * as vscode from "vscode";
import { whenInterpreterChanges } from "./command";
import { diagnose } from "./diagnose";
import { Server } from "./server";

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const made = new Server();
  server = made;
  const register = vscode.commands.registerCommand;
  context.subscriptions.push(
    made,
    register("autograd-lint.restart", () => made.restart()),
    register("autograd-lint.showLog", () => made.log.show()),
    register("autograd-lint.diagnoseClipboard", () => diagnoseClipboard(made)),
    register("autograd-lint.diagnoseTerminal", () => diagnoseTerminal(made)),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("autograd-lint.path")) {
        void made.restart();
      }
    }),
    await whenInterpreterChanges(() => void made.restart()),
  );
  await made.restart();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

async function diagnoseTerminal(made: Server): Promise<void> {
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  await clipboard.writeText(""); // where nothing is selected, nothing is copied
  await vscode.commands.executeCommand("workbench.action.terminal.copySelection");
  const text = await clipboard.readText();
  await clipboard.writeText(before);
  await diagnoseText(made, text);
}

async function diagnoseClipboard(made: Server): Promise<void> {
  await diagnoseText(made, await vscode.env.clipboard.readText());
}

async function diagnoseText(made: Server, text: string): Promise<void> {
  if (made.command === undefined) {
    await made.restart();
  }
  if (!text.trim()) {
    void vscode.window.showInformationMessage("There is no text to diagnose: select the error in the terminal, or copy it.");
  } else if (made.command !== undefined) {
    await diagnose(made.command, text);
  }
}
