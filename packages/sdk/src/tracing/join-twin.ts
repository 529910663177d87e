import type { Span } from "@opentelemetry/api";
import { AGATE_PART, type AgateSpan } from "./agate-span.ts";

/** What a joined span does as Agate's; in everything else it is the twin. */
const AGATES: ReadonlySet<PropertyKey> = new Set<PropertyKey>([
  AGATE_PART,
  "isRecording",
  "setAttribute",
  "setAttributes",
  "addEvent",
  "addLink",
  "addLinks",
  "setStatus",
  "updateName",
  "recordException",
  "end",
  Symbol.dispose,
]);

/**
 * The one object that code sees of a span and its twin. Changes go to both. Everything else is the
 * twin's, so that the tools that made it find the fields that they hide on it.
 */
export function joinTwin(own: AgateSpan, twin: Span): Span {
  const joined: Span = new Proxy(twin, {
    get(target, key) {
      if (!AGATES.has(key)) return memberOf(target, key);
      const member = memberOf(own, key);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        const result: unknown = member(...args);
        // A chain of calls goes on with the same object.
        return result === own ? joined : result;
      };
    },
  });
  return joined;
}

// Called on what it belongs to: private fields are not found through a proxy.
function memberOf(source: object, key: PropertyKey): unknown {
  const value: unknown = Reflect.get(source, key, source);
  return typeof value === "function" ? value.bind(source) : value;
}
