import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createApp } from "../app/create-app.ts";
import { outcomeOf } from "../app/served-app.fixture.ts";
import { BaseModel } from "../config/base-model.ts";
import { Collector } from "../tracing/collector.fixture.ts";
import { serveOnNode } from "./serve.ts";

class NoConfig extends BaseModel {}

/** A served app with functions that end when they are told to, and one that never does. */
async function serveGated() {
  const collector = await new Collector().start();
  onTestFinished(() => collector.stop());
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const app = createApp({ baseUrl: collector.url, onWarning: () => {} });
  app.route(
    "/stream",
    NoConfig,
  )(async function* stream() {
    yield 1;
    begun.resolve();
    await gate.promise;
  });
  app.route(
    "/value",
    NoConfig,
  )(async function value() {
    begun.resolve();
    await gate.promise;
    return 1;
  });
  app.route(
    "/endless",
    NoConfig,
  )(function endless() {
    begun.resolve();
    return new Promise<number>(() => {});
  });
  const serving = await serveOnNode(app, { port: 0, hostname: "127.0.0.1", signals: false });
  const call = async (path: string): Promise<Socket> => {
    const socket = connect(serving.port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    const body = "{}";
    socket.write(
      `POST /playground/run${path} HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await begun.promise;
    return socket;
  };
  return { collector, serving, call, release: gate.resolve };
}

it("sends the spans of a stream that is broken off while the server closes", async () => {
  const { collector, serving, call } = await serveGated();
  const client = await call("/stream");
  const closed = serving.close();
  client.destroy();
  await closed;
  expect(outcomeOf(collector.named("invoke_workflow stream"))).toBe("cancelled");
});

it("sends the spans of a call that ends after its connection while the server closes", async () => {
  const { collector, serving, call, release } = await serveGated();
  const client = await call("/value");
  const closed = serving.close();
  client.destroy();
  await once(client, "close");
  setImmediate(release);
  await closed;
  expect(collector.spans.map(({ name }) => name)).toEqual(["invoke_workflow value"]);
});

it("closes without a call that does not end after its connection", async () => {
  const { collector, serving, call } = await serveGated();
  const client = await call("/endless");
  const closed = serving.close();
  client.destroy();
  await closed;
  expect(collector.spans).toEqual([]);
});
