/** The part of VS Code's API that the extension uses, kept in memory: tests set and read `editor`. */

type Listener = (event: unknown) => unknown;

const PYTHON = "ms-python.python";

export const editor = {
  settings: {} as Record<string, unknown>,
  clipboard: "",
  selection: "",
  interpreter: undefined as string | undefined,
  pythonIsActive: true,
  folder: undefined as string | undefined,
  commands: new Map<string, (...given: unknown[]) => unknown>(),
  messages: [] as string[],
  offered: [] as { label: string; description: string; detail: string }[],
  opened: [] as { path: string; row: number; column: number }[],
  log: [] as string[],
  status: "",
  interpreterChanged: [] as Listener[],
  settingsChanged: [] as Listener[],
};

const exported = {
  environments: {
    getActiveEnvironmentPath: () => ({ path: editor.interpreter ?? "" }),
    resolveEnvironment: async () =>
      editor.interpreter ? { executable: { uri: { fsPath: editor.interpreter } } } : undefined,
    onDidChangeActiveEnvironmentPath: (listener: Listener) => {
      editor.interpreterChanged.push(listener);
      return new Disposable(() => undefined);
    },
  },
};

export class Disposable {
  constructor(readonly dispose: () => void) {}
}

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
}

export class Range {
  constructor(
    readonly start: Position,
    readonly end: Position,
  ) {}
}

export const Uri = {
  file: (fsPath: string) => ({ fsPath }),
  parse: (text: string) => ({ fsPath: text }),
};

export const LanguageStatusSeverity = { Information: 0, Warning: 1, Error: 2 };
export const ProgressLocation = { Notification: 15 };

export const extensions = {
  getExtension: (name: string) =>
    name === PYTHON && editor.interpreter !== undefined
      ? {
          isActive: editor.pythonIsActive,
          exports: editor.pythonIsActive ? exported : undefined,
          activate: async () => exported,
        }
      : undefined,
};

export const workspace = {
  get workspaceFolders() {
    return editor.folder === undefined ? undefined : [{ uri: Uri.file(editor.folder) }];
  },
  getConfiguration: () => ({
    get: (name: string, otherwise?: unknown) => editor.settings[name] ?? otherwise,
  }),
  asRelativePath: (path: string) => path.replace(`${editor.folder}/`, ""),
  onDidChangeConfiguration: (listener: Listener) => {
    editor.settingsChanged.push(listener);
    return new Disposable(() => undefined);
  },
};

export const env = {
  clipboard: {
    readText: async () => editor.clipboard,
    writeText: async (text: string) => void (editor.clipboard = text),
  },
};

export const commands = {
  registerCommand: (name: string, does: (...given: unknown[]) => unknown) => {
    editor.commands.set(name, does);
    return new Disposable(() => undefined);
  },
  executeCommand: async (name: string) => {
    if (name === "workbench.action.terminal.copySelection") {
      editor.clipboard = editor.selection || editor.clipboard;
      return undefined;
    }
    return editor.commands.get(name)?.();
  },
};

const shown = async (message: string) => void editor.messages.push(message);

export const window = {
  createOutputChannel: () => ({
    info: (line: string) => void editor.log.push(line),
    error: (line: string) => void editor.log.push(line),
    show: () => undefined,
    dispose: () => undefined,
  }),
  showInformationMessage: shown,
  showWarningMessage: shown,
  withProgress: (_: unknown, work: () => unknown) => work(),
  showQuickPick: async (offered: (typeof editor.offered)[number][]) => {
    editor.offered = offered;
    return offered[0];
  },
  showTextDocument: async (uri: { fsPath: string }, { selection }: { selection: Range }) => {
    const { line, character } = selection.start;
    editor.opened.push({ path: uri.fsPath, row: line + 1, column: character + 1 });
  },
};

export const languages = {
  createLanguageStatusItem: () => ({
    set text(text: string) {
      editor.status = text;
    },
    dispose: () => undefined,
  }),
};
