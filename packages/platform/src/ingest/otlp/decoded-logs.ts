import type { Attributes, AttributeValue, Instant, OtlpEvent } from "@agate/spans";
import { isMessageEvent } from "@agate/spans";
import { EVALUATION_EVENT } from "../evaluation-events.ts";
import type { DecodeFailure, DecodeLimits } from "./decode-outcome.ts";
import { Oversized } from "./decode-outcome.ts";
import { findIdFault, type IdFaults, Rejections } from "./decoded-spans.ts";

/** A log record as an event of the span that it names. */
export interface OtlpLogRecord {
  /** Lower-case hex. */
  readonly traceId: string;
  readonly spanId: string;
  readonly event: OtlpEvent;
}

interface LogFields {
  readonly traceId: string;
  readonly spanId: string;
  readonly name: string;
  readonly time: Instant;
  readonly observed: Instant;
  readonly attributes: Attributes;
  readonly body: AttributeValue;
}

/** Exporters that do not know when it happened say only when they saw it. */
export function logRecord(fields: LogFields): OtlpLogRecord {
  const { traceId, spanId, time, observed, attributes, body } = fields;
  const name = eventName(fields);
  const event = { name, time: time.us === 0 ? observed : time, droppedAttributesCount: 0 };
  const own = isMessageEvent(name) ? withBody(attributes, body) : attributes;
  return { traceId, spanId, event: { ...event, attributes: own } };
}

/** Exporters of before the field was added have the name in an attribute. */
function eventName({ name, attributes }: LogFields): string {
  const other = attributes.get(EVENT_NAME);
  return name === "" && typeof other === "string" ? other : name;
}

const EVENT_NAME = "event.name";

/**
 * The attributes of an event on a span that would say the same: log records have the message in their
 * body, and that of a choice one level further down.
 */
function withBody(attributes: Attributes, body: AttributeValue): Attributes {
  const own = new Map(attributes);
  own.delete(EVENT_NAME);
  if (typeof body === "string" && body !== "") {
    own.set(body.startsWith("{") ? "gen_ai.event.content" : "content", body);
  }
  if (!(body instanceof Map)) return own;
  for (const [name, value] of body) {
    if (name === "message" && value instanceof Map) for (const part of value) own.set(...part);
    else own.set(name, value);
  }
  return own;
}

export type LogsOutcome =
  | {
      readonly kind: "decoded";
      /** Evaluation results, with valid ids. */
      readonly results: readonly OtlpLogRecord[];
      /** Messages of calls, with valid ids. */
      readonly messages: readonly OtlpLogRecord[];
      readonly rejections: Rejections;
      /** How many are neither. */
      readonly others: number;
    }
  | DecodeFailure;

/** Collects the log records of one request, within its limits. */
export class DecodedLogs {
  readonly #limits: DecodeLimits;
  readonly #faults: IdFaults;
  readonly #results: OtlpLogRecord[] = [];
  readonly #messages: OtlpLogRecord[] = [];
  readonly #rejections = new Rejections("log record");
  #others = 0;

  /** @param faults What is said of rejected records: the encodings spell their fields differently. */
  constructor(limits: DecodeLimits, faults: IdFaults) {
    this.#limits = limits;
    this.#faults = faults;
  }

  add(record: OtlpLogRecord): void {
    const { name } = record.event;
    const fault = findIdFault(record.traceId, record.spanId, "");
    if (name === EVALUATION_EVENT) {
      if (fault === null) this.#results.push(record);
      else this.#rejections.add(this.#faults[fault]);
    } else if (isMessageEvent(name) && fault === null) this.#messages.push(record);
    // Messages that were logged outside of any span, too.
    else this.#others++;
    const { spans: limit } = this.#limits;
    const kept = this.#results.length + this.#messages.length;
    if (kept + this.#rejections.total + this.#others <= limit) return;
    const reason = `The request has more than ${limit} log records; none was kept. Lower the exporter's batch size.`;
    throw new Oversized({ kind: "too-many-spans", reason });
  }

  outcome(): LogsOutcome {
    return {
      kind: "decoded",
      results: this.#results,
      messages: this.#messages,
      rejections: this.#rejections,
      others: this.#others,
    };
  }
}
