import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import type { SpanRecord } from "@agate/protocol";
import { createClient } from "@agate/sdk/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeBlocks } from "../code-blocks.ts";
import { type RunningServer, startServer } from "../running-server.ts";

const NEXT = join(import.meta.dirname, "../../node_modules/next/dist/bin/next");

/** An app whose stream waits until its client goes away, and tells how it ended. */
const GATED = `import * as ag from "@agate/sdk";

const base = ag.createApp({ application: "gated", basePath: "/api/gated" });
class NoConfig extends ag.BaseModel {}
let ended = "running";

export const wait = base.route("/wait", NoConfig)(async function* (_input: unknown, { signal }) {
  try {
    yield "first";
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    yield "second";
  } finally {
    ended = signal.aborted ? "aborted" : "complete";
  }
});
export const howItEnded = base.route("/ended", NoConfig)(() => ended);
export const app = base.typed(wait, howItEnded);
`;

let platform: RunningServer;
let folder: string;

beforeAll(async () => {
  platform = await startServer();
  // Inside this package, so that the application finds what it imports.
  folder = await mkdtemp(join(import.meta.dirname, "../.guide-nextjs-"));
  const files = new Map(
    codeBlocks("docs/guide/nextjs.md").flatMap(({ info, code }) => {
      const file = /^tsx? file=(\S+)$/.exec(info)?.[1];
      return file === undefined ? [] : [[file, code] as const];
    }),
  );
  const handler = files.get("app/api/agate/[...path]/route.ts") ?? "";
  files.set("lib/gated.ts", GATED);
  files.set("app/api/gated/[...path]/route.ts", handler.replace("lib/agate", "lib/gated"));
  files.set("package.json", '{ "private": true, "type": "module" }');
  files.set(
    "app/layout.tsx",
    `import type { ReactNode } from "react";
    export default function Layout({ children }: { children: ReactNode }) {
      return <html lang="en"><body>{children}</body></html>;
    }`,
  );
  for (const [file, code] of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), code);
  }
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

function environment(): NodeJS.ProcessEnv {
  const { NODE_ENV: _mode, NODE_OPTIONS: _options, VITEST: _vitest, ...env } = process.env;
  return {
    ...env,
    NEXT_TELEMETRY_DISABLED: "1",
    AGATE_BASE_URL: platform.url,
  } as NodeJS.ProcessEnv;
}

/** `next start` or `next dev`, on a port of its own. */
async function startNext(
  mode: "start" | "dev",
): Promise<AsyncDisposable & { readonly url: string }> {
  const child: ChildProcess = spawn(
    process.execPath,
    [NEXT, mode, "--port", "0", "--hostname", "127.0.0.1"],
    { cwd: folder, env: environment(), stdio: ["ignore", "pipe", "inherit"] },
  );
  const exited = once(child, "exit");
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout!).on("line", (line) => {
      const [, found] = /Local:\s+(\S+)/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
    exited.then(([code]) => reject(new Error(`next ${mode} ended with ${code}.`)), reject);
  });
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await exited;
    },
  };
}

function post(url: string, body: unknown, init: RequestInit = {}): Promise<Response> {
  return fetch(url, {
    ...init,
    method: "POST",
    headers: { "content-type": "application/json", ...(init.headers as Record<string, string>) },
    body: JSON.stringify(body),
  });
}

async function dataOf(answer: Promise<Response>): Promise<unknown> {
  return ((await (await answer).json()) as { data: unknown }).data;
}

describe("a Next.js application as the guide makes it", () => {
  it("serves the app, built", { timeout: 300_000 }, async () => {
    await promisify(execFile)(process.execPath, [NEXT, "build"], {
      cwd: folder,
      env: environment(),
    });
    await using next = await startNext("start");
    const base = `${next.url}/api/agate`;

    const client = createClient(base);
    const text = "one two three four";
    expect(await client.summarize!({ text }, { config: { words: 2 } })).toBe("one two");
    const chunks: unknown[] = [];
    for await (const chunk of client.spell!({ text: "abc" }, { config: {} })) chunks.push(chunk);
    expect(chunks).toEqual(["a", "b", "c"]);

    const health = await fetch(`${base}/health`);
    expect(await health.json()).toMatchObject({ application: "support" });
    expect(await (await fetch(`${base}/openapi.json`)).json()).toMatchObject({
      servers: [{ url: "/api/agate" }],
    });
    const missing = await post(`${base}/run/nothing`, {});
    expect([missing.status, await missing.json()]).toMatchObject([
      404,
      { detail: [{ type: "route_not_found" }] },
    ]);
    expect((await fetch(`${base}/run/summarize`)).headers.get("allow")).toBe("POST");
    // Server code calls the function itself.
    expect(await (await fetch(next.url)).text()).toContain("<p>Agate is a</p>");

    await streamsAndCancels(next.url);
    await expect
      .poll(() => namesOfTraces("support"))
      .toEqual(expect.arrayContaining(["invoke_workflow spell", "invoke_workflow summarize"]));
    await expect.poll(() => namesOfTraces("gated")).toContain("invoke_workflow wait");
  });

  it("serves what was saved, while developing", { timeout: 300_000 }, async () => {
    await using next = await startNext("dev");
    const call = () =>
      dataOf(
        post(`${next.url}/api/agate/playground/run/summarize`, { inputs: { text: "a b c d" } }),
      );
    expect(await call()).toBe("a b c");
    const file = join(folder, "lib/agate.ts");
    const source = await readFile(file, "utf8");
    for (const words of [2, 1]) {
      await writeFile(file, source.replace("default: 3", `default: ${words}`));
      await expect.poll(call).toBe("a b c d".slice(0, words * 2 - 1));
    }
  });
});

/** The first chunk comes while the function waits; it is told when its client goes away. */
async function streamsAndCancels(url: string): Promise<void> {
  const client = new AbortController();
  const answer = await post(
    `${url}/api/gated/playground/run/wait`,
    {},
    { headers: { accept: "text/event-stream" }, signal: client.signal },
  );
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("\n\n")) text += (await reader.read()).value;
  expect(text).toBe('event: chunk\ndata: "first"\n\n');
  const ended = () => dataOf(post(`${url}/api/gated/playground/run/ended`, {}));
  expect(await ended()).toBe("running");
  client.abort();
  await expect.poll(ended).toBe("aborted");
}

async function namesOfTraces(application: string): Promise<string[]> {
  const list = await fetch(`${platform.url}/observability/traces/?application=${application}`);
  const { items } = (await list.json()) as { items: SpanRecord[] };
  return items.map(({ name }) => name);
}
