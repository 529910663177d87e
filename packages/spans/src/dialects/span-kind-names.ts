import { SPAN_KINDS, type SpanKind } from "@agate/protocol";

const BY_NAME: ReadonlyMap<string, SpanKind> = new Map(
  SPAN_KINDS.filter((kind) => kind !== "UNKNOWN").map((kind) => [kind.toLowerCase(), kind]),
);

/** The kind with this name (in lower case); null for `unknown`, so that the next source is asked. */
export function kindNamed(name: string): SpanKind | null {
  return BY_NAME.get(name) ?? null;
}
