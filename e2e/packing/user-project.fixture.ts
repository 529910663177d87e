import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const repository = join(import.meta.dirname, "../..");

/** The folder of a user's project, outside of the repository. */
export interface UserFolder extends AsyncDisposable {
  readonly path: string;
  at(...names: string[]): string;
  /** Writes files, with the folders that they are in; what is no text becomes JSON. */
  write(files: Readonly<Record<string, string | object>>): Promise<void>;
}

export async function makeFolder(
  files: Readonly<Record<string, string | object>> = {},
): Promise<UserFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "agate-user-")));
  const write: UserFolder["write"] = async (named) => {
    for (const [name, content] of Object.entries(named)) {
      const file = join(path, name);
      await mkdir(dirname(file), { recursive: true });
      const text = typeof content === "string" ? content : JSON.stringify(content, null, 2);
      await writeFile(file, text);
    }
  };
  await write(files);
  return {
    path,
    at: (...names) => join(path, ...names),
    write,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** Puts the built SDK, and the API that it shares, where `npm install` would; without their types. */
export async function installSdk(project: string): Promise<void> {
  const filter = (path: string): boolean => !/\.(?:d\.ts|map)$|[\\/]dist[\\/]types$/.test(path);
  for (const name of ["package.json", "dist"]) {
    const from = join(repository, "packages/sdk", name);
    await cp(from, join(project, "node_modules/@agate/sdk", name), { recursive: true, filter });
  }
  const api = "node_modules/@opentelemetry/api";
  await cp(join(repository, api), join(project, api), { recursive: true, filter });
}

/** The SDK as a tarball in a folder; its path. */
export async function packSdk(folder: string): Promise<string> {
  const sdk = join(repository, "packages/sdk");
  const { stdout } = await run("npm", ["pack", sdk, "--pack-destination", folder], { cwd: folder });
  return join(folder, stdout.trim());
}

/** Runs npm, on the Node that the tests run on. */
export async function npm(folder: string, ...args: readonly string[]): Promise<void> {
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  await run("npm", [...args, "--no-audit", "--no-fund", "--prefer-offline"], {
    cwd: folder,
    env: { ...process.env, PATH: path },
  });
}

/** A workflow with one route, which says what it was called with. */
export const ECHO = `import * as ag from "@agate/sdk";

class EchoConfig extends ag.BaseModel {
  prefix = ag.Field(ag.str, { default: ">" });
}

export const echo = ag.route("/echo", EchoConfig)(
  async ({ text }: { text: string }, { config }) => config.prefix + text,
);
`;
