import type { SpanRecord } from "@agate/protocol";
import { expect } from "vitest";
import { outline, readTrace } from "../clients/read-back.ts";
import { type Answer, post } from "../opentelemetry/post.ts";
import { type RegistryClient, registerWorkflow } from "../registry/registry-client.ts";
import { openCall } from "./open-call.ts";
import type { RuntimeId } from "./runtimes.ts";

/** A served workflow, and the platform that it talks to. */
export interface Probed {
  readonly url: string;
  readonly platformUrl: string;
  readonly application: string;
  /** The value of `PROBE_SECRET`. */
  readonly secret: string;
}

export interface Probe {
  /** What works, as the table in the documentation has it. */
  readonly title: string;
  /** Where it does not work, and why: the table shows it, and the suite checks that it fails there. */
  readonly fails?: Partial<Record<RuntimeId, string>>;
  readonly run: (probed: Probed) => Promise<void>;
}

const NO_FILES = "no access to files";
const NO_ENTER = "`enterWith` is missing: pass a callback";

export const PROBES: readonly Probe[] = [
  {
    title: "`GET /health` and `/openapi.json`",
    async run({ url, application }) {
      const health = await (await fetch(`${url}/health`)).json();
      expect(health).toMatchObject({ status: "ok", application, telemetry: { dropped: 0 } });
      const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: object };
      expect(Object.keys(paths)).toEqual(expect.arrayContaining(["/run/echo", "/generate"]));
    },
  },
  {
    title: "playground call, with its tree in the answer",
    async run({ url }) {
      const { status, body } = await post(`${url}/playground/run/echo`, {
        config: { prefix: "# ", times: 2 },
        inputs: { text: "a" },
      });
      expect([status, body.data]).toEqual([200, "# AA"]);
      expect(outline(body.trace!)).toBe("WORKFLOW invoke_workflow echo\n  TASK shout");
      expect(body.trace).toMatchObject({ config: { prefix: "# ", times: 2 } });
    },
  },
  {
    title: "entrypoint",
    async run({ url }) {
      for (const path of ["generate", "playground/run"]) {
        const { body } = await post(`${url}/${path}`, { inputs: { text: "b" } });
        expect(body.data).toBe(">b");
      }
    },
  },
  {
    title: "422 for a wrong configuration, `HttpError` for an error of yours",
    async run({ url }) {
      const wrong = await post(`${url}/playground/run/echo`, {
        config: { times: 9 },
        inputs: { text: "a" },
      });
      expect(wrong.status).toBe(422);
      expect(wrong.body.detail).toMatchObject([{ loc: ["body", "config", "times"] }]);
      const refused = await post(`${url}/playground/run/refuse`, { inputs: {} });
      expect(refused.status).toBe(409);
      expect(refused.body.detail?.[0]?.msg).toBe("The ticket is closed.");
    },
  },
  {
    title: "stream, as events and collected as JSON",
    async run({ url }) {
      const inputs = { text: "one two three" };
      const collected = await post(`${url}/playground/run/words`, { inputs });
      expect(collected.body.data).toBe("onetwothree");
      const text = await (await stream(`${url}/playground/run/words`, inputs)).text();
      const chunks = [...text.matchAll(/^event: chunk\ndata: (.*)$/gm)].map(([, data]) => data);
      expect(chunks).toEqual(['"one"', '"two"', '"three"']);
      expect(text).toContain("event: done");
    },
  },
  {
    title: "a stream ends when its client goes",
    async run({ url }) {
      const text = "stream";
      const leaving = new AbortController();
      const response = await stream(`${url}/playground/run/endless`, { text }, leaving.signal);
      await response.body!.getReader().read();
      leaving.abort();
      await expect.poll(() => eventsOf(url)).toContain(`left ${text}`);
    },
  },
  {
    title: "`signal` is aborted when the client goes",
    async run({ url }) {
      const text = "gone";
      const call = await openCall(`${url}/playground/run/patient`, { text });
      await expect.poll(() => eventsOf(url)).toContain(`waiting ${text}`);
      expect(await eventsOf(url)).not.toContain(`aborted ${text}`);
      await call.reset();
      await expect.poll(() => eventsOf(url)).toContain(`aborted ${text}`);
    },
  },
  {
    title: "timeout of a route",
    async run({ url }) {
      const { status, body } = await post(`${url}/playground/run/late`, { inputs: {} });
      expect([status, body.detail?.[0]?.type]).toEqual([504, "timeout"]);
    },
  },
  {
    title: "deployed call, with its configuration from the registry, changes included",
    async run(probed) {
      const { url } = probed;
      const registry = await deployed(probed, { "/echo": { prefix: "1" } });
      expect((await post(`${url}/run/echo`, { inputs: { text: "a" } })).body.data).toBe("1A");
      await registry.commit({ "/echo": { prefix: "2" } }, 1);
      await registry.deploy("production", 2);
      await expect
        .poll(async () => (await post(`${url}/run/echo`, { inputs: { text: "a" } })).body.data)
        .toBe("2A");
      const { body } = await post(`${url}/run/echo`, {
        variant: { slug: "default", revision: 1 },
        inputs: { text: "a" },
      });
      expect(body.data).toBe("1A");
      // For the probes after this one.
      await registry.commit({}, 2);
      await registry.deploy("production", 3);
      await expect
        .poll(async () => (await post(`${url}/run/echo`, { inputs: { text: "a" } })).body.data)
        .toBe(">A");
    },
  },
  {
    title: "spans of concurrent calls in the right place, exported",
    async run({ url, platformUrl }) {
      const texts = Array.from({ length: 40 }, (_, index) => `n${index}`);
      const answers = await Promise.all(
        texts.map((text) => post(`${url}/playground/run/nested`, { inputs: { text } })),
      );
      for (const [index, { body }] of answers.entries()) {
        const text = texts[index]!;
        expect(body.data).toBe(`>${text}${text.length + 1}`);
        const tree = outline(body.trace!);
        expect(tree).toBe(nestedOutline(text));
        await expect.poll(() => storedOutline(platformUrl, body.trace_id)).toBe(tree);
      }
    },
  },
  {
    title: "`ag.flush()`",
    async run({ url, platformUrl }) {
      const { body } = await post(`${url}/playground/run/flush`, { inputs: {} });
      expect(body.data).toMatchObject({ dropped: 0, queued: 0, lastError: null, faults: 0 });
      await expect
        .poll(() => storedOutline(platformUrl, body.trace_id))
        .toBe("WORKFLOW invoke_workflow flush\n  TASK shout");
    },
  },
  {
    title: "redaction by name",
    async run({ url, platformUrl }) {
      const password = "p4ssw0rd";
      const { body } = await post(`${url}/playground/run/login`, { inputs: { password } });
      expect(body.data).toEqual({ length: password.length, password });
      for (const trace of await bothTraces(platformUrl, body)) {
        expect(JSON.stringify(trace)).not.toContain(password);
      }
    },
  },
  {
    title: "`ag.secret`",
    fails: { "deno-net": "no access to the environment" },
    async run({ url, platformUrl, secret }) {
      const { body } = await post(`${url}/playground/run/secret`, { inputs: {} });
      expect(body.data).toBe(`TOKEN ${secret.toUpperCase()}`);
      for (const trace of await bothTraces(platformUrl, body)) {
        expect(JSON.stringify(trace)).not.toContain(secret);
        expect(JSON.stringify(trace)).toContain("[secret:PROBE_SECRET]");
      }
    },
  },
  {
    title: "the `using` form of `ag.span`",
    fails: { workerd: NO_ENTER },
    async run({ url }) {
      const { body } = await post(`${url}/playground/run/using`, { inputs: {} });
      expect(outline(body.trace!)).toBe(
        "WORKFLOW invoke_workflow using\n  TASK block\n    TASK shout",
      );
    },
  },
  {
    title: "configuration file",
    fails: { "deno-net": NO_FILES, workerd: NO_FILES },
    async run({ url }) {
      const { body } = await post(`${url}/playground/run/file`, { inputs: {} });
      expect(body.data).toEqual({ prefix: "from a file" });
    },
  },
  {
    title: "`ag.serve()`",
    fails: { workerd: "the runtime calls the handler" },
    async run({ url }) {
      const { body } = await post(`${url}/playground/run/serve`, { inputs: {} });
      expect(body.data).toMatchObject({ status: "ok", routes: ["/ping"] });
    },
  },
  {
    // The last one: after it nothing is sent any more.
    title: "`ag.shutdown()`",
    async run({ url, platformUrl }) {
      const { body } = await post(`${url}/playground/run/shutdown`, { inputs: {} });
      expect(body.data).toMatchObject({ dropped: 0, queued: 0, lastError: null });
      await expect.poll(() => storedOutline(platformUrl, body.trace_id)).toBe("TASK shout");
    },
  },
];

