import { type Context, createContextKey, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import fc from "fast-check";
import { expect, it } from "vitest";
import { agateSpanIn, contextInside } from "./active-context.ts";
import { createTelemetry } from "./create-telemetry.ts";

const keys = [createContextKey("a"), createContextKey("b")];
const telemetry = createTelemetry({ disabled: true });
const spans = ["own 1", "own 2"].map((name) => telemetry.startSpan(name, { kind: "TASK" }));
const others = [1, 2].map((n) =>
  trace.wrapSpanContext({ traceId: `${n}`.repeat(32), spanId: `${n}`.repeat(16), traceFlags: 1 }),
);
const pick = fc.nat({ max: 1 });
const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constantFrom("own", "other", "delete"), which: pick, value: pick }),
    fc.record({ do: fc.constant("set"), which: pick, value: fc.nat() }),
  ),
  { maxLength: 12 },
);

it("holds what OpenTelemetry's own contexts hold after any values are set inside of spans", () => {
  fc.assert(
    fc.property(steps, (all) => {
      let context: Context = ROOT_CONTEXT;
      const known = new Map<symbol, unknown>();
      let [active, own]: unknown[] = [];
      for (const { do: step, which, value } of all) {
        const before = context;
        const seen = keys.map((key) => before.getValue(key));
        const key = keys[which]!;
        if (step === "own") {
          context = contextInside(context, spans[which]!);
          active = own = spans[which];
        } else if (step === "other") {
          context = contextInside(context, others[which]!);
          active = others[which];
        } else if (step === "set") {
          context = context.setValue(key, value);
          known.set(key, value);
        } else {
          context = context.deleteValue(key);
          known.delete(key);
        }
        expect(keys.map((each) => context.getValue(each))).toEqual(keys.map((k) => known.get(k)));
        expect(trace.getSpan(context)).toBe(active);
        expect(agateSpanIn(context)).toBe(own);
        // Contexts are immutable.
        expect(keys.map((each) => before.getValue(each))).toEqual(seen);
      }
    }),
  );
});
