import { trace } from "@opentelemetry/api";
import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from "vitest";
import { type Identity, identitySlot } from "../context/call-state.ts";
import { type InstrumentOptions, instrument } from "./instrument.ts";
import { resetOpenTelemetry } from "./otel-globals.fixture.ts";
import { recordedSpans } from "./recorded-spans.fixture.ts";

beforeEach(resetOpenTelemetry);
afterEach(resetOpenTelemetry);

describe("functions", () => {
  it("record what they were given and what they returned", async () => {
    function sum(a: number, b: number): number {
      return a + b;
    }
    const add = instrument()(sum);
    const recorded = await recordedSpans(() => expect(add(1, 2)).toBe(3));
    expect(recorded.content("sum", "inputs")).toEqual([1, 2]);
    expect(recorded.content("sum", "outputs")).toBe(3);
    expect(recorded.attributes("sum")["ag.span.kind"]).toBe("TASK");
    expect(recorded.named("sum").statusCode).toBe(1);
  });

  it("record a single argument as it is, and none as none", async () => {
    const one = instrument({ name: "one" })((input: { q: string }) => input.q);
    const none = instrument({ name: "none" })(() => undefined);
    const recorded = await recordedSpans(() => {
      one({ q: "why" });
      none();
    });
    expect(recorded.content("one", "inputs")).toEqual({ q: "why" });
    expect(recorded.content("none", "inputs")).toBeUndefined();
    expect(recorded.content("none", "outputs")).toBeUndefined();
  });

  it("record their inputs as they were before the function changed them", async () => {
    const drain = instrument({ name: "drain" })((list: number[]) => list.splice(0).length);
    const recorded = await recordedSpans(() => drain([1, 2]));
    expect(recorded.content("drain", "inputs")).toEqual([1, 2]);
  });

  it("keep name, length, this and type", () => {
    function greet(this: { name: string }, greeting: string, mark = "!"): string {
      return `${greeting} ${this.name}${mark}`;
    }
    const traced = instrument()(greet);
    expectTypeOf(traced).toEqualTypeOf(greet);
    expect(traced.name).toBe("greet");
    expect(traced.length).toBe(1);
    expect(traced.call({ name: "Ada" }, "Hello")).toBe("Hello Ada!");
    const generic = instrument()(<T>(value: T): T => value);
    expectTypeOf(generic("a" as const)).toEqualTypeOf<"a">();
    // @ts-expect-error: not a function
    expect(() => instrument()(1)).toThrow(
      "ag.instrument(…) wraps a function, and was given number",
    );
  });

  it("nest, and are the active span of what runs in them", async () => {
    const inner = instrument({ name: "inner" })(async () => {
      await Promise.resolve();
      return trace.getActiveSpan()!.spanContext().spanId;
    });
    const outer = instrument({ name: "outer" })(async () => {
      await Promise.resolve();
      return inner();
    });
    let innerId = "";
    const recorded = await recordedSpans(async () => {
      innerId = await outer();
    });
    expect(recorded.named("inner").spanId).toBe(innerId);
    expect(recorded.parentName("inner")).toBe("outer");
    expect(recorded.content("outer", "outputs")).toBe(innerId);
  });

  it.each([
    ["throws", () => instrument({ name: "fails" })(() => fail())],
    ["rejects", () => instrument({ name: "fails" })(async () => fail())],
  ])("that %s are recorded as failed, and the error is passed on unchanged", async (_how, make) => {
    const recorded = await recordedSpans(async () => {
      await expect((async () => make()())()).rejects.toBe(broken);
    });
    const span = recorded.named("fails");
    expect(span).toMatchObject({ statusCode: 2, statusMessage: "out of order" });
    expect(span.events.map((event) => event.name)).toEqual(["exception"]);
    expect(Object.fromEntries(span.events[0]!.attributes)).toMatchObject({
      "exception.type": "RangeError",
      "exception.message": "out of order",
    });
    expect(recorded.content("fails", "outputs")).toBeUndefined();
  });

  it.each([["a text"], [{ code: 1 }], [undefined], [null], [Object.create(null)]])(
    "may throw %j, which is no error",
    async (thrown) => {
      const fails = instrument({ name: "fails" })(() => {
        throw thrown;
      });
      const recorded = await recordedSpans(() => {
        let caught: unknown = "nothing";
        try {
          fails();
        } catch (error) {
          caught = error;
        }
        expect(caught).toBe(thrown);
      });
      expect(recorded.named("fails").statusCode).toBe(2);
    },
  );

  it("return a promise with methods of its own as it is", async () => {
    class ClientPromise<T> extends Promise<T> {
      withResponse(): string {
        return "response";
      }
    }
    const ask = instrument({ name: "ask" })(
      () => ClientPromise.resolve("yes") as ClientPromise<string>,
    );
    const recorded = await recordedSpans(async () => {
      const promise = ask();
      expect(promise.withResponse()).toBe("response");
      expect(await promise).toBe("yes");
    });
    expect(recorded.content("ask", "outputs")).toBe("yes");
  });

  it("leave a promise alone that decides only when it is read how to be read", async () => {
    class Request extends Promise<string> {
      readonly apiKey = "sk-hidden";
      // biome-ignore lint/suspicious/noThenProperty: as clients do it.
      override then(): never {
        throw new Error("read");
      }
    }
    const ask = instrument({ name: "ask" })(() => new Request((resolve) => resolve("x")));
    const recorded = await recordedSpans(() => {
      expect(ask()).toBeInstanceOf(Request);
    });
    expect(recorded.content("ask", "outputs")).toBeUndefined();
    expect(recorded.named("ask").statusCode).toBe(1);
  });

  it("do not start a lazy query by looking at it", async () => {
    let started = 0;
    const query = {
      // biome-ignore lint/suspicious/noThenProperty: as query builders do it.
      then(done: (value: number) => void) {
        started += 1;
        done(1);
      },
    };
    const find = instrument({ name: "find" })(() => query);
    await recordedSpans(async () => {
      const found = find();
      expect(started).toBe(0);
      expect(await found).toBe(1);
      expect(started).toBe(1);
    });
  });

  it.each<[string, InstrumentOptions, unknown, unknown]>([
    ["nothing", {}, { user: "ada", key: "k" }, { text: "t", usage: 1 }],
    ["all", { ignoreInputs: true, ignoreOutputs: true }, undefined, undefined],
    [
      "keys",
      { ignoreInputs: ["key"], ignoreOutputs: ["usage", "other"] },
      { user: "ada" },
      { text: "t" },
    ],
    [
      "paths, by redaction",
      { redact: ["key"] },
      { user: "ada", key: "[redacted]" },
      { text: "t", usage: 1 },
    ],
    [
      "by a function",
      { redact: (value, { field, span }) => (field === "inputs" ? span : value) },
      "call",
      { text: "t", usage: 1 },
    ],
    [
      "everything, if the function fails",
      {
        redact: () => {
          throw new Error("no");
        },
      },
      "[redaction failed]",
      "[redaction failed]",
    ],
  ])("leave out %s", async (_what, options, inputs, outputs) => {
    const call = instrument({ ...options, name: "call" })((_: { user: string; key: string }) => ({
      text: "t",
      usage: 1,
    }));
    const recorded = await recordedSpans(() => call({ user: "ada", key: "k" }));
    expect(recorded.content("call", "inputs")).toEqual(inputs);
    expect(recorded.content("call", "outputs")).toEqual(outputs);
  });

  it("record their configuration and kind", async () => {
    const rank = instrument({ name: "rank", kind: "RERANKER", config: { top: 3 } })(() => []);
    const recorded = await recordedSpans(() => rank());
    expect(recorded.attributes("rank")).toMatchObject({
      "ag.span.kind": "RERANKER",
      "ag.config": '{"top":3}',
    });
  });

  it("record no content where it is switched off", async () => {
    const call = instrument({ name: "call", config: { a: 1 } })((text: string) => text);
    const recorded = await recordedSpans(() => call("x"), { captureContent: false });
    expect(recorded.attributes("call")).toEqual({ "ag.span.kind": "TASK", "ag.redacted": true });
  });
});

