import { once } from "node:events";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { OtlpSpan } from "@agate/spans";
import { describe, expect, it } from "vitest";
import { BaseModel } from "../config/base-model.ts";
import { instrument } from "../tracing/instrument.ts";
import { span as openSpan } from "../tracing/span.ts";
import { answerOf, post } from "./call-app.fixture.ts";
import { outcomeOf, outputOf, ServedApp } from "./served-app.fixture.ts";

class NoConfig extends BaseModel {}

class APIUserAbortError extends Error {}

/** What functions throw when their call was cancelled: the errors of several libraries. */
const ABORT_ERRORS: readonly [string, (signal: AbortSignal) => unknown][] = [
  ["the signal's reason", (signal) => signal.reason],
  ["an AbortError of another library", () => new DOMException("stop", "AbortError")],
  ["Node's", () => Object.assign(new Error("stop"), { code: "ABORT_ERR" })],
  ["axios'", () => Object.assign(new Error("canceled"), { code: "ERR_CANCELED" })],
  ["OpenAI's", () => new APIUserAbortError("Request was aborted.")],
  ["one that wraps it", (signal) => new Error("The model failed.", { cause: signal.reason })],
];

const FAILURES: readonly [string, () => unknown][] = [
  ["an error", () => new Error("The index is broken.")],
  ["an error with another cause", () => new Error("no", { cause: new Error("why") })],
  ["an error that is its own cause", () => circular()],
  ["undefined", () => undefined],
  ["a revoked proxy", revoked],
];

function circular(): Error {
  const error = new Error("round");
  error.cause = error;
  return error;
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable(new Error("hidden"), {});
  revoke();
  return proxy;
}

/** Calls a route and goes away when its function has begun; gives its spans by name. */
async function leftCall(
  thrown: (signal: AbortSignal) => unknown,
): Promise<Record<string, OtlpSpan>> {
  await using served = await ServedApp.start();
  const controller = new AbortController();
  const inner = instrument({ name: "inner" })(async (signal: AbortSignal) => {
    await aborted(signal);
    throw thrown(signal);
  });
  served.app.route(
    "/ask",
    NoConfig,
  )(async (_input: unknown, { signal }) => {
    setImmediate(() => controller.abort());
    return openSpan("block", () => inner(signal));
  });
  const answer = fetch(`${served.url}/playground/run/ask`, {
    method: "POST",
    body: "{}",
    headers: { "content-type": "application/json" },
    signal: controller.signal,
  });
  await expect(answer).rejects.toThrow();
  await expect.poll(async () => (await served.spans()).length).toBe(3);
  return Object.fromEntries((await served.spans()).map((each) => [each.name, each]));
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}

describe("a function whose client has gone", () => {
  it.each(ABORT_ERRORS)(
    "is cancelled, with all around it, when it throws %s",
    async (_of, thrown) => {
      const spans = await leftCall(thrown);
      for (const name of ["inner", "block", "invoke_workflow ask"]) {
        const span = spans[name]!;
        expect([name, outcomeOf(span), span.events]).toEqual([name, "cancelled", []]);
      }
      expect(spans["invoke_workflow ask"]!.attributes.get("http.response.status_code")).toBe(499);
    },
  );

  it.each(FAILURES)("has failed when it throws %s", async (_what, thrown) => {
    const spans = await leftCall(thrown);
    expect(Object.values(spans).map(outcomeOf)).toEqual(["failed", "failed", "failed"]);
  });

  it("is not begun where that is known before", async () => {
    await using served = await ServedApp.start();
    let ran = false;
    served.app.route(
      "/ask",
      NoConfig,
    )(() => {
      ran = true;
    });
    const controller = new AbortController();
    controller.abort();
    const { status, body } = await answerOf(
      post(served.app, "/playground/run/ask", {}, { signal: controller.signal }),
    );
    expect([status, body.detail[0].type, ran]).toEqual([499, "client_closed_request", false]);
    expect((await served.spans()).map(outcomeOf)).toEqual(["cancelled"]);
  });

  it("while it sends its body, is cancelled, too", async () => {
    await using served = await ServedApp.start();
    served.app.route("/ask", NoConfig)(() => null);
    const sending = request(`${served.url}/playground/run/ask`, {
      method: "POST",
      headers: { "content-type": "application/json", "content-length": 1_000 },
    });
    sending.on("error", () => {});
    sending.write('{"inputs":');
    await once(sending, "socket");
    await expect.poll(() => sending.socket?.connecting).toBe(false);
    // The server has begun to read once it has answered another call on a later connection.
    await fetch(`${served.url}/health`);
    sending.destroy();
    await expect.poll(async () => (await served.spans()).map(outcomeOf)).toEqual(["cancelled"]);
  });

  it("is recorded with its result when it returns one", async () => {
    await using served = await ServedApp.start();
    const controller = new AbortController();
    served.app.route(
      "/ask",
      NoConfig,
    )(async (_input: unknown, { signal }) => {
      controller.abort();
      await aborted(signal);
      return "all the same";
    });
    const answer = post(served.app, "/playground/run/ask", {}, { signal: controller.signal });
    expect((await answerOf(answer)).body.data).toBe("all the same");
    const [span] = await served.spans();
    expect([outcomeOf(span!), outputOf(span!)]).toEqual(["ok", "all the same"]);
  });
});

