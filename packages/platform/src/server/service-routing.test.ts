import { createHash } from "node:crypto";
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { buffer, json } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import type { SocketService } from "../deployments/gateway/testing/socket-service.fixture.ts";
import { serveHttp } from "../deployments/gateway/testing/socket-service.fixture.ts";
import { BuildRoutes } from "../deployments/processes/build-routes.ts";
import type { HostedEnvironment, Lease } from "../deployments/services.ts";
import { sendRequest } from "./testing/send-request.fixture.ts";
import type { TestPlatform } from "./testing/test-platform.fixture.ts";
import { startTestPlatform, TEST_PROJECT } from "./testing/test-platform.fixture.ts";

const KIB = 1024;
const HOLDING = { eachBytes: 256 * KIB, allBytes: 300 * KIB, waitMs: 60_000, mostWaiting: 2 };
const WAITS = { timeout: 60_000, interval: 5 };
const JSON_TYPE = { "content-type": "application/json" };
const RUN = "/services/support/run/summarize";

/** What the gateway told of calls: the environment's id, and the route. */
const calledRoutes: [environment: string, route: string][] = [];
const ROUTES = new BuildRoutes({
  paths: {
    "/run/summarize": { post: { "x-ag-route": "/summarize", "x-ag-endpoint": "deployed" } },
    "/playground/run/summarize": { post: { "x-ag-route": "/summarize" } },
  },
});

interface Hosted {
  readonly platform: TestPlatform;
  readonly ids: Readonly<Record<string, string>>;
  readonly services: Readonly<Record<"development" | "production", SocketService>>;
  /** Requests as they come to the services, before their bodies. */
  readonly received: readonly IncomingMessage[];
}

async function startPlatform(limits: Partial<typeof HOLDING> = {}): Promise<TestPlatform> {
  const platform = await startTestPlatform({
    gateway: { holding: { ...HOLDING, ...limits } },
    onRoute: (...called) => calledRoutes.push(called),
  });
  await platform.registry.applications.create(TEST_PROJECT, "support");
  return platform;
}

/** The application support, with a service in development and production, and none in staging. */
async function host(platform: TestPlatform): Promise<Hosted> {
  const ref = { project: TEST_PROJECT, application: "support" };
  const application = await platform.registry.applications.get(ref);
  const environments = await platform.registry.environments.list(ref);
  if (application.kind === "refused") throw new Error(application.problems[0].msg);
  if (environments.kind === "refused") throw new Error(environments.problems[0].msg);
  const ids = Object.fromEntries(environments.value.map(({ slug, id }) => [slug, id]));
  const received: IncomingMessage[] = [];
  const serve = async (slug: string) => {
    const service = await serveHttp(async (incoming, outgoing) => {
      received.push(incoming);
      const body = await buffer(incoming).catch(() => undefined);
      if (body === undefined) return;
      const hash = createHash("sha256").update(body).digest("hex");
      const environment = incoming.headers["agate-environment"] ?? null;
      const echo = { service: slug, url: incoming.url, environment, bytes: body.length, hash };
      outgoing.setHeader("content-type", "application/json");
      outgoing.end(JSON.stringify(echo));
    });
    const environment: HostedEnvironment = {
      project: TEST_PROJECT,
      application: { id: application.value.id, slug: "support" },
      id: ids[slug] as string,
      slug,
      isDefault: slug === "production",
      number: slug === "production" ? 3 : 1,
      playground: slug !== "production",
    };
    const acquire = () => ({ ...(service.acquire() as Lease), routes: ROUTES });
    const entry = platform.services.add(environment, { ...service, acquire });
    onTestFinished(() => entry.remove());
    return service;
  };
  const [development, production] = [await serve("development"), await serve("production")];
  return { platform, ids, services: { development, production }, received };
}

let platform: TestPlatform;
let hosted: Hosted;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  hosted = await host(platform);
});
afterAll(() => platform.close());

/** The same on a platform with other limits. */
async function hostWithin(limits: Partial<typeof HOLDING>): Promise<void> {
  const limited = await startPlatform(limits);
  onTestFinished(() => limited.close());
  hosted = await host(limited);
}

function call(body: string | Uint8Array, path = RUN, headers: Record<string, string> = {}) {
  const { port } = hosted.platform.server;
  return sendRequest(port, { method: "POST", path, headers: { ...JSON_TYPE, ...headers }, body });
}