async function listOf<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}

const broken = new RangeError("out of order");

function fail(): never {
  throw broken;
}

describe("methods", () => {
  class Agent {
    readonly name = "Ada";

    @instrument({ kind: "TOOL" })
    async greet(greeting: string): Promise<string> {
      return `${greeting} ${this.name}`;
    }

    @instrument({ name: "counting" })
    static count(this: void, ...items: string[]): number {
      return items.length;
    }

    @instrument()
    *letters(text: string): Generator<string> {
      for (const letter of text) yield `${this.name[0]}${letter}`;
    }
  }

  it("are decorated, static and not, with their this", async () => {
    const recorded = await recordedSpans(async () => {
      expect(await new Agent().greet("Hello")).toBe("Hello Ada");
      expect(Agent.count("a", "b")).toBe(2);
      expect([...new Agent().letters("xy")]).toEqual(["Ax", "Ay"]);
    });
    expect(recorded.attributes("greet")["ag.span.kind"]).toBe("TOOL");
    expect(recorded.content("counting", "inputs")).toEqual(["a", "b"]);
    expect(recorded.content("letters", "outputs")).toBe("AxAy");
    expectTypeOf<Agent["greet"]>().toEqualTypeOf<(greeting: string) => Promise<string>>();
  });

  it("are the only members that can be", () => {
    const context = { kind: "field", name: "value" } as unknown as ClassMethodDecoratorContext;
    expect(() => instrument()(() => 1, context)).toThrow(
      "ag.instrument decorates methods, and value is a field",
    );
  });
});

