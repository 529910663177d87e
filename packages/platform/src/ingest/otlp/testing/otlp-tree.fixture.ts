import fc from "fast-check";

/** An ExportTraceServiceRequest as the specification sees it, apart from any encoding. */
export type OtlpTree = readonly TreeResourceSpans[];

export interface TreeResourceSpans {
  readonly attributes: readonly TreeAttribute[];
  readonly dropped: number;
  readonly schemaUrl: string;
  readonly scopes: readonly TreeScopeSpans[];
}

export interface TreeScopeSpans {
  readonly name: string;
  readonly version: string;
  readonly attributes: readonly TreeAttribute[];
  readonly dropped: number;
  readonly schemaUrl: string;
  readonly spans: readonly TreeSpan[];
}

export interface TreeSpan {
  readonly traceId: Uint8Array;
  readonly spanId: Uint8Array;
  readonly parentSpanId: Uint8Array;
  readonly traceState: string;
  readonly name: string;
  readonly kind: number;
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: readonly TreeAttribute[];
  readonly droppedAttributes: number;
  readonly events: readonly TreeEvent[];
  readonly droppedEvents: number;
  readonly links: readonly TreeLink[];
  readonly droppedLinks: number;
  readonly statusMessage: string;
  readonly statusCode: number;
  readonly flags: number;
}

export interface TreeEvent {
  readonly time: bigint;
  readonly name: string;
  readonly attributes: readonly TreeAttribute[];
  readonly dropped: number;
}

export interface TreeLink {
  readonly traceId: Uint8Array;
  readonly spanId: Uint8Array;
  readonly traceState: string;
  readonly attributes: readonly TreeAttribute[];
  readonly dropped: number;
  readonly flags: number;
}

export type TreeAttribute = readonly [key: string, value: TreeValue];

export type TreeValue =
  | { readonly kind: "none" }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "int"; readonly value: bigint }
  | { readonly kind: "double"; readonly value: number }
  | { readonly kind: "bytes"; readonly value: Uint8Array }
  | { readonly kind: "list"; readonly value: readonly TreeValue[] }
  | { readonly kind: "map"; readonly value: readonly TreeAttribute[] };

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.constantFrom("", "chat", "gpt-5-mini", "__proto__", "\ufeffbom"),
);
const uint32 = fc.oneof(fc.nat(3), fc.integer({ min: 0, max: 0xffff_ffff }));
const time = fc.oneof(
  fc.bigInt({ min: 0n, max: 5000n }),
  fc.bigInt({ min: 1_700_000_000_000_000_000n, max: 1_800_000_000_000_000_000n }),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
);
const bytes = fc.uint8Array({ maxLength: 40 });
const int64 = fc.oneof(
  fc.bigInt({ min: -300n, max: 300n }),
  fc.bigInt({ min: 2n ** 53n - 2n, max: 2n ** 53n + 2n }),
  fc.bigInt({ min: -(2n ** 53n) - 2n, max: -(2n ** 53n) + 2n }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
);

/** Mostly right ids, from few values so that they repeat, and some that are not ids. */
function id(size: number) {
  const ofSize = fc.uint8Array({ minLength: size, maxLength: size, min: 1 });
  return fc.oneof(
    { weight: 12, arbitrary: ofSize },
    { weight: 8, arbitrary: fc.constantFrom(1, 2).map((n) => new Uint8Array(size).fill(n)) },
    { weight: 1, arbitrary: fc.constant(new Uint8Array(size)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 20 }) },
  );
}

/** Any request that an encoder could be given, with these texts, numbers and byte strings in it. */
export function otlpTree({
  text = anyText,
  int = int64,
  data = bytes,
}: {
  readonly text?: fc.Arbitrary<string>;
  readonly int?: fc.Arbitrary<bigint>;
  readonly data?: fc.Arbitrary<Uint8Array>;
} = {}): fc.Arbitrary<OtlpTree> {
  /** From a small set too, so that keys repeat within a span and between spans. */
  const key = fc.oneof(
    fc.constantFrom("a", "gen_ai.request.model", "llm.input_messages.0.role", "__proto__"),
    text,
  );
  const { value } = fc.letrec<{ value: TreeValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.record({ kind: fc.constant("none" as const) }),
      fc.record({ kind: fc.constant("string" as const), value: text }),
      fc.record({ kind: fc.constant("bool" as const), value: fc.boolean() }),
      fc.record({ kind: fc.constant("int" as const), value: int }),
      fc.record({ kind: fc.constant("double" as const), value: fc.double() }),
      fc.record({ kind: fc.constant("bytes" as const), value: data }),
      fc.record({
        kind: fc.constant("list" as const),
        value: fc.array(tie("value"), { maxLength: 4 }),
      }),
      fc.record({
        kind: fc.constant("map" as const),
        value: fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }),
      }),
    ),
  }));

  const attributes = fc.array(fc.tuple(key, value), { maxLength: 6 });

  const span: fc.Arbitrary<TreeSpan> = fc.record({
    traceId: id(16),
    spanId: id(8),
    parentSpanId: fc.oneof(fc.constant(new Uint8Array()), id(8)),
    traceState: text,
    name: text,
    kind: fc.nat(7),
    start: time,
    end: time,
    attributes,
    droppedAttributes: uint32,
    events: fc.array(fc.record({ time, name: text, attributes, dropped: uint32 }), {
      maxLength: 2,
    }),
    droppedEvents: uint32,
    links: fc.array(
      fc.record({
        traceId: id(16),
        spanId: id(8),
        traceState: text,
        attributes,
        dropped: uint32,
        flags: uint32,
      }),
      { maxLength: 2 },
    ),
    droppedLinks: uint32,
    statusMessage: text,
    statusCode: fc.nat(4),
    flags: uint32,
  });

  return fc.array(
    fc.record({
      attributes,
      dropped: uint32,
      schemaUrl: text,
      scopes: fc.array(
        fc.record({
          name: text,
          version: text,
          attributes,
          dropped: uint32,
          schemaUrl: text,
          spans: fc.array(span, { maxLength: 4 }),
        }),
        { maxLength: 2 },
      ),
    }),
    { maxLength: 2 },
  );
}

export const anyOtlpTree = otlpTree();