function stream(url: string, inputs: object, signal?: AbortSignal): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ inputs }),
    ...(signal !== undefined && { signal }),
  });
}

async function eventsOf(url: string): Promise<unknown> {
  return (await post(`${url}/playground/run/events`, { inputs: {} })).body.data;
}

async function deployed(
  { url, platformUrl, application }: Probed,
  params: object,
): Promise<RegistryClient> {
  const registry = await registerWorkflow(platformUrl, application, url);
  await registry.commit(params, 0);
  await registry.deploy("production", 1);
  return registry;
}

function nestedOutline(text: string): string {
  return [
    "WORKFLOW invoke_workflow nested",
    `  TASK outer ${text}`,
    `    TOOL inner ${text}`,
    "      WORKFLOW invoke_workflow echo",
    "        TASK shout",
  ].join("\n");
}

async function storedOutline(platformUrl: string, traceId: string): Promise<string> {
  return readTrace(platformUrl, traceId).then(outline, String);
}

/** The tree that an answer carries, and the one that the platform has. */
async function bothTraces(platformUrl: string, answer: Answer): Promise<SpanRecord[]> {
  await expect.poll(() => storedOutline(platformUrl, answer.trace_id)).toContain("WORKFLOW");
  return [answer.trace!, await readTrace(platformUrl, answer.trace_id)];
}