describe("generators", () => {
  const numbers = instrument({ name: "numbers" })(function* (
    count: number,
  ): Generator<number, string, string | undefined> {
    for (let index = 0; index < count; index++) yield index;
    return "done";
  });

  const words = instrument({ name: "words" })(async function* (...parts: string[]) {
    for (const part of parts) {
      await Promise.resolve();
      yield part;
    }
  });

  it("record the list of what they gave, or one text", async () => {
    const recorded = await recordedSpans(async () => {
      expect([...numbers(3)]).toEqual([0, 1, 2]);
      expect(await listOf(words("a", "b"))).toEqual(["a", "b"]);
    });
    expect(recorded.content("numbers", "inputs")).toBe(3);
    expect(recorded.content("numbers", "outputs")).toEqual([0, 1, 2]);
    expect(recorded.content("words", "outputs")).toBe("ab");
    expect(recorded.named("words").statusCode).toBe(1);
  });

  it("stay generators", async () => {
    await recordedSpans(() => {
      const generator = numbers(1);
      expectTypeOf(generator).toEqualTypeOf<Generator<number, string, string | undefined>>();
      expect(generator[Symbol.iterator]()).toBe(generator);
      expect(Object.prototype.toString.call(generator)).toBe("[object Generator]");
      expect(generator.next()).toEqual({ value: 0, done: false });
      expect(generator.next()).toEqual({ value: "done", done: true });
      expect(generator.next()).toEqual({ value: undefined, done: true });
    });
  });

  it("that are left half-way end there, and run what they have in finally", async () => {
    const log: string[] = [];
    const endless = instrument({ name: "endless" })(async function* () {
      try {
        for (let index = 0; ; index++) yield index;
      } finally {
        log.push(trace.getActiveSpan()!.spanContext().spanId);
      }
    });
    const recorded = await recordedSpans(async () => {
      for await (const value of endless()) if (value === 2) break;
    });
    expect(recorded.content("endless", "outputs")).toEqual([0, 1, 2]);
    expect(recorded.named("endless").statusCode).toBe(1);
    expect(log).toEqual([recorded.named("endless").spanId]);
  });

  it("that are never asked for a value leave no span", async () => {
    const recorded = await recordedSpans(async () => {
      numbers(3);
      numbers(3).return("early");
      await words("a").return(undefined);
    });
    expect(recorded.spans).toEqual([]);
  });

  it("that throw, or are thrown into, have failed", async () => {
    const failing = instrument({ name: "failing" })(function* () {
      yield 1;
      fail();
    });
    const recorded = await recordedSpans(() => {
      expect(() => [...failing()]).toThrow(broken);
      const generator = numbers(3);
      generator.next();
      expect(() => generator.throw(broken)).toThrow(broken);
    });
    for (const name of ["failing", "numbers"]) {
      expect(recorded.named(name)).toMatchObject({ statusCode: 2, statusMessage: "out of order" });
    }
  });

  it("run in the context that they were made in, whoever reads them", async () => {
    const identity: Identity = {
      application: null,
      variantId: null,
      variantName: null,
      revision: 7,
      environment: null,
    };
    const seen: unknown[] = [];
    const child = instrument({ name: "child" })(() => undefined);
    const lazy = instrument({ name: "lazy" })(async function* () {
      for (let index = 0; index < 2; index++) {
        seen.push(identitySlot.get()?.revision);
        await Promise.resolve();
        child();
        yield index;
      }
    });
    const recorded = await recordedSpans(async (telemetry) => {
      const call = telemetry.startSpan("call", { kind: "WORKFLOW" });
      const generator = identitySlot.run(identity, () => telemetry.withSpan(call, () => lazy()));
      const reader = telemetry.startSpan("reader", { kind: "TASK" });
      await telemetry.withSpan(reader, () => listOf(generator));
      reader.end();
      call.end();
    });
    expect(seen).toEqual([7, 7]);
    expect(recorded.parentName("lazy")).toBe("call");
    expect(recorded.parentName("child")).toBe("lazy");
  });

  it("keep no more of a long output than fits", async () => {
    const long = instrument({ name: "long" })(function* () {
      for (let index = 0; index < 3_000; index++) yield { text: "x".repeat(1_000) };
    });
    const recorded = await recordedSpans(() => {
      for (const _ of long());
    });
    const outputs = recorded.content("long", "outputs") as Record<string, unknown>;
    expect(outputs).toMatchObject({ truncated: true });
    expect(JSON.stringify(outputs).length).toBeLessThan(1_100_000);
  });
});
