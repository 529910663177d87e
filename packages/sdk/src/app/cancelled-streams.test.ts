import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BaseModel } from "../config/base-model.ts";
import { post } from "./call-app.fixture.ts";
import { outcomeOf, outputOf, ServedApp } from "./served-app.fixture.ts";

class NoConfig extends BaseModel {}

const rejections: unknown[] = [];
const note = (reason: unknown): void => void rejections.push(reason);
beforeAll(() => {
  process.on("unhandledRejection", note);
});
afterAll(() => {
  process.off("unhandledRejection", note);
  expect(rejections).toEqual([]);
});

/** How a function makes its stream. `at(n)` is awaited, or called, before the chunk `n` is given. */
interface Script {
  readonly chunks: number;
  readonly at: (n: number) => Promise<void>;
  readonly onLeft: () => void;
}

type Returning = "ends" | "throws" | "rejects" | "hangs";

const SOURCES = {
  "an async generator": async function* ({ chunks, at, onLeft }: Script) {
    try {
      for (let n = 0; n < chunks; n += 1) {
        await at(n);
        yield `${n};`;
      }
    } finally {
      onLeft();
    }
  },
  "a ReadableStream": ({ chunks, at, onLeft }: Script) => {
    let n = 0;
    return new ReadableStream<string>(
      {
        async pull(controller) {
          if (n === chunks) {
            onLeft();
            return controller.close();
          }
          await at(n);
          controller.enqueue(`${n++};`);
        },
        cancel: onLeft,
      },
      { highWaterMark: 0 },
    );
  },
  "an iterator whose return ends": (script: Script) => iterator(script, "ends"),
  "an iterator whose return throws": (script: Script) => iterator(script, "throws"),
  "an iterator whose return rejects": (script: Script) => iterator(script, "rejects"),
  "an iterator whose return hangs": (script: Script) => iterator(script, "hangs"),
} satisfies Record<string, (script: Script) => AsyncIterable<string>>;

/** An iterator that counts how often it is left, also by its own end. */
function iterator({ chunks, at, onLeft }: Script, how: Returning): AsyncIterable<string> {
  let n = 0;
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        if (n === chunks) {
          onLeft();
          return { done: true, value: undefined };
        }
        await at(n);
        return { done: false, value: `${n++};` };
      },
      return() {
        onLeft();
        if (how === "throws") throw new Error("left badly");
        if (how === "rejects") return Promise.reject(new Error("left badly"));
        if (how === "hangs") return new Promise(() => {});
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  };
}

/** How a client calls and goes away. */
const CLIENTS = {
  "over a connection": (served: ServedApp, headers: Record<string, string>) => {
    const controller = new AbortController();
    const done = fetch(`${served.url}/playground/run/tell`, {
      method: "POST",
      body: "{}",
      headers: { "content-type": "application/json", ...headers },
      signal: controller.signal,
    }).then((answer) => answer.text());
    return { done, leave: () => controller.abort() };
  },
  "by fetch, aborting its request": (served: ServedApp, headers: Record<string, string>) => {
    const controller = new AbortController();
    const { signal } = controller;
    const answer = post(served.app, "/playground/run/tell", {}, { headers, signal });
    return { done: answer.then((got) => got.text()), leave: () => controller.abort() };
  },
  "by fetch, aborting without reading on": (served: ServedApp, headers: Record<string, string>) => {
    const controller = new AbortController();
    const { signal } = controller;
    const answer = post(served.app, "/playground/run/tell", {}, { headers, signal });
    // Of events, one more than is read is asked for.
    const done = answer.then(async (got) => {
      if (headers.accept === undefined) return got.text();
      const reader = got.body!.getReader();
      while (!signal.aborted && !(await reader.read()).done);
    });
    return { done, leave: () => controller.abort() };
  },
};

const scenario = fc.record({
  source: fc.constantFrom(...(Object.keys(SOURCES) as (keyof typeof SOURCES)[])),
  client: fc.constantFrom(...(Object.keys(CLIENTS) as (keyof typeof CLIENTS)[])),
  isEvents: fc.boolean(),
  chunks: fc.integer({ min: 0, max: 8 }),
  leaveAt: fc.integer({ min: 0, max: 10 }),
  hasTimeout: fc.boolean(),
});

