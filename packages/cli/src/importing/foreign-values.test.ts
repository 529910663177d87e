import { describe, expect, it } from "vitest";
import { nanosOf, spanIdOf, traceIdOf } from "./foreign-values.ts";

describe("ids of other products", () => {
  it("stay what they are where OpenTelemetry has the same, and UUIDs without their dashes", () => {
    const hex = "5b8efff798038103d269b633813fc60c";
    expect(traceIdOf(hex.toUpperCase())).toBe(hex);
    expect(traceIdOf("5b8efff7-9803-8103-d269-b633813fc60c")).toBe(hex);
    expect(spanIdOf("EEE19B7EC3C1B174", hex)).toBe("eee19b7ec3c1b174");
  });

  it("become the same hash each time otherwise, of spans one for each trace", () => {
    expect(traceIdOf("order-17")).toMatch(/^[0-9a-f]{32}$/);
    expect(traceIdOf("order-17")).toBe(traceIdOf("order-17"));
    expect(traceIdOf("0".repeat(32))).not.toBe("0".repeat(32));
    expect(spanIdOf("step", "a")).toBe(spanIdOf("step", "a"));
    expect(spanIdOf("step", "a")).not.toBe(spanIdOf("step", "b"));
  });
});

it.each([
  ["2024-05-29 13:46:19.963000", "1716990379963000000"],
  ["2024-05-29T13:46:19.963123456Z", "1716990379963123456"],
  ["2024-05-29T15:46:19+02:00", "1716990379000000000"],
  ["2024-05-29 15:46:19.5+0200", "1716990379500000000"],
  [1_716_990_379, "1716990379000000000"],
  [1_716_990_379.5, "1716990379500000000"],
  [1_716_990_379_963_001, "1716990379963001000"],
  [1_716_990_379_963, "1716990379963000000"],
  ["1716990379963000000", "1716990379963000000"],
])("takes %s for a time", (value, nanos) => {
  expect(String(nanosOf(value))).toBe(nanos);
});

it.each(["", "soon", "2024-13-29T00:00:00Z", -1, null, {}])("takes %j for none", (value) => {
  expect(nanosOf(value)).toBeNull();
});
