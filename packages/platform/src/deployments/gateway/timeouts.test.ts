import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from "node:http";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { BuildRoutes } from "../processes/build-routes.ts";
import type { Lease, Service } from "../services.ts";
import { type GatewayServer, serveGateway } from "./testing/gateway-server.fixture.ts";
import { type SocketService, serveHttp } from "./testing/socket-service.fixture.ts";

const MINUTE = 60_000;

beforeEach(() => {
  // Sockets have timers of their own, which stay real.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
});

/** The service of a build whose route /slow has a timeout. */
function withTimeout(service: SocketService, timeout: number): Service {
  const post = { "x-ag-route": "/slow", "x-ag-endpoint": "deployed", "x-ag-timeout": timeout };
  const routes = new BuildRoutes({ paths: { "/run/slow": { post } } });
  const { application } = service;
  return { application, acquire: () => ({ ...(service.acquire() as Lease), routes }) };
}

interface Call {
  readonly gateway: GatewayServer;
  readonly service: SocketService;
  readonly sending: ClientRequest;
  /** The service's side of it. */
  readonly answering: ServerResponse;
}

/** A call that the service has got and has not answered. */
async function begin(routeTimeout?: number): Promise<Call> {
  const got = Promise.withResolvers<ServerResponse>();
  const service = await serveHttp((_, outgoing) => got.resolve(outgoing));
  const gateway = await serveGateway(
    routeTimeout === undefined ? service : withTimeout(service, routeTimeout),
  );
  const sending = request({ port: gateway.port, path: "/run/slow?x" }).end();
  return { gateway, service, sending, answering: await got.promise };
}

it.each([
  ["without a timeout", undefined, 10 * MINUTE],
  ["with a timeout", 30_000, 35_000],
  ["with a long timeout", 60 * MINUTE, 60 * MINUTE + 5_000],
  ["with one that no timer takes", 2 ** 40, 2 ** 31 - 1],
])("ends a call of a route %s whose answer does not begin", async (_, timeout, ms) => {
  const { gateway, service, sending, answering } = await begin(timeout);
  const answered = once(sending, "response");
  vi.advanceTimersByTime(ms - 1);
  expect(gateway.problems).toEqual([]);
  const closed = once(answering, "close");
  vi.advanceTimersByTime(1);
  const reason = `support sent nothing for ${ms / 1000} s.`;
  expect(gateway.problems).toEqual([{ kind: "service_timeout", reason }]);
  await answered;
  await closed;
  expect(service.leases).toBe(0);
});

it("breaks off an answer that stops for 10 minutes, however long it may take in all", async () => {
  const { service, sending, answering } = await begin(1_000);
  answering.write("begun");
  const [answer] = (await once(sending, "response")) as [IncomingMessage];
  answer.setEncoding("utf8");
  await once(answer, "data");
  for (let n = 0; n < 5; n++) {
    vi.advanceTimersByTime(10 * MINUTE - 1);
    answering.write("more");
    expect(await once(answer, "data")).toEqual(["more"]);
  }
  const broken = once(answer, "error");
  vi.advanceTimersByTime(10 * MINUTE);
  expect((await broken)[0]).toMatchObject({ code: "ECONNRESET" });
  expect(service.leases).toBe(0);
});

it("forgets the time of calls that were answered", async () => {
  const { sending, answering } = await begin();
  answering.end("done");
  const [answer] = (await once(sending, "response")) as [IncomingMessage];
  answer.resume();
  await once(answer, "end");
  expect(vi.getTimerCount()).toBe(0);
});
