import { afterEach, describe, expect, it, vi } from "vitest";
import { BaseModel } from "../config/base-model.ts";
import { DeclarationError } from "../config/declaration-error.ts";
import { serveOnNode } from "../node/serve.ts";
import { HttpError } from "../routes/http-error.ts";
import type { CorsOptions } from "../server/cors.ts";
import type { App } from "./app.ts";
import { createApp } from "./create-app.ts";

class NoConfig extends BaseModel {}

const PAGE = "https://app.example";

function openApp(cors: CorsOptions | undefined): App {
  const app = createApp({ cors, onError: () => {} });
  app.route("/say", NoConfig)(() => "said");
  app.route(
    "/tell",
    NoConfig,
  )(function* () {
    yield "one";
  });
  app.route(
    "/fail",
    NoConfig,
  )(() => {
    throw new HttpError(429, "Later.", { headers: { Vary: "Accept", "retry-after": "9" } });
  });
  return app;
}

type Send = (path: string, init: RequestInit) => Promise<Response>;

const fetched =
  (app: App): Send =>
  (path, init) =>
    app.fetch(new Request(`http://workflow.test${path}`, init));

function call(send: Send, path: string, origin?: string, headers: Record<string, string> = {}) {
  return send(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...(origin && { origin }), ...headers },
    body: "{}",
  });
}

function ask(send: Send, path: string, origin: string, method = "POST") {
  return send(path, {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": method },
  });
}

/** What a browser decides by. */
function corsOf({ headers }: Response) {
  const named = [...headers].filter(([name]) => name.startsWith("access-control-"));
  const short = named.map(([name, value]) => [name.replace(/^access-control-/, ""), value]);
  return { ...Object.fromEntries(short), vary: headers.get("vary") };
}

afterEach(() => vi.unstubAllEnvs());

