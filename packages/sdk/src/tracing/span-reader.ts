import type { Link } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import type { EndedSpan } from "./ended-span.ts";
import { parentOf, scopeOf } from "./ended-span.ts";
import type { Secrets } from "./secrets.ts";
import { redactValue } from "./secrets.ts";
import type { TelemetryResource } from "./telemetry-resource.ts";

/** An ended span of any version, complete. */
export interface ReadSpan extends Omit<ReadableSpan, "resource"> {
  readonly resource: TelemetryResource;
}

const NO_RESOURCE: TelemetryResource = { attributes: {} };

/** Makes ended spans into what is written of them: in one form, complete, and without secrets. */
export class SpanReader {
  readonly #secrets: Secrets;
  /** One object for one resource, because spans are written by resource. */
  #resources = new WeakMap<TelemetryResource, TelemetryResource>();
  #secretsVersion = 0;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  read({ span, added }: EndedSpan): ReadSpan {
    const parent = parentOf(span);
    return {
      name: this.#clean(span.name),
      kind: span.kind ?? 0,
      spanContext: () => span.spanContext(),
      ...(parent !== undefined && { parentSpanContext: parent }),
      startTime: span.startTime,
      endTime: span.endTime,
      duration: span.duration ?? [0, 0],
      ended: true,
      status: this.#clean(span.status),
      attributes: this.#clean({ ...added, ...span.attributes }),
      events: this.#clean(span.events ?? []),
      links: (span.links ?? []).map((link) => this.#cleanLink(link)),
      resource: this.#resourceOf(span.resource ?? NO_RESOURCE),
      instrumentationScope: scopeOf(span),
      droppedAttributesCount: span.droppedAttributesCount ?? 0,
      droppedEventsCount: span.droppedEventsCount ?? 0,
      droppedLinksCount: span.droppedLinksCount ?? 0,
    };
  }

  #clean<T>(value: T): T {
    return this.#secrets.isEmpty ? value : redactValue(value, this.#secrets);
  }

  #cleanLink(link: Link): Link {
    return link.attributes === undefined
      ? link
      : { ...link, attributes: this.#clean(link.attributes) };
  }

  // Command lines are among a resource's attributes, and secrets among their arguments.
  #resourceOf(resource: TelemetryResource): TelemetryResource {
    const { isEmpty, version } = this.#secrets;
    if (isEmpty) return resource;
    if (this.#secretsVersion !== version) {
      this.#secretsVersion = version;
      this.#resources = new WeakMap();
    }
    const known = this.#resources.get(resource);
    if (known !== undefined) return known;
    const clean: TelemetryResource = Object.create(resource, {
      attributes: { value: this.#clean(resource.attributes) },
    });
    this.#resources.set(resource, clean);
    return clean;
  }
}