it("sends a call to the environment that its path, header or body names, else to the default one", async () => {
  const { ids } = hosted;
  const named = JSON.stringify({ inputs: { environment: "staging" }, environment: "development" });
  const answers = await Promise.all([
    call("{}"),
    call("{}", "/services/support@development/run/summarize?x=1"),
    call("{}", `/services/support@${ids.development}/run/summarize`),
    call("{}", RUN, { "agate-environment": "development" }),
    call(named),
    call(named, "/services/support/%72un/summarize/"),
    call(named, "/services/support/generate_deployed"),
    call(named, RUN, { "content-type": "application/vnd.x+json; charset=utf-8" }),
    // Neither of them is for a deployed route, with a body of JSON.
    call(named, RUN, { "content-type": "text/plain" }),
    call(named, "/services/support/other"),
  ]);
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect(answers.map(({ json: { service, environment } }) => [service, environment])).toEqual([
    ["production", null],
    ["development", "development"],
    ["development", ids.development],
    ["development", "development"],
    ["development", null],
    ["development", null],
    ["development", null],
    ["development", null],
    ["production", null],
    ["production", null],
  ]);
  expect(answers[1]?.json.url).toBe("/run/summarize?x=1");
});

it("sends requests without a body to the default environment, and playground calls to one that has it on", async () => {
  const { port } = hosted.platform.server;
  const service = async (path: string) => (await sendRequest(port, { path })).json.service;
  expect(await service("/services/support/health")).toBe("production");
  expect(await service("/services/support@development/openapi.json")).toBe("development");
  const body = '{"environment":"production"}';
  const playground = await call(body, "/services/support/playground/run/summarize");
  expect(playground.json.service).toBe("development");
  const named = await call(body, "/services/support@production/playground/run/summarize");
  expect([named.status, named.json.detail[0].type]).toEqual([403, "playground_off"]);
  expect(named.json.detail[0].msg).toContain("agate environments playground support production on");
});

it("names what to switch on where no environment has its playground on", async () => {
  const { services } = hosted.platform;
  const ref = { project: TEST_PROJECT, application: "support" };
  const off = await hosted.platform.registry.environments.setPlayground(ref, "development", false);
  expect(off).toMatchObject({ kind: "done", value: { playground: false } });
  const found = services.find(TEST_PROJECT, "support", "development");
  const environment = { ...(found?.environment as HostedEnvironment), playground: false };
  const entry = services.add(environment, found?.service as SocketService);
  onTestFinished(() => entry.remove());
  for (const path of ["playground/run/summarize", "generate", "%70layground/run/summarize"]) {
    const { status, json: body } = await call("{}", `/services/support/${path}`);
    expect([status, body.detail[0].type]).toEqual([403, "playground_off"]);
  }
  expect((await call("{}")).json.service).toBe("production");
});

it("refuses a key that is limited to other environments, however the call names one", async () => {
  const { access } = hosted.platform;
  const { key } = await access.keys.create(TEST_PROJECT, {
    name: "preview",
    scopes: ["run", "playground"],
    environments: ["development"],
  });
  const headers = { authorization: `Bearer ${key}` };
  const inBody = (environment: string) => JSON.stringify({ environment });
  const answers = [
    await call("{}", "/services/support@development/run/summarize", headers),
    await call(inBody("development"), RUN, headers),
    await call("{}", "/services/support/playground/run/summarize", headers),
    await call("{}", RUN, headers),
    await call("{}", "/services/support@production/run/summarize", headers),
    await call("{}", `/services/support@${hosted.ids.production}/run/summarize`, headers),
    await call(inBody("production"), RUN, headers),
    await call("{}", RUN, { ...headers, "agate-environment": "production" }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 403, 403, 403, 403, 403]);
  expect(answers[3]?.json.detail[0]).toMatchObject({
    type: "environment_not_allowed",
    msg: expect.stringContaining("limited to development, and this is support/production"),
  });
});

it("tells which deployed route was called where", async () => {
  const { ids } = hosted;
  calledRoutes.length = 0;
  await call("{}");
  await call('{"environment":"development"}');
  for (const path of ["run/other", "playground/run/summarize", "summarize"]) {
    expect((await call("{}", `/services/support/${path}`)).status).toBe(200);
  }
  expect(calledRoutes).toEqual([
    [ids.production, "/summarize"],
    [ids.development, "/summarize"],
  ]);
});

it.each([
  ["no JSON", "nonsense"],
  ["JSON that breaks off", '{"inputs":{"environment":"staging"'],
  ["an environment that is no name", '{"environment":{"slug":"staging"}}'],
  ["nothing", ""],
])("passes %s on unchanged: the workflow says what is wrong with it", async (_, body) => {
  const { json: echo } = await call(body);
  expect(echo).toMatchObject({ service: "production", bytes: body.length });
});

