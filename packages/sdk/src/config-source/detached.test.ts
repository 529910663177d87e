import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, type ContextManager, context, ROOT_CONTEXT } from "@opentelemetry/api";
import { isTracingSuppressed } from "@opentelemetry/core";
import { afterEach, expect, test } from "vitest";
import { detached } from "./detached.ts";
import { PRODUCTION, withTemperature } from "./registry-config-source.fixture.ts";
import { registryConfigSource } from "./registry-config-source.ts";
import { TestRegistry, until } from "./test-registry.fixture.ts";

afterEach(() => context.disable());

/** As OpenTelemetry's own does it. */
function contextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...values) => storage.run(active, () => work.apply(self, values)),
    bind: (_active, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}

test("work runs in the context of no call, untraced, and so does what it starts", async () => {
  context.setGlobalContextManager(contextManager());
  const call = new AsyncLocalStorage<string>();
  const seen = await call.run("a call", () =>
    detached(async () => {
      await Promise.resolve();
      return [call.getStore(), isTracingSuppressed(context.active())];
    }),
  );
  expect(seen).toEqual([undefined, true]);
});

test("requests and streams of changes do not belong to the call that caused them", async () => {
  context.setGlobalContextManager(contextManager());
  const registry = new TestRegistry();
  registry.deploy("production", withTemperature(1));
  const call = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const source = registryConfigSource({
    baseUrl: "http://registry.test",
    liveUpdates: true,
    async fetch(url, init) {
      const { pathname } = new URL(url as string);
      seen.push([
        pathname.split("/").at(-1),
        call.getStore(),
        isTracingSuppressed(context.active()),
      ]);
      const response = await registry.handle(
        new Request(url as string, { headers: init!.headers! }),
      );
      const body = response.body?.pipeThrough(new TransformStream(), { signal: init!.signal! });
      return new Response(body ?? null, response);
    },
  });
  await call.run("a call", () => source.resolve(PRODUCTION));
  await until(() => seen.length === 3);
  await source.close();
  expect(seen).toEqual([
    ["config", undefined, true],
    ["changes", undefined, true],
    ["config", undefined, true],
  ]);
});
