import { AsyncLocalStorage } from "node:async_hooks";
import { createContext, Script } from "node:vm";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";

/** What every runtime of `fetch(Request)` has, by the WinterTC's minimum; nothing of Node's. */
const WEB_GLOBALS = [
  "AbortController",
  "AbortSignal",
  "Blob",
  "DOMException",
  "Event",
  "EventTarget",
  "FormData",
  "Headers",
  "ReadableStream",
  "Request",
  "Response",
  "TextDecoder",
  "TextDecoderStream",
  "TextEncoder",
  "TransformStream",
  "URL",
  "URLSearchParams",
  "WritableStream",
  "atob",
  "btoa",
  "clearTimeout",
  "clearInterval",
  "console",
  "crypto",
  "fetch",
  "performance",
  "queueMicrotask",
  "setTimeout",
  "setInterval",
  "structuredClone",
] as const satisfies readonly (keyof typeof globalThis)[];

const WORKER = `
  import * as ag from "@agate/sdk";
  import { supportedLlmModels } from "@agate/sdk/assets";
  class EchoConfig extends ag.BaseModel {
    prefix = ag.Field(ag.str, { default: ">" });
    model = ag.Field(ag.GroupedMultipleChoice({ choices: supportedLlmModels }), { default: "gpt-5-mini" });
  }
  const shout = ag.instrument({ name: "shout" })((text) => text.toUpperCase());
  ag.route("/echo", EchoConfig)((input, { config }) => config.prefix + shout(input.text));
  ag.route("/words", EchoConfig)(async function* (input) { yield* input.text.split(" "); });
  export const app = ag.app();
  export const listen = ag.serve;
`;

interface Worker {
  readonly app: { fetch(request: Request, env?: unknown, context?: object): Promise<Response> };
  listen(): Promise<unknown>;
}

let script: Script;

/** As a tool for workers bundles it: with everything in one file. */
beforeAll(async () => {
  const { outputFiles, warnings } = await build({
    stdin: { contents: WORKER, resolveDir: import.meta.dirname },
    bundle: true,
    platform: "browser",
    conditions: ["workerd", "worker"],
    format: "iife",
    globalName: "worker",
    target: "es2022",
    // The published package has no tsconfig.json beside it that could change what its imports mean.
    tsconfigRaw: {},
    write: false,
  });
  expect(warnings).toEqual([]);
  script = new Script(`${outputFiles[0]!.text}\nworker;`);
});

/** The worker in a realm of its own, which has these globals and no others. */
function start(more: object = {}): Worker {
  const globals = Object.fromEntries(WEB_GLOBALS.map((name) => [name, globalThis[name]]));
  return script.runInContext(createContext({ ...globals, ...more }));
}

function call(path: string, body: unknown, headers: Record<string, string> = {}): Request {
  return new Request(`https://worker.example${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

describe.each([
  ["a runtime with AsyncLocalStorage", { AsyncLocalStorage }],
  ["a runtime that has web globals only", {}],
])("on %s", (_, more) => {
  it("answers a playground call, tree included", async () => {
    const { app } = start(more);
    const response = await app.fetch(
      call("/playground/run/echo", { config: { prefix: "# " }, inputs: { text: "hi" } }),
    );
    const answer = (await response.json()) as Answer;
    expect(response.status).toBe(200);
    expect(answer.data).toBe("# HI");
    expect(answer.trace).toMatchObject({
      name: "invoke_workflow echo",
      id: answer.span_id,
      trace_id: answer.trace_id,
      children: [{ name: "shout", content: { inputs: "hi", outputs: "HI" } }],
    });
  });

  it("streams", async () => {
    const { app } = start(more);
    const response = await app.fetch(
      call(
        "/playground/run/words",
        { inputs: { text: "one two" } },
        { accept: "text/event-stream" },
      ),
    );
    const events = (await response.text()).matchAll(/^event: (\w+)\ndata: (.*)$/gm);
    const chunks = [...events].filter(([, event]) => event === "chunk").map(([, , data]) => data);
    expect(chunks.map((data) => JSON.parse(data!))).toEqual(["one", "two"]);
  });

  it("checks a configuration", async () => {
    const { app } = start(more);
    const response = await app.fetch(
      call("/playground/run/echo", { config: { prefix: 1 }, inputs: {} }),
    );
    expect(response.status).toBe(422);
  });
});

it("does not listen, and says what to write instead", async () => {
  await expect(start().listen()).rejects.toThrow("export default ag.app();");
});

interface Answer {
  readonly data: unknown;
  readonly trace_id: string;
  readonly span_id: string;
  readonly trace: unknown;
}
