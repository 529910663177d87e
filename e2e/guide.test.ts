import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { SpanRecord } from "@agate/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FakeOpenAi } from "./clients/fake-openai.ts";
import { CHAT_USAGE, startFakeOpenAi } from "./clients/fake-openai.ts";
import { codeBlocks } from "./code-blocks.ts";
import type { RunningServer } from "./running-server.ts";
import { startServer } from "./running-server.ts";

describe("the programs in the guide to sending traces", () => {
  let server: RunningServer;
  let openai: FakeOpenAi;
  let folder: string;

  beforeAll(async () => {
    server = await startServer();
    openai = await startFakeOpenAi();
    // Inside this package, so that the programs find what they import.
    folder = await mkdtemp(join(import.meta.dirname, ".guide-"));
    for (const { info, code } of codeBlocks("docs/guide/sending-traces.md")) {
      const file = /^ts file=(\S+)$/.exec(info)?.[1];
      if (file === undefined) continue;
      const text = code.replaceAll("http://127.0.0.1:4100", server.url);
      await writeFile(join(folder, file), text);
    }
  });
  afterAll(async () => {
    await openai[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs a program as the guide says, and reads the trace that it sent. */
  async function traceOf(program: string, ...nodeOptions: string[]): Promise<SpanRecord> {
    await promisify(execFile)(
      process.execPath,
      [...nodeOptions, "--import", "./tracing.ts", program],
      { cwd: folder, env: { OPENAI_BASE_URL: openai.baseUrl, OPENAI_API_KEY: "none" } },
    );
    const list = await fetch(`${server.url}/observability/traces/?limit=1`);
    const { items } = (await list.json()) as { items: SpanRecord[] };
    const trace = await fetch(`${server.url}/observability/traces/${items[0]?.trace_id}/`);
    return (await trace.json()) as SpanRecord;
  }

  it("send a span of one's own", async () => {
    expect(await traceOf("app.ts")).toMatchObject({
      name: "answer-question",
      spankind: "WORKFLOW",
      content: { inputs: { question: "What is agate?" }, outputs: "A banded stone." },
    });
  });

  it("trace the AI SDK, its tokens counted once", async () => {
    const trace = await traceOf("ai-sdk.ts", "--import", "../mock-default-model.ts");
    expect(trace).toMatchObject({
      spankind: "AGENT",
      metadata: { total: { usage: { input_tokens: 12, output_tokens: 3 } } },
    });
    expect(trace.children).not.toBeNull();
  });

  it.each(["openinference.ts", "openllmetry.ts"])("trace OpenAI: %s", async (program) => {
    expect(await traceOf(program)).toMatchObject({
      spankind: "LLM",
      metadata: {
        model: "gpt-5-mini",
        usage: {
          input_tokens: CHAT_USAGE.prompt_tokens,
          output_tokens: CHAT_USAGE.completion_tokens,
        },
      },
    });
  });
});
