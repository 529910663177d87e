import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const repository = join(import.meta.dirname, "../..");

/** The last commit before environments had builds of their own. */
export const BEFORE_ENVIRONMENTS = "39031ab77ac5db8ce0af2e2f5033d730952de9ce";

/** Whether the clone's history has a commit: a shallow one may not. */
export async function hasCommit(commit: string): Promise<boolean> {
  const found = run("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: repository });
  return found.then(
    () => true,
    () => false,
  );
}

export interface EarlierRelease extends AsyncDisposable {
  /** The built `agate.js`. */
  readonly program: string;
}

/** Builds the tool of an earlier commit in a folder of its own, with the packages of this clone. */
export async function buildEarlierRelease(commit: string): Promise<EarlierRelease> {
  await using parts = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "agate-earlier-"));
  parts.defer(() => rm(folder, { recursive: true, force: true }));
  const archive = join(folder, "sources.tar");
  await run("git", ["archive", "--output", archive, commit], { cwd: repository });
  await run("tar", ["-xf", archive, "-C", folder]);
  await linkPackages(folder);
  await run(process.execPath, [join(folder, "packages/cli/build.ts")], { cwd: folder });
  const built = parts.move();
  return {
    program: join(folder, "packages/cli/dist/agate.js"),
    [Symbol.asyncDispose]: () => built.disposeAsync(),
  };
}

/** The installed packages are those of this clone, the repository's own those of the commit. */
async function linkPackages(folder: string): Promise<void> {
  const modules = join(folder, "node_modules");
  await mkdir(join(modules, "@agate"), { recursive: true });
  for (const name of await readdir(join(repository, "node_modules"))) {
    if (name === "@agate" || name.startsWith(".")) continue;
    await symlink(join(repository, "node_modules", name), join(modules, name));
  }
  for (const name of await readdir(join(folder, "packages"))) {
    const own = join(folder, "packages", name);
    const document = JSON.parse(await readFile(join(own, "package.json"), "utf8"));
    await symlink(own, join(modules, (document as { name: string }).name));
    const nested = join(repository, "packages", name, "node_modules");
    if (existsSync(nested)) await symlink(nested, join(own, "node_modules"));
  }
}
