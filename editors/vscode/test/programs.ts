/** Programs for tests to find and to run. */

import { chmodSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function folder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "autograd-lint-")));
}

/** The path of a program that Node runs. */
export function program(where: string, name: string, code: string): string {
  const path = join(where, name);
  writeFileSync(path, `#!${process.execPath}\n${code}\n`);
  chmodSync(path, 0o755);
  return path;
}

export const VERSION = "console.log('autograd-lint 1.2.3');";
