import fc from "fast-check";
import { expect, it } from "vitest";
import { envelopeFaults } from "./body-fault.ts";
import { ENVELOPE_FIELDS, readEnvelope } from "./call-envelope.ts";

const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(null, "", "staging", 0, 1, 2 ** 53, 1.5, [], {}),
);
const variant = fc.oneof(
  anything,
  fc.record({ slug: anything, revision: anything, other: anything }, { requiredKeys: [] }),
  fc.record(
    { slug: fc.constantFrom("concise", ""), revision: fc.constantFrom(null, 1, 0, 2 ** 53) },
    { requiredKeys: [] },
  ),
);
const body = fc.oneof(
  anything,
  fc.record(
    {
      inputs: anything,
      config: fc.oneof(anything, fc.constant({ a: 1 })),
      environment: fc.oneof(anything, fc.constant("staging")),
      variant,
      toString: anything,
    },
    { requiredKeys: [] },
  ),
);

it.each(["playground", "deployed"] as const)(
  "a body of a %s call is read if and only if nothing is wrong with it",
  (endpoint) => {
    const read = new Set<boolean>();
    fc.assert(
      fc.property(body, (given) => {
        const isRead = readEnvelope(given, endpoint) !== null;
        read.add(isRead);
        expect(envelopeFaults(given, ENVELOPE_FIELDS[endpoint]).length === 0).toBe(isRead);
      }),
      { numRuns: 2_000 },
    );
    expect(read).toEqual(new Set([true, false]));
  },
);

it.each([
  [{}, { by: "default" }],
  [{ environment: "staging" }, { by: "environment", environment: "staging" }],
  [{ variant: { slug: "a" } }, { by: "variant", variant: "a", revision: null }],
  [{ variant: { slug: "a", revision: 1 } }, { by: "variant", variant: "a", revision: 1 }],
])("a deployed call with %j asks for %j", (given, wanted) => {
  const inputs = { text: "hello" };
  expect(readEnvelope({ ...given, inputs }, "deployed")).toEqual({
    endpoint: "deployed",
    wanted,
    inputs,
  });
});
