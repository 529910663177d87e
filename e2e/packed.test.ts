import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer } from "./running-server.ts";

const run = promisify(execFile);
const cli = join(import.meta.dirname, "../packages/cli");

/** A little more than it takes today: what makes it grow further is to be looked at. */
const MOST_BYTES = { tarball: 3_560_000, files: 10_080_000 };

describe("the package as npm installs it", () => {
  let folder: string;
  let tarballBytes: number;
  let installed: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "agate-packed-"));
    await run("npm", ["pack", cli, "--pack-destination", folder], { cwd: folder });
    const [tarball = ""] = await readdir(folder);
    tarballBytes = (await stat(join(folder, tarball))).size;
    // Without a prefix npm installs into a folder above this one that has a package.json.
    const flags = ["--prefix", folder, "--prefer-offline", "--no-audit", "--no-fund", "--no-save"];
    await run("npm", ["install", ...flags, `./${tarball}`], { cwd: folder });
    installed = join(folder, "node_modules/@agate/cli");
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("brings esbuild along, which cannot be inside it, and nothing else", async () => {
    const packages = (await readdir(join(folder, "node_modules"))).filter(
      (name) => !name.startsWith("."),
    );
    expect(packages).toEqual(["@agate", "@esbuild", "esbuild"]);
    expect(await readdir(installed)).toEqual([
      "LICENSE",
      "README.md",
      "bin",
      "dist",
      "package.json",
    ]);
  });

  it("is no larger than expected", async () => {
    const entries = await readdir(installed, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    const sizes = files.map(
      async ({ parentPath, name }) => (await stat(join(parentPath, name))).size,
    );
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeLessThanOrEqual(MOST_BYTES.files);
    expect(tarballBytes).toBeLessThanOrEqual(MOST_BYTES.tarball);
  });

  it("loads no client of a database while everything is in the data directory, and logs for people", async () => {
    const dist = join(installed, "dist");
    const clients = await filesWith(dist, [
      /SASL: SCRAM-SERVER-FIRST-MESSAGE/,
      /x-clickhouse-exception-code/,
    ]);
    for (const files of clients) expect(files).not.toEqual([]);
    // In every thread: they have the same options.
    const loaded = join(folder, "loaded.txt");
    const hook = `import { appendFileSync } from "node:fs";
      import { registerHooks } from "node:module";
      registerHooks({ load(url, context, next) {
        appendFileSync(${JSON.stringify(loaded)}, url + "\\n");
        return next(url, context);
      } });`;
    const data = join(folder, "embedded");
    const flags = ["server", "--port", "0", "--data-dir", data, "--log-format", "pretty"];
    const load = `data:text/javascript,${encodeURIComponent(hook)}`;
    const server = spawn(process.execPath, ["--import", load, join(dist, "agate.js"), ...flags], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(createInterface(server.stdout), "line");
    expect(line).toMatch(/INFO.*Agate is running\./);
    const [, url] = /"url":"([^"]+)"/.exec(line) ?? [];
    const sent = await fetch(`${url}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"resourceSpans":[]}',
    });
    const listed = await fetch(`${url}/observability/spans/`);
    expect([sent.status, listed.status]).toEqual([200, 200]);
    server.kill("SIGTERM");
    expect(await once(server, "exit")).toEqual([0, null]);
    const names = (await readFile(loaded, "utf8")).split("\n").map((text) => basename(text));
    expect(names).toEqual(expect.arrayContaining(["agate.js", "ingest-worker.js"]));
    for (const files of clients) for (const file of files) expect(names).not.toContain(file);
  });

  it("names every package inside it, with its licence", async () => {
    const licences = await readFile(join(installed, "dist/THIRD-PARTY-LICENSES.txt"), "utf8");
    const packages = [...licences.matchAll(/^(\S+) \S+ \((.+)\)\n=+$/gm)].map(([, name]) => name);
    expect(packages).toEqual(expect.arrayContaining(["commander", "hono", "pino", "zod"]));
    expect(packages).toEqual(expect.arrayContaining(["swagger-ui-dist", "@pydantic/genai-prices"]));
    // Of the page: scripts, what the bundler adds, a style sheet and fonts.
    expect(packages).toEqual(expect.arrayContaining(["react-dom", "vite", "tailwindcss"]));
    expect(packages).toEqual(
      expect.arrayContaining(["@fontsource-variable/inter", "@fontsource-variable/jetbrains-mono"]),
    );
    expect(licences).not.toContain("(undefined)");
  });

  it("has a command that runs by its name", async () => {
    const { version } = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
    const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
    const agate = join(folder, "node_modules/.bin/agate");
    const { stdout, stderr } = await run(agate, ["--version"], { env: { PATH: path } });
    expect({ stdout, stderr }).toEqual({ stdout: `${version}\n`, stderr: "" });
  });

  it("serves, with its threads and the parts it loads late", async () => {
    await using server = await startServer({ program: join(installed, "dist/agate.js") });
    const sent = await fetch(`${server.url}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"resourceSpans":[]}',
    });
    const page = await (await fetch(server.url)).text();
    const files = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = ""]) => path);
    // The style sheet is in the document.
    expect(page).toContain("<style");
    for (const ending of [".js", ".svg"]) {
      expect(files.filter((file) => file.endsWith(ending))).not.toEqual([]);
    }
    const paths = [
      "/openapi.json",
      "/docs",
      "/docs/swagger-ui-bundle.js",
      "/observability/spans/",
      "/traces",
      ...files,
    ];
    const answers = await Promise.all(
      paths.map(async (path) => [path, (await fetch(server.url + path)).status]),
    );
    expect(sent.status).toBe(200);
    expect(answers).toEqual(paths.map((path) => [path, 200]));
    expect(await server.stop()).toBe(0);
  });
});

/** For each pattern the scripts of a folder that it occurs in. */
async function filesWith(folder: string, patterns: readonly RegExp[]): Promise<string[][]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".js"));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  return patterns.map((pattern) => names.filter((_, index) => pattern.test(texts[index] ?? "")));
}
