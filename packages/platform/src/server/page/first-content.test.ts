import { FIRST_TRACES, type FirstAnswers } from "@agate/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../../stores/contract/stored-span.fixture.ts";
import { sendRequest } from "../testing/send-request.fixture.ts";
import type { TestPlatform } from "../testing/test-platform.fixture.ts";
import { startTestPlatform, TEST_PROJECT } from "../testing/test-platform.fixture.ts";
import { firstContent, MOST_BYTES } from "./first-content.ts";
import type { BuiltPage } from "./testing/built-page.fixture.ts";
import { writePage } from "./testing/built-page.fixture.ts";

/** The document waits for the list, however slow the machine is. */
const PATIENCE_MS = 60_000;

let page: BuiltPage;
beforeAll(async () => {
  page = await writePage();
});
afterAll(() => page[Symbol.asyncDispose]());

/** What a document has in it for the page; null where it has nothing. */
async function answersAt(
  platform: TestPlatform,
  path: string,
  headers: Record<string, string> = {},
): Promise<FirstAnswers | null> {
  const { status, body } = await sendRequest(platform.server.port, { path, headers });
  expect(status).toBe(200);
  const text = /<script id="first-answers" type="application\/json">(.*?)<\/script>/s.exec(
    body.toString(),
  )?.[1];
  return text === undefined ? null : JSON.parse(text);
}

function top(n: number, sketch: Parameters<typeof storedSpan>[0] = {}) {
  const start = n * 1000;
  return storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n), start, name: `t${n}`, ...sketch });
}

describe("where no key is needed, a document", () => {
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await startTestPlatform({ pageFolder: page.folder, pageWaitMs: PATIENCE_MS });
    const name = "</script><script>alert(1)</script><!-- $& $1 __CSP_NONCE__";
    await platform.append([top(1, { name }), top(2)]);
  });
  afterAll(() => platform.close());

  it("has the session on every page, and the newest traces on that of the list", async () => {
    const session = (await platform.get("/session")).json;
    const traces = (await platform.get(`/observability/traces/?limit=${FIRST_TRACES}`)).json;
    expect(traces.items).toHaveLength(2);
    for (const path of ["/traces", "/traces/", "/traces?live=on", "/traces?project=default"]) {
      expect(await answersAt(platform, path), path).toEqual({ session, traces });
    }
    for (const path of ["/", "/apps", "/traces/x", "/settings/keys"]) {
      expect(await answersAt(platform, path), path).toEqual({ session, traces: null });
    }
  });

  it("has the newest traces as HTML, and asks for its scripts after them", async () => {
    const documentAt = async (path: string) =>
      (await sendRequest(platform.server.port, { path })).body.toString();
    const links = ["entry.js", "init.js"]
      .map((name) => `<link rel="modulepreload" crossorigin href="/assets/${name}">`)
      .join("");
    const rows = `rows ${spanIdOf(2)} ${spanIdOf(1)}?live=on&amp;project=default true`;
    const list = await documentAt("/traces?live=on&project=default");
    expect(list).toContain(
      `<div id="page"><p>${rows} $& <!-- first answers --></p><template id="late-parts">${links}</template></div>`,
    );
    expect(list.split(links)).toHaveLength(2);
    for (const path of ["/traces?q=a", "/traces?project=nothing"]) {
      const other = await documentAt(path);
      expect(other).toContain('<div id="page"></div>');
      expect(other).toContain(`>${links}<`);
    }
  });

  it.each(["status=ERROR", "range=1h", "from=2026-01-01T00:00:00Z", "view=spans", "q=a"])(
    "leaves the list of ?%s to the page",
    async (query) => {
      expect((await answersAt(platform, `/traces?${query}`))?.traces).toBeNull();
    },
  );

  it("has the traces of the project that is opened, and nothing of one that does not exist", async () => {
    const created = await platform.registry.projects.create("other");
    if (created.kind === "refused") throw new Error("The project was refused.");
    await platform.access.reload();
    const spans = [top(3, { name: "of the other" })];
    const batch = { project: created.value.id, receivedAt: 1_000_000, spans };
    expect(await platform.store.append(batch)).toEqual({ kind: "committed" });
    const other = await answersAt(platform, "/traces?project=other");
    expect(other?.session.project?.slug).toBe("other");
    expect(other?.traces?.items.map(({ name }) => name)).toEqual(["of the other"]);
    expect(await answersAt(platform, "/traces?project=nothing")).toBeNull();
  });

  it.each([FIRST_TRACES, FIRST_TRACES + 1])("has the newest of %i traces", async (count) => {
    const started = await startTestPlatform({ pageFolder: page.folder, pageWaitMs: PATIENCE_MS });
    await started.append(Array.from({ length: count }, (_, n) => top(n + 1)));
    const traces = (await answersAt(started, "/traces"))?.traces;
    const listed = (await started.get(`/observability/traces/?limit=${FIRST_TRACES}`)).json;
    await started.close();
    expect(traces).toEqual(listed);
    expect(traces?.items).toHaveLength(FIRST_TRACES);
    expect(traces?.next_cursor).toEqual(count === FIRST_TRACES ? null : expect.any(String));
  });

  it("has fewer traces where their records are long, and the list goes on after them", async () => {
    const name = "x".repeat(MOST_BYTES / 8);
    const started = await startTestPlatform({ pageFolder: page.folder, pageWaitMs: PATIENCE_MS });
    const spans = Array.from({ length: 12 }, (_, n) => top(n + 1, { name }));
    await started.append(spans);
    const traces = (await answersAt(started, "/traces"))?.traces;
    const all = (await started.get(`/observability/traces/?limit=${FIRST_TRACES}`)).json.items;
    await started.close();
    expect(all).toHaveLength(12);
    expect(JSON.stringify(all).length).toBeGreaterThan(MOST_BYTES);
    expect(traces?.items.length).toBeGreaterThan(0);
    expect(traces?.items.length).toBeLessThan(12);
    expect(traces?.items).toEqual(all.slice(0, traces?.items.length));
    expect(traces?.next_cursor).toEqual(expect.any(String));
  });
});

