import fc from "fast-check";
import type { ConfigSource } from "./config-source.ts";
import type { Column, Workspace } from "./workspace.ts";

const slug = fc.stringMatching(/^[a-z0-9]{1,8}(?:[-_.][a-z0-9]{1,4})?$/);
const revision = fc.integer({ min: 0, max: 1000 });
const fields = fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue(), { maxKeys: 4 });

const source: fc.Arbitrary<ConfigSource> = fc.oneof(
  fc.constant({ kind: "defaults" } as const),
  fc.record({ kind: fc.constant("variant" as const), variant: slug }),
  fc.record({ kind: fc.constant("revision" as const), variant: slug, revision }),
  fc.record({ kind: fc.constant("environment" as const), environment: slug }),
);

const column: fc.Arbitrary<Omit<Column, "id">> = fc.record({
  source,
  draft: fc.option(
    fc.record({
      base: fc.option(fc.record({ variant: slug, revision })),
      changes: fields.map((values) => JSON.parse(JSON.stringify(values))),
    }),
  ),
  origin: fc.option(fc.record({ traceId: fc.string(), spanId: fc.string(), ranWith: fc.string() })),
});

const inputs = fc.oneof(
  fc.record({ mode: fc.constant("json" as const), text: fc.string() }),
  fc.record({
    mode: fc.constant("form" as const),
    fields: fc.dictionary(
      fc.string(),
      fc.oneof(
        fc.string(),
        fc.constant(null),
        fc.array(fc.string()),
        fc.record({ json: fc.string() }),
      ),
    ),
  }),
);

/** Any workspace that the page can come to. */
export const arbitraryWorkspace: fc.Arbitrary<Workspace> = fc.record({
  columns: fc.array(column, { minLength: 1, maxLength: 5 }).map(numbered),
  cases: fc
    .array(fc.record({ name: fc.string(), draft: inputs }), { minLength: 1, maxLength: 4 })
    .map(numbered),
});

function numbered<Item extends object>(items: readonly Item[]): (Item & { id: number })[] {
  return items.map((item, index) => ({ ...item, id: 3 * index + 1 }));
}
