import type { Attributes } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import type { EndedSpan } from "../ended-span.ts";
import type { Secrets } from "../secrets.ts";
import { OtlpWriter } from "./otlp-writer.ts";
import { scopeOf } from "./parent-and-scope.ts";
import { writeSpan } from "./write-span.ts";

type Resource = ReadableSpan["resource"];

/** Some versions of OpenTelemetry's SDK have more in it than the type of ours. */
interface Scope {
  readonly name: string;
  readonly version?: string;
  readonly schemaUrl?: string;
  readonly attributes?: Attributes;
  readonly droppedAttributesCount?: number;
}

const REQUEST = { resourceSpans: 1 };
const RESOURCE_SPANS = { resource: 1, scopeSpans: 2, schemaUrl: 3 };
const RESOURCE = { attributes: 1 };
const SCOPE_SPANS = { scope: 1, spans: 2, schemaUrl: 3 };
const SCOPE = { name: 1, version: 2, attributes: 3, droppedAttributes: 4 };

/** Encodes ended spans as OTLP's ExportTraceServiceRequest, complete and without secrets. */
export class TraceRequestEncoder {
  readonly #writer: OtlpWriter;

  constructor(secrets: Secrets) {
    this.#writer = new OtlpWriter(secrets);
  }

  /** Throws where one of the spans cannot be read. */
  encode(spans: readonly EndedSpan[]): Uint8Array<ArrayBuffer> {
    // An attempt that failed may have left something.
    this.#writer.clear();
    for (const [resource, scopes] of [...grouped(spans)].reverse()) {
      this.#writeResourceSpans(resource, scopes);
    }
    return this.#writer.take();
  }

  #writeResourceSpans(resource: Resource | undefined, scopes: Map<Scope, EndedSpan[]>): void {
    const writer = this.#writer;
    const mark = writer.size;
    writer.optionalText(RESOURCE_SPANS.schemaUrl, resource?.schemaUrl);
    for (const [scope, spans] of [...scopes].reverse()) this.#writeScopeSpans(scope, spans);
    const resourceMark = writer.size;
    writer.attributes(RESOURCE.attributes, resource?.attributes);
    writer.close(RESOURCE_SPANS.resource, resourceMark);
    writer.close(REQUEST.resourceSpans, mark);
  }

  #writeScopeSpans(scope: Scope, spans: EndedSpan[]): void {
    const writer = this.#writer;
    const mark = writer.size;
    writer.optionalText(SCOPE_SPANS.schemaUrl, scope.schemaUrl);
    for (const ended of spans.reverse()) writeSpan(writer, SCOPE_SPANS.spans, ended);
    const scopeMark = writer.size;
    writer.optionalInt(SCOPE.droppedAttributes, scope.droppedAttributesCount);
    writer.attributes(SCOPE.attributes, scope.attributes);
    writer.optionalText(SCOPE.version, scope.version);
    writer.text(SCOPE.name, scope.name);
    writer.close(SCOPE_SPANS.scope, scopeMark);
    writer.close(RESOURCE_SPANS.scopeSpans, mark);
  }
}

/** By resource and scope, each of which is one object for many spans. */
function grouped(spans: readonly EndedSpan[]): Map<Resource | undefined, Map<Scope, EndedSpan[]>> {
  const resources = new Map<Resource | undefined, Map<Scope, EndedSpan[]>>();
  for (const ended of spans) {
    const { resource } = ended.span;
    const scope = scopeOf(ended.span);
    const scopes = resources.get(resource) ?? new Map<Scope, EndedSpan[]>();
    const together = scopes.get(scope);
    if (together !== undefined) together.push(ended);
    else resources.set(resource, scopes.set(scope, [ended]));
  }
  return resources;
}
