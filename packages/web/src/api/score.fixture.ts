import type { Score } from "@agate/protocol";

/** A score of which only what matters is told. */
export function scoreOf(given: Partial<Score> = {}): Score {
  return {
    id: "0123456789abcdef0123456789abcdef",
    trace_id: "0af7651916cd43dd8448eb211c80319c",
    span_id: "b7ad6b7169203331",
    name: "helpful",
    value: given.status === undefined || given.status === "ok" ? 1 : null,
    label: null,
    explanation: null,
    source: { kind: "code", evaluator: null, version: null, person: null },
    status: "ok",
    error: null,
    created_at: "2026-11-15T10:00:00.000000Z",
    run: null,
    case: null,
    column: null,
    trial: null,
    metadata: null,
    ...given,
  };
}
