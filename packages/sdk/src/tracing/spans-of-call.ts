import type { EndedSpan } from "./ended-span.ts";

/**
 * The spans of one call and of the calls made inside it. A trace may have other calls, made at the
 * same time with the same `traceparent`: theirs are left out.
 *
 * @param call The id of the call's own span.
 */
export function spansOfCall(spans: readonly EndedSpan[], call: string): EndedSpan[] {
  const byId = new Map(spans.map((ended) => [ended.span.spanContext().spanId, ended]));
  const inside = new Map<string, boolean>([[call, true]]);

  const isInside = (start: string): boolean => {
    const passed: string[] = [];
    let current: string | undefined = start;
    while (current !== undefined && !inside.has(current) && !passed.includes(current)) {
      passed.push(current);
      current = callAround(byId, current, call);
    }
    const verdict = current !== undefined && inside.get(current) === true;
    for (const each of passed) inside.set(each, verdict);
    return verdict;
  };
  return spans.filter((ended) => ended.call !== undefined && isInside(ended.call));
}

/** The call that another call was made in; undefined when that is not known. */
function callAround(
  byId: ReadonlyMap<string, EndedSpan>,
  inner: string,
  outermost: string,
): string | undefined {
  const parent = parentIdOf(byId.get(inner));
  if (parent === undefined) return undefined;
  return parent === outermost ? outermost : byId.get(parent)?.call;
}

function parentIdOf(ended: EndedSpan | undefined): string | undefined {
  return ended?.span.parentSpanContext?.spanId ?? ended?.span.parentSpanId;
}
