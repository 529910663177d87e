import type { Attributes, Context } from "@opentelemetry/api";
import { identitySlot } from "../context/identity.ts";
import { agateSpanIn } from "./active-context.ts";
import { agateSpanOf, type SpanOwner } from "./agate-span.ts";
import type { AnyReadableSpan, EndedSpan } from "./ended-span.ts";
import { startsTwin } from "./existing-setup.ts";
import { identityAttributes } from "./identity-attributes.ts";

/** What OpenTelemetry's SDKs, versions 1 to 3, call with each of their spans. */
export interface SpanProcessorLike {
  onStart(span: object, parentContext: Context): void;
  onEnd(span: object): void;
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
}

export interface SpanProcessorOptions {
  /** Every span of the process, not only those inside a call of Agate's. */
  readonly all?: boolean | undefined;
}

interface ProcessorParts {
  readonly owner: SpanOwner;
  readonly options: SpanProcessorOptions;
  /** Is told that the processor is in use. */
  seen(): void;
  taken(ended: EndedSpan): void;
  flush(): Promise<void>;
}

type Noted = Pick<EndedSpan, "added" | "call">;

/** Takes the spans that other libraries make in an existing set-up. Never changes them. */
export function createSpanProcessor(parts: ProcessorParts): SpanProcessorLike {
  const { owner, options } = parts;
  const noted = new WeakMap<object, Noted>();
  return {
    onStart(span, parentContext) {
      owner.faults.guard(() => {
        parts.seen();
        if (startsTwin(parentContext)) return;
        const around = agateSpanOf(agateSpanIn(parentContext));
        const inside = around?.owner === owner;
        if (!inside && !options.all) return;
        // Read now: at the end of the span, another call may be running.
        const added: Attributes = identityAttributes(identitySlot.get());
        noted.set(span, { added, call: inside ? around.call : undefined });
      }, undefined);
    },
    onEnd(span) {
      owner.faults.guard(() => {
        const note = noted.get(span);
        if (note !== undefined) parts.taken({ span: span as AnyReadableSpan, ...note });
      }, undefined);
    },
    forceFlush: () => parts.flush(),
    // The set-up ends; Agate's own spans may go on.
    shutdown: () => parts.flush(),
  };
}
