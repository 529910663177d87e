import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type CodeBlock, codeBlocks } from "../code-blocks.ts";
import { startQuickstart } from "../web/quickstart-platform.ts";

const root = join(import.meta.dirname, "../..");

/** A folder with `agate` as a command, and with curl's settings. */
let tools: string;
beforeAll(async () => {
  tools = await mkdtemp(join(tmpdir(), "agate-guide-"));
  const program = join(root, "packages/cli/dist/agate.js");
  const agate = `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`;
  await writeFile(join(tools, "agate"), agate, { mode: 0o755 });
  // Each answer on a line of its own.
  await writeFile(join(tools, ".curlrc"), 'write-out = "\\n"\n');
});
afterAll(() => rm(tools, { recursive: true, force: true }));

/** Follows a page, block by block: runs commands, and compares the last answer with what is shown. */
class Reader {
  readonly #url: string;
  #command = "";
  #answer = "";
  #traceId = "";

  /** @param url The platform that `npm start` runs. */
  constructor(url: string) {
    this.#url = url;
  }

  async follow({ info, code }: CodeBlock, next: CodeBlock | undefined): Promise<void> {
    if (info === "json") await this.#compare(JSON.parse(code));
    if (info !== "sh") return;
    this.#command = code;
    this.#answer = await this.#run();
    // What is shown below says for itself whether it is an error.
    if (next?.info !== "json") expect(this.#answer, code).not.toContain('{"detail":');
  }

  /** What a running workflow has to hear of first may take a moment. */
  async #compare(shown: unknown): Promise<void> {
    const mayWait = /\/run|\/observability/.test(this.#command);
    await vi.waitFor(
      async () => {
        if (mayWait) this.#answer = await this.#run();
        const last = this.#answer.trim().split("\n").at(-1) ?? "";
        expect(JSON.parse(last)).toMatchObject(shown as object);
      },
      { timeout: mayWait ? 60_000 : 0, interval: 50 },
    );
  }

  async #run(): Promise<string> {
    const script = this.#command
      .replaceAll("http://127.0.0.1:4100", this.#url)
      .replaceAll("http://127.0.0.1:4101", `${this.#url}/services/quickstart`)
      .replaceAll("TRACE_ID", this.#traceId);
    const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", script], {
      env: {
        PATH: [tools, process.env.PATH].join(delimiter),
        CURL_HOME: tools,
        AGATE_BASE_URL: this.#url,
      },
    });
    this.#traceId = /"trace_id":"([0-9a-f]{32})"/.exec(stdout)?.[1] ?? this.#traceId;
    return stdout;
  }
}

async function followAll(blocks: readonly CodeBlock[]): Promise<void> {
  await using platform = await startQuickstart();
  const reader = new Reader(platform.url);
  for (const [n, block] of blocks.entries()) await reader.follow(block, blocks[n + 1]);
}

it.each(["agate ", "/registry/"])("lets who reads the guide with %j follow it", async (way) => {
  const blocks = codeBlocks("docs/guide/configurations.md");
  const other = way === "agate " ? "/registry/" : "agate ";
  const skipped = blocks.filter(({ info, code }) => info === "sh" && code.includes(other));
  const followed = blocks.filter(
    (block, n) =>
      !skipped.includes(block) &&
      // What a skipped command shows.
      !(block.info === "json" && skipped.includes(blocks[n - 1] as CodeBlock)),
  );
  expect(followed.filter(({ code }) => code.includes(way)).length).toBeGreaterThan(4);
  await followAll(followed);
});

it("has a reference whose examples work in their order", () =>
  followAll(codeBlocks("docs/reference/registry-api.md")));
