import type { Attributes, Instant, OtlpEvent } from "@agate/spans";
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
}

/** Exporters that do not know when it happened say only when they saw it. */
export function logRecord(fields: LogFields): OtlpLogRecord {
  const { traceId, spanId, name, time, observed, attributes } = fields;
  const event = { name, time: time.us === 0 ? observed : time, attributes };
  return { traceId, spanId, event: { ...event, droppedAttributesCount: 0 } };
}

export type LogsOutcome =
  | {
      readonly kind: "decoded";
      /** Evaluation results, with valid ids. */
      readonly records: readonly OtlpLogRecord[];
      readonly rejections: Rejections;
      /** How many are no evaluation results. */
      readonly others: number;
    }
  | DecodeFailure;

/** Collects the log records of one request, within its limits. */
export class DecodedLogs {
  readonly #limits: DecodeLimits;
  readonly #faults: IdFaults;
  readonly #records: OtlpLogRecord[] = [];
  readonly #rejections = new Rejections("log record");
  #others = 0;

  /** @param faults What is said of rejected records: the encodings spell their fields differently. */
  constructor(limits: DecodeLimits, faults: IdFaults) {
    this.#limits = limits;
    this.#faults = faults;
  }

  add(record: OtlpLogRecord): void {
    const fault = findIdFault(record.traceId, record.spanId, "");
    // The name first: other records have nothing to do with a span.
    if (eventName(record.event) !== EVALUATION_EVENT) this.#others++;
    else if (fault !== null) this.#rejections.add(this.#faults[fault]);
    else this.#records.push(record);
    const { spans: limit } = this.#limits;
    if (this.#records.length + this.#rejections.total + this.#others <= limit) return;
    const reason = `The request has more than ${limit} log records; none was kept. Lower the exporter's batch size.`;
    throw new Oversized({ kind: "too-many-spans", reason });
  }

  outcome(): LogsOutcome {
    const [records, rejections, others] = [this.#records, this.#rejections, this.#others];
    return { kind: "decoded", records, rejections, others };
  }
}

/** Exporters of before the field was added have the name in an attribute. */
function eventName({ name, attributes }: OtlpEvent): unknown {
  return name === "" ? attributes.get("event.name") : name;
}
