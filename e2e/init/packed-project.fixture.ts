import { execFile } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const packages = join(import.meta.dirname, "../../packages");

/** What a new project has. */
export const FILES = [
  ".env.example",
  ".gitignore",
  "README.md",
  "app.eval.ts",
  "app.test.ts",
  "app.ts",
  "package.json",
  "tsconfig.json",
];

/** With this Node as `node`, and packages from npm's cache where it has them. */
export const env = {
  ...process.env,
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  npm_config_prefer_offline: "true",
};

/** Packs the packages into the folder, makes a project of them there, and installs it. */
export async function makePackedProject(
  folder: string,
): Promise<{ readonly project: string; readonly said: string }> {
  const pack = ["pack", "--silent", join(packages, "sdk"), join(packages, "cli")];
  const { stdout } = await run("npm", pack, { cwd: folder });
  const [sdk = "", cli = ""] = stdout.trim().split("\n");
  const agate = join(packages, "cli/dist/agate.js");
  const flags = ["support desk", "--sdk", sdk, "--cli", `file:./${cli}`];
  const made = await run(process.execPath, [agate, "init", ...flags], { cwd: folder, env });
  return { project: join(folder, "support desk"), said: made.stdout + made.stderr };
}
