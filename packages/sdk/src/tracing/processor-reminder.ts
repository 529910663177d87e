import type { Span } from "@opentelemetry/api";

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
