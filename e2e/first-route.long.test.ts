import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type CodeBlock, codeBlocks } from "./code-blocks.ts";
import { type RunningServer, startServer } from "./running-server.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..");
/** With this Node as `node`. */
const env = {
  ...process.env,
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  PORT: "0",
};

describe("the guide to the first route", () => {
  let reader: Reader;
  beforeAll(async () => {
    reader = new Reader(await mkdtemp(join(tmpdir(), "agate-first-route-")));
  });
  afterAll(() => reader[Symbol.asyncDispose]());

  it("works as it is written, block by block", { timeout: 120_000 }, async () => {
    for (const block of codeBlocks("docs/guide/first-route.md")) await reader.follow(block);
  });

  it("has programs without errors of type", () => reader.typecheck());
});

/** Does what a guide says, in an empty folder. */
class Reader implements AsyncDisposable {
  readonly #folder: string;
  #workflow: { readonly child: ChildProcess; readonly url: string } | undefined;
  #platform: RunningServer | undefined;
  #command = "";
  #answered = "";
  #traceId = "";

  constructor(folder: string) {
    this.#folder = folder;
  }

  async follow({ info, code }: CodeBlock): Promise<void> {
    const file = /^(?:ts|json) file=(\S+)$/.exec(info)?.[1];
    if (file !== undefined) return writeFile(join(this.#folder, file), this.#here(code));
    switch (info) {
      case "sh run=install":
        return this.#install(code);
      case "sh run=platform":
        expect(code).toBe("npx @agate/cli server\n");
        this.#platform = await startServer();
        return;
      case "sh run=workflow":
        return this.#restart(code);
      case "sh":
        this.#command = code;
        this.#answered = await this.#answer();
        return;
      case "json":
        return this.#see((answer) => expect(JSON.parse(answer)).toMatchObject(JSON.parse(code)));
      case "text":
        return this.#see((answer) => expect(answer).toBe(code));
      default:
        throw new Error(`This test cannot follow a block of ${JSON.stringify(info)}.`);
    }
  }

  async typecheck(): Promise<void> {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const flags =
      "--noEmit --strict --target es2024 --module nodenext --allowImportingTsExtensions";
    const args = [tsc, ...flags.split(" "), "app.ts", "client.ts"];
    // Its messages are on standard output.
    const said = await run(process.execPath, args, { cwd: this.#folder }).catch((error) => error);
    expect(said.stdout).toBe("");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
    await this.#platform?.[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Without a registry: from what is here, packed. */
  async #install(code: string): Promise<void> {
    const packages = [
      "packages/sdk",
      "node_modules/@opentelemetry/api",
      "node_modules/@standard-schema/spec",
    ].map((path) => join(root, path));
    const packing = ["pack", "--silent", "--ignore-scripts", ...packages];
    const { stdout } = await run("npm", packing, { cwd: this.#folder });
    const tarballs = stdout
      .trim()
      .split("\n")
      .map((name) => `./${name}`);
    expect(tarballs).toHaveLength(packages.length);
    const install = `npm install --offline ${tarballs.join(" ")}`;
    await this.#shell(code.replace(/^npm install @agate\/sdk$/m, install));
  }

  async #restart(code: string): Promise<void> {
    await this.#stop();
    const child = spawn("bash", ["-euc", `exec env ${this.#here(code)}`], {
      cwd: this.#folder,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(createInterface(child.stdout), "line");
    const url = /^Running at (\S+)$/.exec(line)?.[1];
    if (url === undefined) throw new Error(`The workflow said: ${line}`);
    this.#workflow = { child, url };
  }

  async #stop(): Promise<void> {
    if (this.#workflow === undefined) return;
    const { child } = this.#workflow;
    child.kill("SIGINT");
    await once(child, "exit");
    this.#workflow = undefined;
  }

  /** Looks again where the guide says that it takes a moment. */
  async #see(check: (answer: string) => void): Promise<void> {
    try {
      check(this.#answered);
    } catch {
      await vi.waitFor(async () => check(await this.#answer()), { timeout: 60_000, interval: 100 });
    }
  }

  async #answer(): Promise<string> {
    const answer = await this.#shell(this.#command);
    this.#traceId = /"trace_id":"([0-9a-f]{32})"/.exec(answer)?.[1] ?? this.#traceId;
    return answer;
  }

  async #shell(code: string): Promise<string> {
    const script = this.#here(code);
    const { stdout } = await run("bash", ["-euc", script], { cwd: this.#folder, env });
    return stdout;
  }

  /** The code with the addresses and the trace that are really meant. */
  #here(code: string): string {
    return code
      .replaceAll("http://127.0.0.1:4100", this.#platform?.url ?? "http://no.platform.yet")
      .replaceAll("http://127.0.0.1:4101", this.#workflow?.url ?? "http://no.workflow.yet")
      .replaceAll("TRACE_ID", this.#traceId);
  }
}
