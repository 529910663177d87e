import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

export type InstallOutcome =
  | { readonly kind: "installed" }
  /** What npm said, as it said it. */
  | { readonly kind: "failed"; readonly said: string }
  | { readonly kind: "no-npm" };

/** Runs `npm install` in a project. */
export async function installPackages(directory: string): Promise<InstallOutcome> {
  const npm = spawn("npm", ["install", "--no-audit", "--no-fund", "--loglevel", "error"], {
    cwd: directory,
    stdio: ["ignore", "pipe", "pipe"],
    // On Windows npm is a script, which only a shell can start.
    shell: process.platform === "win32",
  });
  const code = new Promise<number | null | "no-npm">((resolve, reject) => {
    npm.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "ENOENT" ? resolve("no-npm") : reject(error),
    );
    npm.once("close", resolve);
  });
  const [ended, stdout, stderr] = await Promise.all([code, text(npm.stdout), text(npm.stderr)]);
  if (ended === "no-npm") return { kind: "no-npm" };
  return ended === 0 ? { kind: "installed" } : { kind: "failed", said: stdout + stderr };
}