it.each([
  [
    "/services/support@development/run",
    { "agate-environment": "production" },
    "{}",
    ["header", "agate-environment"],
  ],
  [
    "/services/support@development/run",
    {},
    '{"environment":"production"}',
    ["body", "environment"],
  ],
  [
    RUN,
    { "agate-environment": "development" },
    '{"environment":"production"}',
    ["body", "environment"],
  ],
  [RUN, {}, '{"environment":"development","environment":"production"}', ["body", "environment"]],
])("refuses %s with %j and %s", async (path, headers, body, loc) => {
  for (const padding of ["", `${" ".repeat(100 * KIB)}`]) {
    const answer = await call(body.replace("}", `${padding}}`), path, headers);
    expect(answer.status).toBe(422);
    expect(answer.json.detail).toEqual([
      { type: "environment_ambiguous", loc, msg: expect.stringContaining('"production"') },
    ]);
  }
  const { services } = hosted;
  await vi.waitFor(
    () => expect(services.development.leases + services.production.leases).toBe(0),
    WAITS,
  );
});

it("takes the slug and the id of an environment for the same", async () => {
  const { ids } = hosted;
  const body = JSON.stringify({ environment: ids.development });
  const answer = await call(body, "/services/support@development/run", {
    "agate-environment": "development",
  });
  expect(answer.json.service).toBe("development");
});

it.each([
  ["/services/support@nowhere/run", {}, "{}", ["path", "environment"]],
  [RUN, { "agate-environment": "nowhere" }, "{}", ["header", "agate-environment"]],
  [RUN, {}, '{"environment":"nowhere"}', ["body", "environment"]],
])(
  "names the environments that there are, asked for another by %s, %j, %s",
  async (path, headers, body, loc) => {
    const answer = await call(body, path, headers);
    expect(answer.status).toBe(404);
    expect(answer.json.detail).toEqual([
      {
        type: "environment_not_found",
        loc,
        msg: expect.stringMatching(/"nowhere".*development.*production.*staging/),
      },
    ]);
    const unserved = await call(
      body.replace("nowhere", "staging"),
      path.replace("nowhere", "staging"),
      Object.fromEntries(Object.keys(headers).map((name) => [name, "staging"])),
    );
    expect(unserved.status).toBe(404);
    expect(unserved.json.detail).toEqual([
      { type: "service_not_found", loc, msg: expect.stringContaining("--environment staging") },
    ]);
  },
);

