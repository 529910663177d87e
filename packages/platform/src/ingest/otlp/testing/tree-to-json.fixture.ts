import { Buffer } from "node:buffer";
import type { OtlpTree, TreeAttribute, TreeSpan, TreeValue } from "./otlp-tree.fixture.ts";

/** Forms of one message that proto3's JSON mapping, or some exporter, allows. */
export interface JsonStyle {
  readonly names: "camelCase" | "snake_case";
  /** Numbers only where JSON can hold them. */
  readonly integers: "text" | "number";
  readonly ids: "lower" | "upper" | "base64";
  readonly enums: "number" | "name";
}

const KINDS = ["UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"];
const STATUS_CODES = ["UNSET", "OK", "ERROR"];

/** Encodes a request in OTLP's JSON. */
export function treeToJson(tree: OtlpTree, style: JsonStyle): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(new TreeEncoder(style).request(tree)));
}

class TreeEncoder {
  readonly #style: JsonStyle;

  constructor(style: JsonStyle) {
    this.#style = style;
  }

  request(tree: OtlpTree): object {
    const resourceSpans = tree.map(({ attributes, dropped, schemaUrl, scopes }) =>
      this.#named({
        resource: this.#named({
          attributes: this.#attributes(attributes),
          droppedAttributesCount: dropped,
        }),
        scopeSpans: scopes.map((scope) =>
          this.#named({
            scope: this.#named({
              name: scope.name,
              version: scope.version,
              attributes: this.#attributes(scope.attributes),
              droppedAttributesCount: scope.dropped,
            }),
            spans: scope.spans.map((span) => this.#span(span)),
            schemaUrl: scope.schemaUrl,
          }),
        ),
        schemaUrl,
      }),
    );
    return this.#named({ resourceSpans });
  }

  #span(span: TreeSpan): object {
    const { enums } = this.#style;
    const kind = enums === "name" ? KINDS[span.kind] : undefined;
    const code = enums === "name" ? STATUS_CODES[span.statusCode] : undefined;
    return this.#named({
      traceId: this.#id(span.traceId),
      spanId: this.#id(span.spanId),
      parentSpanId: this.#id(span.parentSpanId),
      traceState: span.traceState,
      name: span.name,
      kind: kind === undefined ? span.kind : `SPAN_KIND_${kind}`,
      startTimeUnixNano: this.#integer(span.start),
      endTimeUnixNano: this.#integer(span.end),
      attributes: this.#attributes(span.attributes),
      droppedAttributesCount: span.droppedAttributes,
      events: span.events.map((event) =>
        this.#named({
          timeUnixNano: this.#integer(event.time),
          name: event.name,
          attributes: this.#attributes(event.attributes),
          droppedAttributesCount: event.dropped,
        }),
      ),
      droppedEventsCount: span.droppedEvents,
      links: span.links.map((link) =>
        this.#named({
          traceId: this.#id(link.traceId),
          spanId: this.#id(link.spanId),
          traceState: link.traceState,
          attributes: this.#attributes(link.attributes),
          droppedAttributesCount: link.dropped,
          flags: link.flags,
        }),
      ),
      droppedLinksCount: span.droppedLinks,
      status: {
        message: span.statusMessage,
        code: code === undefined ? span.statusCode : `STATUS_CODE_${code}`,
      },
      flags: span.flags,
    });
  }

  #attributes(attributes: readonly TreeAttribute[]): object[] {
    return attributes.map(([key, value]) => ({ key, value: this.#value(value) }));
  }

  #value(value: TreeValue): object {
    switch (value.kind) {
      case "none":
        return {};
      case "string":
        return this.#named({ stringValue: value.value });
      case "bool":
        return this.#named({ boolValue: value.value });
      case "int":
        return this.#named({ intValue: this.#integer(value.value) });
      case "double": {
        const exact = Number.isFinite(value.value) && !Object.is(value.value, -0);
        // JSON.stringify has no NaN, no infinities, and writes -0 as 0.
        const text = Object.is(value.value, -0) ? "-0" : String(value.value);
        return this.#named({ doubleValue: exact ? value.value : text });
      }
      case "bytes":
        return this.#named({ bytesValue: Buffer.from(value.value).toString("base64") });
      case "list":
        return this.#named({
          arrayValue: { values: value.value.map((item) => this.#value(item)) },
        });
      case "map":
        return this.#named({ kvlistValue: { values: this.#attributes(value.value) } });
    }
  }

  #integer(value: bigint): string | number {
    const safe = Number.isSafeInteger(Number(value));
    return this.#style.integers === "number" && safe ? Number(value) : String(value);
  }

  /** Base64 only for ids of the right size: the decoder takes nothing else for base64. */
  #id(id: Uint8Array): string {
    const bytes = Buffer.from(id);
    const { ids } = this.#style;
    if (ids === "base64" && (id.length === 16 || id.length === 8)) return bytes.toString("base64");
    const hex = bytes.toString("hex");
    return ids === "upper" ? hex.toUpperCase() : hex;
  }

  #named(fields: Readonly<Record<string, unknown>>): object {
    if (this.#style.names === "camelCase") return fields;
    return Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        value,
      ]),
    );
  }
}