describe("an AbortError without a cancelled call", () => {
  it("is a failure: the function aborted something itself", async () => {
    await using served = await ServedApp.start();
    const inner = instrument({ name: "inner" })(async () => {
      AbortSignal.abort().throwIfAborted();
    });
    served.app.route("/ask", NoConfig)(() => inner());
    expect((await post(served.app, "/playground/run/ask", {})).status).toBe(500);
    expect((await served.spans()).map(outcomeOf)).toEqual(["failed", "failed"]);
  });

  it("is a failure after a timeout", async () => {
    await using served = await ServedApp.start();
    const ended = Promise.withResolvers<void>();
    const inner = instrument({ name: "inner" })(async (signal: AbortSignal) => {
      await sleep(60_000, undefined, { signal });
    });
    served.app.route("/ask", { config: NoConfig, timeout: 20 })((_input: unknown, { signal }) =>
      inner(signal).finally(ended.resolve),
    );
    const { status } = await answerOf(post(served.app, "/playground/run/ask", {}));
    await ended.promise;
    expect(status).toBe(504);
    expect((await served.spans()).map(outcomeOf)).toEqual(["failed", "failed"]);
  });
});

describe("a route that is called from code", () => {
  async function* words(): AsyncGenerator<string> {
    yield "a";
    yield "b";
    yield "c";
  }

  it("is cancelled where its consumer leaves the stream, with what is inside it", async () => {
    await using served = await ServedApp.start();
    const inner = instrument({ name: "inner" })(words);
    const tell = served.app.route(
      "/tell",
      NoConfig,
    )(async function* () {
      yield* inner();
    });
    for await (const word of tell({})) if (word === "b") break;
    const spans = await served.spans();
    expect(spans.map((span) => [span.name, outcomeOf(span), outputOf(span)])).toEqual([
      ["inner", "cancelled", "ab"],
      ["invoke_workflow tell", "cancelled", "ab"],
    ]);
  });

  it("is not, where it takes no more from a stream of its own", async () => {
    await using served = await ServedApp.start();
    const inner = instrument({ name: "inner" })(words);
    const first = served.app.route(
      "/first",
      NoConfig,
    )(async () => {
      for await (const word of inner()) return word;
      return null;
    });
    expect(await first({})).toBe("a");
    expect((await served.spans()).map(outcomeOf)).toEqual(["ok", "ok"]);
  });

  it("has failed where its stream throws when it is left", async () => {
    await using served = await ServedApp.start();
    const tell = served.app.route(
      "/tell",
      NoConfig,
    )(async function* () {
      try {
        yield* words();
      } finally {
        await Promise.reject(new Error("The index is locked."));
      }
    });
    const reading = async () => {
      for await (const _ of tell({})) break;
    };
    await expect(reading()).rejects.toThrow("The index is locked.");
    const [span] = await served.spans();
    expect([outcomeOf(span!), outputOf(span!)]).toEqual(["failed", "a"]);
  });

  it.each([
    ["its caller's", new Error("enough"), "cancelled"],
    ["no error at all", "enough", "cancelled"],
    ["a timeout", new DOMException("late", "TimeoutError"), "failed"],
  ])("ends as its signal says: the reason is %s", async (_what, reason, outcome) => {
    await using served = await ServedApp.start();
    const controller = new AbortController();
    const ask = served.app.route(
      "/ask",
      NoConfig,
    )(async (_input: unknown, { signal }) => {
      await aborted(signal);
      signal.throwIfAborted();
    });
    const asking = ask({}, { signal: controller.signal });
    controller.abort(reason);
    await expect(asking).rejects.toBe(reason);
    expect((await served.spans()).map(outcomeOf)).toEqual([outcome]);
  });
});
