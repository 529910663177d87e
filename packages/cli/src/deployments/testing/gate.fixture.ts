import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Something that builds wait for. */
export interface Gate extends AsyncDisposable {
  /** For a program: it goes on when the gate is open. */
  readonly wait: string;
  open(): Promise<void>;
  /** Whoever comes from now on waits again. */
  shut(): Promise<void>;
}

export async function makeGate(): Promise<Gate> {
  const folder = await mkdtemp(join(tmpdir(), "agate-gate-"));
  const file = join(folder, "open");
  return {
    wait: `
      const { existsSync } = await import("node:fs");
      while (!existsSync(${JSON.stringify(file)})) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }`,
    open: () => writeFile(file, ""),
    shut: () => rm(file),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