describe("a stream whose client may go away at any chunk", () => {
  it("is ended once, and recorded as it came out with what it gave", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const { source, client, isEvents, chunks, leaveAt, hasTimeout } = given;
        const told: unknown[] = [];
        await using served = await ServedApp.start({ onError: (error) => told.push(error) });
        const gone = Promise.withResolvers<void>();
        let left = 0;
        let leave = (): void => {};
        served.app.route("/tell", { config: NoConfig, timeout: hasTimeout ? 60_000 : undefined })(
          () =>
            SOURCES[source]({
              chunks,
              async at(n) {
                if (n !== leaveAt) return;
                leave();
                await gone.promise;
              },
              onLeft: () => {
                left += 1;
              },
            }),
        );
        const call = CLIENTS[client](served, isEvents ? { accept: "text/event-stream" } : {});
        leave = call.leave;
        await call.done.catch(() => {});

        const isLeft = leaveAt < chunks;
        await expect.poll(async () => (await served.spans()).length).toBe(1);
        // The source that waits is let go only when the call is over.
        gone.resolve();
        await expect.poll(() => left).toBe(1);
        const [span] = await served.spans();
        const count = isLeft ? leaveAt : chunks;
        const all = Array.from({ length: count }, (_, n) => `${n};`).join("");
        expect([outcomeOf(span!), outputOf(span!)]).toEqual(
          isLeft ? ["cancelled", count === 0 ? undefined : all] : ["ok", count === 0 ? [] : all],
        );
        const fails = source.endsWith("throws") || source.endsWith("rejects");
        await expect.poll(() => told).toEqual(isLeft && fails ? [new Error("left badly")] : []);
        expect(left).toBe(1);
      }),
      { numRuns: 60 },
    );
  });

  it.each(["over a connection", "by fetch, aborting its request"] as const)(
    "is ended where it never waits and its answer is JSON: %s",
    async (client) => {
      await using served = await ServedApp.start();
      let leave = (): void => {};
      let left = 0;
      served.app.route(
        "/tell",
        NoConfig,
      )(function* () {
        try {
          for (let n = 0; ; n += 1) {
            if (n === 5) leave();
            yield n;
          }
        } finally {
          left += 1;
        }
      });
      const call = CLIENTS[client](served, {});
      leave = call.leave;
      await call.done.catch(() => {});
      await expect.poll(async () => (await served.spans()).map(outcomeOf)).toEqual(["cancelled"]);
      expect(left).toBe(1);
      const [span] = await served.spans();
      expect(JSON.stringify(outputOf(span!))).toContain("[0,1,2,3,4");
    },
  );
});

describe("an iterator that breaks the protocol", () => {
  it.each([undefined, null, 7, "text", true])("with %s as a step fails the call", async (step) => {
    await using served = await ServedApp.start();
    let left = 0;
    let asked = 0;
    const broken = {
      next: () => {
        asked += 1;
        return asked > 2 ? step : { done: false, value: asked };
      },
      return: () => {
        left += 1;
        return { done: true };
      },
    };
    served.app.route("/sync", NoConfig)(() => ({ ...broken, [Symbol.iterator]: () => broken }));
    served.app.route("/async", NoConfig)(() => ({ [Symbol.asyncIterator]: () => broken }));
    for (const path of ["/sync", "/async"]) {
      asked = 0;
      const answer = await post(served.app, `/playground/run${path}`, {});
      expect(answer.status).toBe(500);
      expect(await answer.json()).toMatchObject({
        detail: [{ msg: `Iterator result ${step} is not an object`, type: "function_failed" }],
      });
      asked = 0;
      const headers = { accept: "text/event-stream" };
      const events = await (
        await post(served.app, `/playground/run${path}`, {}, { headers })
      ).text();
      expect(events).toContain("is not an object");
    }
    // As in `for await`, what broke the protocol is not asked to clean up.
    expect(left).toBe(0);
    expect((await served.spans()).map(outcomeOf)).toEqual(Array(4).fill("failed"));
  });

  it("with promises as the values of a plain iterator gives what they resolve to", async () => {
    await using served = await ServedApp.start();
    served.app.route("/sync", NoConfig)(() => [Promise.resolve("a"), "b"].values());
    const answer = await post(served.app, "/playground/run/sync", {});
    expect(await answer.json()).toMatchObject({ data: "ab" });
  });
});
