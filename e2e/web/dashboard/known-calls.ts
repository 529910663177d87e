import type { OtlpSpan } from "../../send-otlp.ts";

/** The day that the tests look at, in UTC; its buckets are a quarter of an hour each. */
export const DAY = { from: "2025-03-10T00:00:00.000Z", to: "2025-03-11T00:00:00.000Z" } as const;

interface Call {
  /** Two digits, unique. */
  readonly id: string;
  readonly time: string;
  readonly application: "shop" | "desk";
  /** Milliseconds. */
  readonly latency: number;
  readonly fails?: true;
}

const CALLS: readonly Call[] = [
  { id: "01", time: "2025-03-10T10:00:00Z", application: "shop", latency: 100 },
  { id: "02", time: "2025-03-10T10:05:00Z", application: "shop", latency: 200 },
  { id: "03", time: "2025-03-10T10:14:59.999Z", application: "shop", latency: 300, fails: true },
  { id: "04", time: "2025-03-10T10:10:00Z", application: "desk", latency: 1000 },
  { id: "05", time: "2025-03-10T14:20:00Z", application: "shop", latency: 400 },
  { id: "06", time: "2025-03-10T14:21:00Z", application: "shop", latency: 500 },
  { id: "07", time: "2025-03-10T20:00:00Z", application: "desk", latency: 2000, fails: true },
  // The day before.
  { id: "11", time: "2025-03-09T12:00:00Z", application: "shop", latency: 100 },
  { id: "12", time: "2025-03-09T12:01:00Z", application: "shop", latency: 100 },
  { id: "13", time: "2025-03-09T12:02:00Z", application: "shop", latency: 100 },
  { id: "14", time: "2025-03-09T12:03:00Z", application: "shop", latency: 100 },
];

/**
 * Seven calls of the day and four of the day before. The shop tells tokens (100 in, 10 out) and cost
 * (a cent) of each; the desk tells neither, and is in staging.
 */
export function knownCalls(): readonly OtlpSpan[] {
  return CALLS.map(({ id, time, application, latency, fails }) => {
    const start = Date.parse(time);
    const isShop = application === "shop";
    return {
      traceId: id.padStart(32, "d"),
      spanId: id.padStart(16, "e"),
      name: `call ${id}`,
      start,
      end: start + latency,
      status: { code: fails ? 2 : 1 },
      attributes: {
        "ag.span.kind": "WORKFLOW",
        "ag.application": application,
        "ag.route": isShop ? "/order" : "/",
        "ag.variant.name": isShop ? "concise" : "thorough",
        "ag.environment": isShop ? "production" : "staging",
        ...(isShop && {
          "ag.usage.input_tokens": 100,
          "ag.usage.output_tokens": 10,
          "ag.cost": 0.01,
        }),
      },
    };
  });
}
