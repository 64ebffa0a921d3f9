/** The settings of the editor, by the names that the server has for them. */

import * as vscode from "vscode";

const NAMES: Readonly<Record<string, string>> = {
  enable: "enable",
  run: "run",
  unsafeFixes: "unsafe-fixes",
  config: "config",
  select: "select",
  ignore: "ignore",
  extendSelect: "extend-select",
  certainty: "certainty",
  targetTorch: "target-torch",
};

export function serverSettings(scope: vscode.Uri | undefined): Record<string, unknown> {
  const section = vscode.workspace.getConfiguration("autograd-lint", scope);
  return Object.fromEntries(
    Object.entries(NAMES).map(([ours, theirs]) => [theirs, section.get(ours)]),
  );
}