it("refuses names that no environment can have", async () => {
  const long = "x".repeat(100 * KIB);
  const answers = await Promise.all([
    call("{}", "/services/support@/run"),
    call("{}", "/services/support@a%0D%0Aevil:%201/run"),
    call("{}", "/services/support@a@b/run"),
    call(JSON.stringify({ environment: long })),
    call(JSON.stringify({ environment: "\u0000\n" })),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  for (const { body } of answers) expect(body.length).toBeLessThan(4 * KIB);
});

/** A body of so many bytes with its name at the end, and its hash. */
function largeBody(bytes: number, name = "development") {
  const end = `","environment":"${name}"}`;
  const start = '{"inputs":"';
  const body = Buffer.from(`${start}${"é".repeat(bytes)}`).subarray(0, bytes - end.length);
  // The last character must be whole.
  body.fill("x", bytes - end.length - 4);
  const whole = Buffer.concat([body, Buffer.from(end)]);
  return { whole, hash: createHash("sha256").update(whole).digest("hex") };
}

it.each([
  ["with a length", {}],
  ["in chunks", { "transfer-encoding": "chunked" }],
])("holds a large body back until its end names the environment, %s", async (_, headers) => {
  for (const bytes of [15 * KIB, 17 * KIB, 130 * KIB, HOLDING.eachBytes]) {
    const { whole, hash } = largeBody(bytes);
    const { json: echo } = await call(whole, RUN, headers);
    expect(echo).toMatchObject({ service: "development", bytes, hash });
  }
});

it("asks for path or header where the name comes later than a body is held", async () => {
  const { whole, hash } = largeBody(HOLDING.eachBytes + 70 * KIB);
  for (const headers of [{}, { "transfer-encoding": "chunked" }]) {
    const answer = await call(whole, RUN, headers);
    expect(answer.status).toBe(413);
    expect(answer.json.detail).toEqual([
      {
        type: "body_too_large",
        loc: ["body", "environment"],
        msg: expect.stringContaining("agate-environment"),
      },
    ]);
    const named = await call(whole, "/services/support@development/run", headers);
    expect(named.json).toMatchObject({ service: "development", hash });
  }
  expect(hosted.services.development.leases).toBe(0);
});

/** Begins a call with a body in chunks. */
function begin(path = RUN, headers: Record<string, string> = {}): ClientRequest {
  const { port } = hosted.platform.server;
  const sending = request({ port, method: "POST", path, headers: { ...JSON_TYPE, ...headers } });
  sending.on("error", () => {});
  return sending;
}

async function answerOf(sending: ClientRequest): Promise<{ status: number; body: unknown }> {
  const [answer] = (await once(sending, "response")) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, body: await json(answer) };
}

it("passes a body on as soon as it has named its environment", async () => {
  const sending = begin();
  sending.write('{"environment":"development","inputs":"');
  await vi.waitFor(() => expect(hosted.received).toHaveLength(1), WAITS);
  // Many times what is held.
  for (let n = 0; n < 40; n++) sending.write("x".repeat(64 * KIB));
  sending.end('"}');
  const { body } = await answerOf(sending);
  expect(body).toMatchObject({ service: "development", bytes: 41 + 40 * 64 * KIB });
});

it("cuts a request off that names another environment after it was begun to be passed on", async () => {
  for (const path of [RUN, "/services/support@development/run"]) {
    const sending = begin(path);
    const before = hosted.received.length;
    sending.write(`{"environment":"development","inputs":"${"x".repeat(64 * KIB)}"`);
    await vi.waitFor(() => expect(hosted.received).toHaveLength(before + 1), WAITS);
    const incoming = hosted.received[before] as IncomingMessage;
    const closed = new Promise((resolve) => incoming.once("close", resolve));
    const answered = answerOf(sending);
    sending.end(',"environment":"production"}');
    expect((await answered).status).toBe(422);
    await closed;
    expect(incoming.complete).toBe(false);
  }
});

it("takes a body byte by byte", async () => {
  const sending = begin();
  const { whole, hash } = largeBody(20 * KIB);
  sending.setNoDelay(true);
  for (const byte of whole) sending.write(Buffer.of(byte));
  sending.end();
  expect((await answerOf(sending)).body).toMatchObject({ service: "development", hash });
});

/** Sends more than is held without asking, of a body that has named nothing. */
async function holdBack(): Promise<ClientRequest> {
  const sending = begin();
  await new Promise((resolve) => {
    sending.write(`{"inputs":"${"x".repeat(40 * KIB)}`, resolve);
  });
  return sending;
}

/** What was written before is read before a later request is answered. */
async function untilRead(): Promise<void> {
  for (let n = 0; n < 2; n++) await hosted.platform.get("/health");
}

it("lets one large body wait, and refuses those that wait too long or are too many", async () => {
  await hostWithin({ waitMs: 1_000, mostWaiting: 1 });
  const sendings = await Promise.all([holdBack(), holdBack(), holdBack()]);
  const refused = new Set<ClientRequest>();
  const answers = sendings.map(async (sending) => {
    const { status, body } = await answerOf(sending);
    if (status === 503) refused.add(sending);
    return { status, body };
  });
  await vi.waitFor(() => expect(refused.size).toBe(2), WAITS);
  for (const sending of sendings) if (!refused.has(sending)) sending.end('"}');
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 503, 503]);
  expect(hosted.received).toHaveLength(1);
  for (const sending of refused) sending.destroy();
});

it("lets large bodies wait for one another", async () => {
  await hostWithin({ mostWaiting: 20 });
  const { whole, hash } = largeBody(200 * KIB);
  const answers = await Promise.all(Array.from({ length: 20 }, () => call(whole)));
  for (const { json: echo } of answers) {
    expect(echo).toMatchObject({ service: "development", hash });
  }
});

it("needs no memory for a body that was answered or has lost its client", async () => {
  await hostWithin({ mostWaiting: 0 });
  // Comes in several parts, and does not fit beside the other one.
  const { whole } = largeBody(200 * KIB);
  const ends: ((sending: ClientRequest) => unknown)[] = [
    (sending) => sending.end('"}'),
    (sending) => sending.destroy(),
    (sending) => sending.end('","environment":"a","environment":"b"}'),
    (sending) => sending.end('","environment":"nowhere"}'),
    (sending) => sending.write("x".repeat(HOLDING.eachBytes)),
  ];
  for (const end of ends) {
    const sending = await holdBack();
    await untilRead();
    await vi.waitFor(async () => expect((await call(whole)).status).toBe(503), WAITS);
    end(sending);
    await vi.waitFor(async () => expect((await call(whole)).status).toBe(200), WAITS);
    sending.destroy();
  }
});
