import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { apiPath, createApiClient, UnusableName } from "./api-client.ts";
import type { ApiFailureCause } from "./api-failure.ts";
import { ApiFailure } from "./api-failure.ts";

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  stops.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function clientOf(url: string) {
  return createApiClient({ url, apiKey: "ag_secret", project: "team-b" });
}

async function whyOf(answer: Promise<unknown>): Promise<ApiFailureCause> {
  const failure: unknown = await answer.catch((error: unknown) => error);
  if (!(failure instanceof ApiFailure)) throw new Error("It did not fail.", { cause: failure });
  return failure.why;
}

describe("a request", () => {
  it("says who asks, for what, and gives the document as it came", async () => {
    const json = '{ "id": 12345678901234567890, "__proto__": 1 }';
    let seen: unknown;
    const url = await serve((request, response) => {
      const { method, headers } = request;
      const { authorization, "agate-project": project } = headers;
      seen = { method, url: request.url, authorization, project };
      response.setHeader("content-type", "application/json").end(json);
    });
    const path = apiPath`/registry/applications/${"a/b c?"}`;
    const document = await clientOf(`${url}/agate`).get(path, { limit: 3, cursor: undefined });
    expect(document.json).toBe(json);
    expect(Object.keys(document.value as object)).toEqual(["id", "__proto__"]);
    expect(seen).toEqual({
      method: "GET",
      url: "/agate/registry/applications/a%2Fb%20c%3F?limit=3",
      authorization: "Bearer ag_secret",
      project: "team-b",
    });
  });

  it("sends JSON and takes an answer without a body as null", async () => {
    let body = "";
    const url = await serve(async (request, response) => {
      for await (const chunk of request) body += chunk;
      expect(request.headers["content-type"]).toBe("application/json");
      response.writeHead(204).end();
    });
    const document = await clientOf(url).send("POST", apiPath`/x`, { slug: "a" });
    expect([body, document]).toEqual(['{"slug":"a"}', { value: null, json: "null" }]);
  });

  it.each(["", ".", ".."])("is not made for a part %j that a URL would drop", (name) => {
    expect(() => apiPath`/registry/applications/${name}`).toThrow(UnusableName);
  });
});

describe("what goes wrong", () => {
  it("is told in the platform's own words where it refuses", async () => {
    const detail = [{ loc: ["path", "app"], msg: "There is no application.", type: "x" }];
    const url = await serve((_request, response) => {
      response
        .writeHead(429, { "content-type": "application/json", "retry-after": "7" })
        .end(JSON.stringify({ detail, trace_id: "0af7" }));
    });
    expect(await whyOf(clientOf(url).get(apiPath`/x`))).toEqual({
      kind: "refused",
      status: 429,
      detail,
      retryAfterSeconds: 7,
      log: [],
      traceId: "0af7",
    });
  });

  it.each([
    [200, "text/html", "<h1>Hello</h1>", "it is of type text/html"],
    [200, "application/json", "{", "it is of type application/json"],
    [502, "text/html", "<h1>Bad Gateway</h1>", "its error is of type text/html"],
    [404, "application/json", '{"message":"no"}', "its error is of type application/json"],
    [404, "application/json", '{"detail":"Not Found"}', "its error is of type application/json"],
  ])("is named where something else answers with %i %s %s", async (status, type, body, reason) => {
    const url = await serve((_request, response) => {
      response.writeHead(status, { "content-type": type }).end(body);
    });
    const why = await whyOf(clientOf(url).get(apiPath`/x`));
    expect(why).toEqual({ kind: "not-agate", status, reason });
  });

  it("is a redirect that carries the key nowhere", async () => {
    const asked: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      asked.push(request.url);
      response.writeHead(301, { location: "https://elsewhere.example/" }).end();
    });
    expect(await whyOf(clientOf(url).send("POST", apiPath`/x`, {}))).toEqual({
      kind: "not-agate",
      status: 301,
      reason: "it redirects to https://elsewhere.example/",
    });
    expect(asked).toEqual(["/x"]);
  });

  it("is a server that is not there", async () => {
    const url = await serve(() => {});
    for (const stop of stops.splice(0)) stop();
    expect(await whyOf(clientOf(url).get(apiPath`/x`))).toEqual({ kind: "unreachable" });
  });

  it("is an answer that does not come", async () => {
    const url = await serve(() => {});
    const answer = clientOf(url).open(apiPath`/x`, { timeoutMs: 20 });
    expect(await whyOf(answer)).toEqual({ kind: "timed-out" });
  });

  it.each(["before", "within"])("is a connection that breaks %s the answer", async (when) => {
    const url = await serve((_request, response) => {
      if (when === "within") {
        response.writeHead(200, { "content-type": "application/json" }).write('{"half":');
      }
      // After what was written has gone out.
      setImmediate(() => response.destroy());
    });
    expect(await whyOf(clientOf(url).get(apiPath`/x`))).toEqual({ kind: "broken-off" });
  });
});
