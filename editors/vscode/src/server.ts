/** The language server: started, restarted, and told the settings. */

import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, State } from "vscode-languageclient/node";
import { activeInterpreter, Command, findCommand } from "./command";
import { serverSettings } from "./settings";

const SELECTOR = [
  { scheme: "file", language: "python" },
  { scheme: "untitled", language: "python" },
  { notebook: "jupyter-notebook", language: "python" },
];
const INSTALL = "Install";
const SHOW_LOG = "Show Log";

export class Server implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel("autograd-lint", { log: true });
  private readonly status = vscode.languages.createLanguageStatusItem("autograd-lint", [
    { language: "python" },
  ]);
  private client: LanguageClient | undefined;
  private starting: Promise<void> = Promise.resolve();
  command: Command | undefined;

  constructor() {
    this.status.name = "autograd-lint";
    this.status.command = { command: "autograd-lint.showLog", title: SHOW_LOG };
  }

  /** Start it, or start it anew; one start waits for the one before. */
  restart(): Promise<void> {
    this.starting = this.starting.then(() => this.startAnew()).catch((error) => this.failed(error));
    return this.starting;
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await client?.dispose();
  }

  dispose(): void {
    void this.stop();
    this.status.dispose();
    this.log.dispose();
  }

  private async startAnew(): Promise<void> {
    await this.stop();
    this.show("starting", vscode.LanguageStatusSeverity.Information, true);
    this.command = await findCommand(this.log);
    if (this.command === undefined) {
      this.show("not installed", vscode.LanguageStatusSeverity.Error);
      void this.offerInstallation();
      return;
    }
    const { program, args, source } = this.command;
    const executable = { command: program, args: [...args, "server"] };
    const client = new LanguageClient("autograd-lint", "autograd-lint", executable, this.options());
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Stopped && this.client === client) {
        this.show("stopped", vscode.LanguageStatusSeverity.Error);
      }
    });
    this.client = client;
    await client.start();
    const version = client.initializeResult?.serverInfo?.version ?? "";
    this.show(`${version} (${source})`.trim(), vscode.LanguageStatusSeverity.Information);
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: SELECTOR,
      outputChannel: this.log,
      middleware: {
        workspace: {
          configuration: (params) =>
            params.items.map((item) =>
              serverSettings(item.scopeUri ? vscode.Uri.parse(item.scopeUri) : undefined),
            ),
        },
      },
      initializationOptions: serverSettings(undefined),
      synchronize: { configurationSection: "autograd-lint" },
    };
  }

  private failed(error: unknown): void {
    this.log.error(String(error));
    this.show("failed", vscode.LanguageStatusSeverity.Error);
  }

  private show(text: string, severity: vscode.LanguageStatusSeverity, busy = false): void {
    this.status.text = `autograd-lint: ${text}`;
    this.status.severity = severity;
    this.status.busy = busy;
  }

  private async offerInstallation(): Promise<void> {
    const chosen = await vscode.window.showWarningMessage(
      "autograd-lint is neither in the chosen Python environment nor on PATH.",
      INSTALL,
      SHOW_LOG,
    );
    if (chosen === SHOW_LOG) {
      this.log.show();
    } else if (chosen === INSTALL) {
      const python = (await activeInterpreter()) ?? "python3";
      const terminal = vscode.window.createTerminal("autograd-lint");
      terminal.show();
      terminal.sendText(`"${python}" -m pip install "autograd-lint[server]"`, false);
    }
  }
}
