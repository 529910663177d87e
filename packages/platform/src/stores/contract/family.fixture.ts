import type { StoredSpan } from "@agate/spans";
import { spanIdOf, storedSpan, usageOf } from "./stored-span.fixture.ts";

/** A root, two children and a grandchild, with figures. */
export function family(): StoredSpan[] {
  const own = (n: number) => ({ role: "own", usage: usageOf(n, 1), cost: n / 100 }) as const;
  return [
    storedSpan({ id: spanIdOf(1), name: "root of the family", kind: "WORKFLOW" }),
    storedSpan({ id: spanIdOf(2), parentId: spanIdOf(1), start: 10, figures: own(10) }),
    storedSpan({ id: spanIdOf(3), parentId: spanIdOf(2), start: 20, inputs: { q: "ünï" } }),
    storedSpan({ id: spanIdOf(4), parentId: spanIdOf(1), start: 30, figures: own(20) }),
  ];
}
