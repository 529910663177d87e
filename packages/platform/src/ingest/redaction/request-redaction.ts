import { Buffer } from "node:buffer";
import type { RedactionRules } from "@agate/protocol";
import type { OtlpResource, OtlpScope, OtlpSpan } from "@agate/spans";
import {
  NameScan,
  type RedactionSigns,
  Redactor,
  redactOrigin,
  redactSpan,
  signsOf,
} from "@agate/spans/redaction";
import type { OtlpRequest, SpanPlace } from "../otlp/decode-outcome.ts";
import { spanTexts } from "./span-texts.ts";
import { SuspectScan } from "./suspect-scan.ts";

/** Applies a project's redaction rules to decoded requests. */
export class RequestRedaction {
  readonly #redactor: Redactor;
  readonly #signs: RedactionSigns;
  readonly #names: NameScan;

  constructor(rules: RedactionRules) {
    this.#redactor = new Redactor(rules);
    this.#signs = signsOf(rules);
    this.#names = new NameScan(this.#redactor.keys, this.#signs.names);
  }

  /**
   * The spans as they may be kept.
   *
   * @param bytes The request as it was decoded.
   */
  apply(request: OtlpRequest, bytes: Uint8Array): readonly OtlpSpan[] {
    const { spans, places } = request;
    const texts = places === undefined ? spanTexts(spans) : { places, bytes };
    const scan = new SuspectScan(
      Buffer.from(texts.bytes.buffer, texts.bytes.byteOffset, texts.bytes.byteLength),
      this.#signs,
    );
    const hasKeys = !this.#redactor.keys.isEmpty;
    const origins = new Map<OtlpResource | OtlpScope, boolean>();
    return spans.map((span, index) => {
      const { start, end, hasLongNumbers } = texts.places[index] as SpanPlace;
      const isSuspect =
        hasLongNumbers ||
        scan.isSuspect(start, end) ||
        (hasKeys && this.#names.mayHide(span)) ||
        this.#isChanged(span.resource, origins) ||
        this.#isChanged(span.scope, origins);
      return isSuspect ? redactSpan(span, this.#redactor) : span;
    });
  }

  #isChanged(origin: OtlpResource | OtlpScope, known: Map<OtlpResource | OtlpScope, boolean>) {
    const before = known.get(origin);
    if (before !== undefined) return before;
    const isChanged = redactOrigin(origin, this.#redactor) !== origin;
    known.set(origin, isChanged);
    return isChanged;
  }
}
