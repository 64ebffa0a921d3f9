/** A language client that starts nothing: tests read what it was asked to start. */

export const started: { command: string; args: string[] }[] = [];

export const State = { Stopped: 1, Running: 2 };

export class LanguageClient {
  readonly initializeResult = { serverInfo: { version: "1.2.3" } };

  constructor(
    _id: string,
    _name: string,
    private readonly executable: { command: string; args: string[] },
  ) {}

  onDidChangeState(): void {
    // It stays as it is.
  }

  async start(): Promise<void> {
    started.push(this.executable);
  }

  async dispose(): Promise<void> {
    // Nothing runs.
  }
}
