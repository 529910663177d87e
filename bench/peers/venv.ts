import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runToEnd } from "./own-processes.ts";

/** What is compared: newer versions are another comparison. */
export const PINNED = { mlflow: "3.17.2", "arize-phoenix": "20.26.1" } as const;

const PRINT_INSTALLED = `
from importlib.metadata import PackageNotFoundError, version
for name in ${JSON.stringify(Object.keys(PINNED))}:
    try:
        print(name + "==" + version(name))
    except PackageNotFoundError:
        pass
`;

/** A virtual environment with the pinned versions; one that has them is used as it is. */
export async function prepareVenv(
  ending: AsyncDisposableStack,
  folder: string,
  logFile: string,
): Promise<void> {
  const python = join(folder, "bin/python");
  const wanted = Object.entries(PINNED).map(([name, version]) => `${name}==${version}`);
  if (existsSync(python) && installed(python).join() === wanted.join()) return;
  process.stdout.write(`Installing ${wanted.join(" and ")} (1.3 GB, some minutes)…\n`);
  const { env } = process;
  await runToEnd(ending, { program: "python3", args: ["-m", "venv", folder], env }, logFile);
  const args = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...wanted];
  await runToEnd(ending, { program: python, args, env }, logFile);
}

function installed(python: string): readonly string[] {
  return execFileSync(python, ["-c", PRINT_INSTALLED], { encoding: "utf8" }).trim().split("\n");
}
