import type { OtlpTree, TreeAttribute, TreeSpan, TreeValue } from "./otlp-tree.fixture.ts";
import { message, ProtobufWriter } from "./protobuf-writer.fixture.ts";

/** Encodings of one message that must all decode alike. */
export interface ProtobufStyle {
  /** The highest field first: a resource comes after its spans. */
  readonly reversed: boolean;
  /** Fields of every wire type that no version of OTLP has, in every message. */
  readonly unknownFields: boolean;
}

/** Encodes a request in protobuf. Fields with their default value are left out or not, as it comes. */
export function treeToProtobuf(tree: OtlpTree, style: ProtobufStyle): Uint8Array<ArrayBuffer> {
  return new TreeEncoder(style).request(tree).finish();
}

class TreeEncoder {
  readonly #style: ProtobufStyle;

  constructor(style: ProtobufStyle) {
    this.#style = style;
  }

  request(tree: OtlpTree): ProtobufWriter {
    return this.#message((request) => {
      for (const { attributes, dropped, schemaUrl, scopes } of tree) {
        const resourceSpans = this.#message((writer) => {
          const resource = this.#message((resource) => {
            this.#attributes(resource, 1, attributes);
            resource.varint(2, dropped);
          });
          writer.bytes(1, resource).bytes(3, schemaUrl);
          for (const scope of scopes) {
            const scopeSpans = this.#message((scopeSpans) => {
              const described = this.#message((writer) => {
                writer.bytes(1, scope.name).bytes(2, scope.version).varint(4, scope.dropped);
                this.#attributes(writer, 3, scope.attributes);
              });
              scopeSpans.bytes(1, described).bytes(3, scope.schemaUrl);
              for (const span of scope.spans) scopeSpans.bytes(2, this.#span(span));
            });
            writer.bytes(2, scopeSpans);
          }
        });
        request.bytes(1, resourceSpans);
      }
    });
  }

  #span(span: TreeSpan): ProtobufWriter {
    return this.#message((writer) => {
      writer.bytes(1, span.traceId).bytes(2, span.spanId).bytes(3, span.traceState);
      if (span.parentSpanId.length > 0) writer.bytes(4, span.parentSpanId);
      writer.bytes(5, span.name).varint(6, span.kind);
      writer.fixed64(7, span.start).fixed64(8, span.end);
      this.#attributes(writer, 9, span.attributes);
      writer.varint(10, span.droppedAttributes);
      for (const event of span.events) {
        const encoded = this.#message((writer) => {
          writer.fixed64(1, event.time).bytes(2, event.name).varint(4, event.dropped);
          this.#attributes(writer, 3, event.attributes);
        });
        writer.bytes(11, encoded);
      }
      writer.varint(12, span.droppedEvents);
      for (const link of span.links) {
        const encoded = this.#message((writer) => {
          writer.bytes(1, link.traceId).bytes(2, link.spanId).bytes(3, link.traceState);
          this.#attributes(writer, 4, link.attributes);
          writer.varint(5, link.dropped).fixed32(6, link.flags);
        });
        writer.bytes(13, encoded);
      }
      writer.varint(14, span.droppedLinks);
      const status = this.#message((writer) => {
        if (span.statusMessage !== "") writer.bytes(2, span.statusMessage);
        if (span.statusCode !== 0) writer.varint(3, span.statusCode);
      });
      writer.bytes(15, status).fixed32(16, span.flags);
    });
  }

  #attributes(writer: ProtobufWriter, field: number, attributes: readonly TreeAttribute[]): void {
    for (const [key, value] of attributes) {
      const keyValue = this.#message((writer) => {
        writer.bytes(1, key).bytes(2, this.#value(value));
      });
      writer.bytes(field, keyValue);
    }
  }

  #value(value: TreeValue): ProtobufWriter {
    return this.#message((writer) => {
      switch (value.kind) {
        case "none":
          break;
        case "string":
          writer.bytes(1, value.value);
          break;
        case "bool":
          writer.varint(2, value.value ? 1 : 0);
          break;
        case "int":
          writer.varint(3, value.value);
          break;
        case "double":
          writer.double(4, value.value);
          break;
        case "list":
          writer.bytes(
            5,
            this.#message((list) => {
              for (const item of value.value) list.bytes(1, this.#value(item));
            }),
          );
          break;
        case "map":
          writer.bytes(
            6,
            this.#message((map) => this.#attributes(map, 1, value.value)),
          );
          break;
        case "bytes":
          writer.bytes(7, value.value);
          break;
      }
    });
  }

  #message(write: (writer: ProtobufWriter) => void): ProtobufWriter {
    const writer = new ProtobufWriter();
    if (this.#style.unknownFields) {
      const group = message((inner) =>
        inner
          .varint(1, 5)
          .group(
            2,
            message(() => {}),
          )
          .bytes(1, "x"),
      );
      writer.varint(700, -1).fixed64(701, 1n).bytes(702, "unknown").group(703, group);
    }
    write(writer);
    if (this.#style.unknownFields) writer.fixed32(536_870_911, 7);
    return this.#style.reversed ? writer.reverse() : writer;
  }
}