describe("where a key is needed, a document", () => {
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await startTestPlatform({
      policy: "keys",
      pageFolder: page.folder,
      pageWaitMs: PATIENCE_MS,
    });
    await platform.append([top(1)]);
  });
  afterAll(() => platform.close());

  async function cookieOf(...scopes: ("read" | "ingest")[]): Promise<string> {
    const { key } = await platform.access.keys.create(TEST_PROJECT, { name: "grace", scopes });
    const { headers } = await platform.send({
      method: "POST",
      path: "/session",
      headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
      body: JSON.stringify({ key }),
    });
    return headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
  }

  it("has nothing for a reader who is not signed in, or was led here by another site", async () => {
    const cookie = await cookieOf("read");
    const readers: Record<string, string>[] = [
      {},
      { cookie: "agate_session=wrong" },
      { cookie, "sec-fetch-site": "same-site" },
      { cookie, "sec-fetch-site": "cross-site" },
    ];
    for (const headers of readers) {
      expect(await answersAt(platform, "/traces", headers)).toBeNull();
    }
  });

  it("has what the key of the session may read", async () => {
    const own = { cookie: await cookieOf("read"), "sec-fetch-site": "none" };
    const answers = await answersAt(platform, "/traces", own);
    expect(answers?.session.caller?.name).toBe("grace");
    expect(answers?.traces?.items.map(({ name }) => name)).toEqual(["t1"]);
    const ingest = { cookie: await cookieOf("ingest"), "sec-fetch-site": "none" };
    expect(await answersAt(platform, "/traces", ingest)).toMatchObject({
      session: { caller: { scopes: ["ingest"] } },
      traces: null,
    });
    expect(await answersAt(platform, "/traces?project=other", own)).toBeNull();
  });
});

it("is not waited for longer than the signal allows, and an error leaves the document without it", async () => {
  await using parts = new AsyncDisposableStack();
  const platform = parts.adopt(await startTestPlatform(), (started) => started.close());
  const incoming = { method: "GET", url: "/traces?live=on", headers: { host: "127.0.0.1" } };
  const enough = new AbortController();
  const from = (
    listTraces: TestPlatform["store"]["listTraces"],
    write: () => string = () => "rows",
  ) =>
    firstContent(
      {
        control: platform.access.control,
        projects: platform.registry.projects,
        store: { listTraces },
      },
      async () => write,
      incoming,
      enough.signal,
    );
  const none = async () => ({ items: [], next: null });
  const some = async () => ({ items: ["{}"], next: null });
  expect(await from(none)).toEqual({
    answers: expect.stringMatching(/"traces":{"items":\[\]/),
    rows: "",
  });
  expect(await from(some)).toEqual({
    answers: expect.stringMatching(/"traces":{"items":\[{}\]/),
    rows: "rows",
  });
  const fail = () => {
    throw new Error("The record has no name.");
  };
  expect(await from(some, fail)).toBeNull();
  expect(await from(() => Promise.reject(new Error("The store is not there.")))).toBeNull();
  const late = from(() => new Promise(() => {}));
  enough.abort();
  expect(await late).toBeNull();
  expect(await from(some)).toBeNull();
});
