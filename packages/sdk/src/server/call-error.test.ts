import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { json } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { KnownConfig, post } from "../app/call-app.fixture.ts";
import { createApp } from "../app/create-app.ts";
import { BaseModel } from "../config/base-model.ts";
import { CONFIG_ISSUE_TYPES } from "../config/value-check.ts";
import { serveOnNode } from "../node/serve.ts";
import { HttpError } from "../routes/http-error.ts";
import { CALL_ERROR_STATUS, type CallErrorType } from "./call-error.ts";

const PAGE = new URL("../../../../docs/reference/errors.md", import.meta.url);
const [, section = ""] = readFileSync(PAGE, "utf8").split("\n## Workflow endpoints\n");
const [calls = "", values = ""] = section.split("\n### Configuration values\n");

const documented = [...calls.matchAll(/^\| `(\w+)` \| `(\[.*\])` \| ([\w ]+) \| .+ \|$/gm)].map(
  ([, type, loc = "", status]) => ({ type, loc, status }),
);

describe("docs/reference/errors.md", () => {
  it("has the errors of the workflow endpoints that the code has", () => {
    const known = Object.entries(CALL_ERROR_STATUS).map(([type, status]) => ({
      type,
      // Its status is the function's to choose.
      status: type === "http_error" ? "400 to 599" : String(status),
    }));
    expect(documented.map(({ loc: _loc, ...row }) => row)).toEqual(known);
  });

  it("has the types of configuration issues that the code has", () => {
    const rows = [...values.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(
      ([, type, meaning]) => [type, meaning] as const,
    );
    expect(Object.fromEntries(rows)).toEqual(CONFIG_ISSUE_TYPES);
    expect(rows).toHaveLength(Object.keys(CONFIG_ISSUE_TYPES).length);
  });
});

class NoConfig extends BaseModel {}

/** An app that can fail in every way that there is. */
function failingApp() {
  const configSource = new KnownConfig({});
  const app = createApp({
    configSource,
    maxBodyBytes: 1_000,
    onError: () => {},
    cors: { origins: ["https://app.example"] },
  });
  app.route("/typed", { config: NoConfig, input: z.object({ text: z.string() }) })(() => null);
  app.route(
    "/throws",
    NoConfig,
  )(() => {
    throw new Error("The model is not there.");
  });
  app.route(
    "/teapot",
    NoConfig,
  )(() => {
    throw new HttpError(418, "Short and stout.");
  });
  app.route("/wrong", { config: NoConfig, output: z.object({ text: z.string() }) })(
    (() => 7) as never,
  );
  app.route("/hangs", { config: NoConfig, timeout: 10 })(() => new Promise<never>(() => {}));
  app.route(
    "/listens",
    NoConfig,
  )(async (_input, { signal }) => {
    if (!signal.aborted) await once(signal, "abort");
    signal.throwIfAborted();
  });
  return { app, configSource };
}

/** A request that is answered with each error. */
const PROVOKED: Readonly<
  Partial<Record<CallErrorType, (parts: ReturnType<typeof failingApp>) => Promise<Response>>>
> = {
  body_not_json: ({ app }) => post(app, "/run/typed", "{"),
  body_invalid: ({ app }) => post(app, "/run/typed", { environment: 7 }),
  unknown_field: ({ app }) => post(app, "/run/typed", { config: {} }),
  input_invalid: ({ app }) => post(app, "/run/typed", { inputs: { text: 7 } }),
  host_not_allowed: ({ app }) => fromForeignHost(app),
  origin_not_allowed: ({ app }) =>
    app.fetch(
      new Request("http://workflow.test/run/typed", {
        method: "OPTIONS",
        headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
      }),
    ),
  route_not_found: ({ app }) => post(app, "/run/nothing", {}),
  config_not_found: ({ app }) => post(app, "/run/typed", { environment: "staging" }),
  method_not_allowed: ({ app }) => app.fetch(new Request("http://workflow.test/run/typed")),
  body_too_large: ({ app }) => post(app, "/run/typed", { inputs: { text: "a".repeat(1_000) } }),
  content_type_unsupported: ({ app }) =>
    post(app, "/run/typed", {}, { headers: { "content-type": "text/plain" } }),
  client_closed_request: async ({ app }) => {
    const client = new AbortController();
    const answer = post(app, "/run/listens", {}, { signal: client.signal });
    client.abort();
    return answer;
  },
  function_failed: ({ app }) => post(app, "/run/throws", {}),
  output_invalid: ({ app }) => post(app, "/run/wrong", {}),
  http_error: ({ app }) => post(app, "/run/teapot", {}),
  config_unavailable: ({ app, configSource }) => {
    configSource.away = "unknown";
    return post(app, "/run/throws", {});
  },
  timeout: ({ app }) => post(app, "/run/hangs", {}),
};

async function fromForeignHost(app: ReturnType<typeof createApp>): Promise<Response> {
  const serving = await serveOnNode(app, { port: 0, signals: false });
  const sent = request(`${serving.url}/health`, { headers: { host: "evil.example" } }).end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  const body = await json(answer);
  await serving.close();
  return Response.json(body, { status: answer.statusCode ?? 0 });
}

it.each(documented)("$type is answered with $status at $loc", async ({ type, loc, status }) => {
  const provoke = PROVOKED[type as CallErrorType];
  if (provoke === undefined) throw new Error(`Say how to provoke ${type}.`);
  const answer = await provoke(failingApp());
  const { detail } = (await answer.json()) as { detail: { loc: unknown[]; type: string }[] };
  expect(detail[0]?.type).toBe(type);
  expect(String(answer.status)).toBe(type === "http_error" ? "418" : status);
  const begin = JSON.parse(loc.replace(/(?:, )?…/, "")) as unknown[];
  expect(loc.includes("…") ? detail[0]?.loc.slice(0, begin.length) : detail[0]?.loc).toEqual(begin);
});
