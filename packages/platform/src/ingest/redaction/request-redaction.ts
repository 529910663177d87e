import { Buffer } from "node:buffer";
import type { RedactionRules } from "@agate/protocol";
import type { Attributes, AttributeValue, OtlpResource, OtlpScope, OtlpSpan } from "@agate/spans";
import {
  NameScan,
  type RedactionSigns,
  Redactor,
  redactOrigin,
  redactSpan,
  signsOf,
} from "@agate/spans/redaction";
import type { OtlpRequest, SpanPlace } from "../otlp/decode-outcome.ts";
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

/** The rules of projects, ready to be applied. Made anew when a request brings others than the last. */
export class ProjectRedactions {
  readonly #known = new Map<
    string,
    { readonly json: string; readonly redaction: RequestRedaction }
  >();

  of(project: string, json: string | null): RequestRedaction | null {
    if (json === null) {
      this.#known.delete(project);
      return null;
    }
    const known = this.#known.get(project);
    if (known?.json === json) return known.redaction;
    const redaction = new RequestRedaction(JSON.parse(json) as RedactionRules);
    this.#known.set(project, { json, redaction });
    return redaction;
  }
}

/** Digits of a number that may be a card's. */
const LONG_NUMBER = 1e12;

/** The texts of spans one after the other, as bytes, for spans that came as JSON. */
function spanTexts(spans: readonly OtlpSpan[]): {
  readonly bytes: Uint8Array;
  readonly places: readonly SpanPlace[];
} {
  const texts: string[] = [];
  const places: SpanPlace[] = [];
  let start = 0;
  for (const span of spans) {
    const text = textOf(span);
    const end = start + Buffer.byteLength(text);
    texts.push(text);
    places.push({ start, end, hasLongNumbers: false });
    start = end;
  }
  return { bytes: Buffer.from(texts.join("")), places };
}

function textOf({ name, traceState, statusMessage, attributes, events, links }: OtlpSpan): string {
  let text = `${name}\n${traceState}\n${statusMessage}\n${attributesText(attributes)}`;
  for (const event of events) text += `${event.name}\n${attributesText(event.attributes)}`;
  for (const link of links) {
    text += `${link.traceId}\n${link.spanId}\n${link.traceState}\n${attributesText(link.attributes)}`;
  }
  return text;
}

function attributesText(attributes: Attributes): string {
  let text = "";
  for (const [key, value] of attributes) text += `${key}\n${valueText(value)}`;
  return text;
}

function valueText(value: AttributeValue): string {
  if (typeof value === "string") return `${value}\n`;
  if (typeof value === "number" || typeof value === "bigint") {
    return value >= LONG_NUMBER ? `${value}\n` : "";
  }
  if (typeof value !== "object" || value === null) return "";
  if (value instanceof Map) return attributesText(value);
  if (value instanceof Uint8Array) return `${Buffer.from(value).toString("latin1")}\n`;
  return (value as readonly AttributeValue[]).map(valueText).join("");
}
