import type { Link } from "@opentelemetry/api";
import { emptyResource } from "@opentelemetry/resources";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { unheldTimer } from "../runtime/process-lifetime.ts";
import type { EndedSpan } from "./ended-span.ts";
import { parentOf, scopeOf } from "./ended-span.ts";
import { TraceRequestEncoder } from "./otlp/trace-request-encoder.ts";
import type { Secrets } from "./secrets.ts";
import { redactValue } from "./secrets.ts";

type Resource = ReadableSpan["resource"];

/** A set-up may ask its cloud what it runs on; what is not known by then is left out. */
const LONGEST_WAIT_MS = 2_000;

/** Makes ended spans into what is written of them: in one form, complete, and without secrets. */
export class SpanReader {
  readonly #secrets: Secrets;
  readonly #encoder: TraceRequestEncoder;
  readonly #noResource = emptyResource();
  /** One object for one resource, because spans are written by resource. */
  #resources = new WeakMap<Resource, Resource>();
  #secretsVersion = 0;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
    this.#encoder = new TraceRequestEncoder(secrets);
  }

  /** Resolves when the resources of these spans are known, or it takes too long. */
  async settled(spans: readonly EndedSpan[]): Promise<void> {
    const pending = new Set<Resource>();
    for (const { span } of spans) {
      if (span.resource?.asyncAttributesPending) pending.add(span.resource);
    }
    if (pending.size === 0) return;
    const all = Promise.all([...pending].map((resource) => resource.waitForAsyncAttributes?.()));
    await Promise.race([
      all,
      new Promise<void>((resolve) => unheldTimer(LONGEST_WAIT_MS, resolve)),
    ]);
  }

  /** As an OTLP request. Throws where one of the spans cannot be read. */
  encode(spans: readonly EndedSpan[]): Uint8Array<ArrayBuffer> {
    return this.#encoder.encode(spans);
  }

  read({ span, added }: EndedSpan): ReadableSpan {
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
      resource: this.#resourceOf(span.resource ?? this.#noResource),
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
  #resourceOf(resource: Resource): Resource {
    const { isEmpty, version } = this.#secrets;
    if (isEmpty) return resource;
    if (this.#secretsVersion !== version) {
      this.#secretsVersion = version;
      this.#resources = new WeakMap();
    }
    const known = this.#resources.get(resource);
    if (known !== undefined) return known;
    const clean: Resource = Object.create(resource, {
      attributes: { value: this.#clean(resource.attributes) },
    });
    this.#resources.set(resource, clean);
    return clean;
  }
}
