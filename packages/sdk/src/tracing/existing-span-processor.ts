import type { Attributes, Context, Span } from "@opentelemetry/api";
import { identitySlot } from "../context/call-state.ts";
import { agateSpanIn } from "./active-context.ts";
import { agateSpanOf, type SpanOwner } from "./agate-span.ts";
import type { AnyReadableSpan } from "./ended-span.ts";
import { twinOwnerIn } from "./existing-setup.ts";
import { addIdentity } from "./identity-attributes.ts";

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

interface Noted {
  readonly owner: SpanOwner;
  readonly added: Attributes;
  readonly call: string | undefined;
}

/**
 * Takes the spans that other libraries make in an existing set-up. Never changes them.
 *
 * @param ownerFor Who takes a span, by whose call it is in; undefined to leave it.
 */
export function createSpanProcessor(
  ownerFor: (around: SpanOwner | undefined) => SpanOwner | undefined,
): SpanProcessorLike {
  const noted = new WeakMap<object, Noted>();
  const owners = new Set<SpanOwner>();
  const flush = async (): Promise<void> => {
    await Promise.all([...owners].map((owner) => owner.flush()));
  };
  return {
    onStart(span, parentContext) {
      const twinOwner = twinOwnerIn(parentContext);
      if (twinOwner !== undefined) return twinOwner.processorSeen();
      const around = agateSpanOf(agateSpanIn(parentContext));
      const owner = ownerFor(around?.owner);
      if (owner === undefined) return;
      owners.add(owner);
      owner.foreign.add(span);
      // Read now: at the end of the span, another call may be running.
      const added = addIdentity({}, identitySlot.get());
      noted.set(span, { owner, added, call: around?.call });
    },
    onEnd(span) {
      const note = noted.get(span);
      if (note === undefined) return;
      const { owner, ...rest } = note;
      owner.faults.guard(() => owner.take({ span: span as AnyReadableSpan, ...rest }), undefined);
    },
    forceFlush: flush,
    // The set-up ends; Agate's own spans may go on.
    shutdown: flush,
  };
}

/** Tells, once, when an existing OpenTelemetry set-up keeps its other spans from Agate. */
export class ProcessorReminder {
  readonly #warn: (sentence: string) => void;
  #isDone = false;

  constructor(warn: (sentence: string) => void) {
    this.#warn = warn;
  }

  processorSeen(): void {
    this.#isDone = true;
  }

  /** A processor that is in use has seen this span before. */
  twinStarted(twin: Span): void {
    if (this.#isDone || !twin.isRecording()) return;
    this.#isDone = true;
    this.#warn(
      "This process has an OpenTelemetry set-up of its own, and the spans that other libraries make in it do not reach Agate. Add ag.spanProcessor() to its span processors, as in new NodeSDK({ spanProcessors: [ag.spanProcessor(), …] }), or give those libraries ag.tracerProvider().",
    );
  }
}
