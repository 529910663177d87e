import { Buffer } from "node:buffer";

type Content = Uint8Array | string | ProtobufWriter;

/** Writes a protobuf message field by field, also such as no encoder would. */
export class ProtobufWriter {
  readonly #fields: { readonly number: number; readonly bytes: Uint8Array }[] = [];

  varint(number: number, value: number | bigint): this {
    return this.#add(number, 0, varintBytes(value));
  }

  fixed64(number: number, value: bigint): this {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(value);
    return this.#add(number, 1, bytes);
  }

  double(number: number, value: number): this {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    return this.#add(number, 1, bytes);
  }

  fixed32(number: number, value: number): this {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return this.#add(number, 5, bytes);
  }

  bytes(number: number, content: Content): this {
    const bytes = content instanceof ProtobufWriter ? content.finish() : Buffer.from(content);
    return this.#add(number, 2, Buffer.concat([varintBytes(bytes.length), bytes]));
  }

  group(number: number, content: ProtobufWriter): this {
    const end = varintBytes((number << 3) | 4);
    return this.#add(number, 3, Buffer.concat([content.finish(), end]));
  }

  /** Bytes as they are, where a field would be. */
  raw(...bytes: number[]): this {
    this.#fields.push({ number: 0, bytes: Buffer.from(bytes) });
    return this;
  }

  /** Turns the order of the fields around, except among those of one number. */
  reverse(): this {
    this.#fields.sort((a, b) => b.number - a.number);
    return this;
  }

  finish(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(Buffer.concat(this.#fields.map((field) => field.bytes)));
  }

  #add(number: number, wireType: number, content: Uint8Array): this {
    const bytes = Buffer.concat([varintBytes(number * 8 + wireType), content]);
    this.#fields.push({ number, bytes });
    return this;
  }
}

/** A message written by `write`. */
export function message(write: (writer: ProtobufWriter) => void): ProtobufWriter {
  const writer = new ProtobufWriter();
  write(writer);
  return writer;
}

function varintBytes(value: number | bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