describe.each(["fetch", "Node"] as const)("an app that allows one origin, by %s", (by) => {
  const app = openApp({ origins: [PAGE, "http://localhost:3000"] });

  async function sending<T>(use: (send: Send) => Promise<T>): Promise<T> {
    if (by === "fetch") return use(fetched(app));
    const { url, close } = await serveOnNode(app, { port: 0, signals: false });
    try {
      return await use((path, init) => fetch(`${url}${path}`, init));
    } finally {
      await close();
    }
  }
  const readable = {
    "allow-origin": PAGE,
    "expose-headers": "*",
    vary: "Origin",
  };

  it("answers a preflight with what the path takes", async () => {
    await sending(async (send) => {
      const preflight = await ask(send, "/run/say", PAGE);
      expect([preflight.status, await preflight.text()]).toEqual([204, ""]);
      expect(preflight.headers.get("content-length")).toBeNull();
      expect(corsOf(preflight)).toEqual({
        ...readable,
        "allow-methods": "POST",
        "allow-headers":
          "authorization, content-type, agate-variant, traceparent, tracestate, baggage",
        "max-age": "600",
      });
      const health = await ask(send, "/health", "http://localhost:3000", "GET");
      expect(corsOf(health)).toMatchObject({
        "allow-origin": "http://localhost:3000",
        "allow-methods": "GET, HEAD",
      });
    });
  });

  it("lets the page read results, streams, errors and refusals", async () => {
    await sending(async (send) => {
      const events = { accept: "text/event-stream" };
      const answers = await Promise.all([
        call(send, "/playground/run/say", PAGE),
        call(send, "/playground/run/tell", PAGE, events),
        call(send, "/playground/run/nothing", PAGE),
        call(send, "/playground/run/say", PAGE, { "content-type": "text/plain" }),
        send("/playground/run/say", { headers: { origin: PAGE } }),
        send("/openapi.json", { headers: { origin: PAGE } }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 415, 405, 200]);
      expect(answers.map(corsOf)).toEqual(answers.map(() => readable));
      expect(await answers[1]?.text()).toContain('event: chunk\ndata: "one"');
      const failed = await call(send, "/playground/run/fail", PAGE);
      expect([failed.status, failed.headers.get("retry-after")]).toEqual([429, "9"]);
      expect(corsOf(failed)).toEqual({ ...readable, vary: "Accept, Origin" });
    });
  });

  it.each([
    "https://evil.example",
    "https://app.example:8443",
    "http://app.example",
    "https://app.example.evil.example",
    "null",
    "*",
    "",
  ])("tells the page of %j nothing", async (origin) => {
    await sending(async (send) => {
      const preflight = await ask(send, "/run/say", origin);
      // A client that sends an empty header sends none.
      expect([403, 405]).toContain(preflight.status);
      expect(corsOf(preflight)).toEqual({ vary: "Origin" });
      expect(corsOf(await call(send, "/playground/run/say", origin))).toEqual({ vary: "Origin" });
    });
  });

  it("serves programs, which name no page, and still says that origins differ", async () => {
    await sending(async (send) => {
      const answer = await call(send, "/playground/run/say");
      expect([answer.status, corsOf(answer)]).toEqual([200, { vary: "Origin" }]);
      // A page that does not ask for a method is none.
      const options = await send("/run/say", { method: "OPTIONS", headers: { origin: PAGE } });
      expect([options.status, options.headers.get("allow")]).toEqual([405, "POST"]);
    });
  });

  it("answers a preflight for a path that is not there, so that the page can read the 404", async () => {
    await sending(async (send) => {
      expect((await ask(send, "/run/nothing", PAGE)).status).toBe(204);
    });
  });
});

describe("the option cors", () => {
  it("is closed without it", async () => {
    for (const cors of [undefined, {}, { origins: [] }]) {
      const send = fetched(openApp(cors));
      expect((await ask(send, "/run/say", PAGE)).status).toBe(405);
      expect(corsOf(await call(send, "/playground/run/say", PAGE))).toEqual({ vary: null });
    }
  });

  it("opens it for every page with *", async () => {
    const send = fetched(openApp({ origins: "*" }));
    expect(corsOf(await call(send, "/playground/run/say", "null"))).toEqual({
      "allow-origin": "*",
      "expose-headers": "*",
      vary: null,
    });
  });

  it("allows cookies, further headers and another age", async () => {
    const cors = { origins: [PAGE], credentials: true, headers: ["x-tenant"], maxAge: 0 };
    const preflight = await ask(fetched(openApp(cors)), "/run/say", PAGE);
    expect(corsOf(preflight)).toMatchObject({
      "allow-origin": PAGE,
      "allow-credentials": "true",
      "allow-headers": expect.stringMatching(/, x-tenant$/),
      "expose-headers": "traceparent, retry-after",
      "max-age": "0",
    });
  });

  it("comes from AGATE_CORS_ORIGINS where the code has none, and where others run it", async () => {
    vi.stubEnv("AGATE_CORS_ORIGINS", `${PAGE}, http://localhost:3000`);
    const allowed = async (cors?: CorsOptions) =>
      (await ask(fetched(openApp(cors)), "/run/say", PAGE)).status === 204;
    expect(await allowed()).toBe(true);
    expect(await allowed({ maxAge: 1 })).toBe(true);
    expect(await allowed({ origins: ["https://other.example"] })).toBe(false);
    vi.stubEnv("AGATE_LISTEN", "unix:/tmp/agate-test.sock");
    expect(await allowed({ origins: ["https://other.example"] })).toBe(true);
  });

  it.each<[CorsOptions, string]>([
    [{ origins: ["https://app.example/"] }, 'write "https://app.example".'],
    [{ origins: ["https://app.example/path"] }, 'write "https://app.example".'],
    [{ origins: ["https://app.example:443"] }, 'write "https://app.example".'],
    [{ origins: ["HTTPS://App.Example"] }, 'write "https://app.example".'],
    [{ origins: ["app.example"] }, 'such as "https://app.example".'],
    [{ origins: ["https://*.example"] }, 'such as "https://app.example".'],
    [{ origins: ["null"] }, 'such as "https://app.example".'],
    [{ origins: "*", credentials: true }, 'with credentials, "*" is not allowed'],
    [{ origins: ["*", PAGE], credentials: true }, 'with credentials, "*" is not allowed'],
    [{ origins: "*", maxAge: -1 }, "maxAge is a number of seconds from 0, not -1."],
    [{ origins: "*", maxAge: 1.5 }, "not 1.5."],
    [{ origins: "*", headers: ["x tenant"] }, '"x tenant" is not the name of a header.'],
  ])("is refused as %j, when it is given", (cors, said) => {
    expect(() => createApp({ cors })).toThrow(DeclarationError);
    expect(() => createApp({ cors })).toThrow(said);
  });

  it.each(["capacitor://localhost", "chrome-extension://abcdef", "http://[::1]:3000"])(
    "takes the origin %s",
    async (origin) => {
      const answer = await call(fetched(openApp({ origins: [origin] })), "/run/say", origin);
      expect(corsOf(answer)).toMatchObject({ "allow-origin": origin });
    },
  );
});
