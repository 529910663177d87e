import fc from "fast-check";
import { expect, it } from "vitest";
import { RepeatedText } from "./otlp-wire-reader.ts";
import { WireReader } from "./wire-reader.ts";

/** Texts as protobuf has them, each after its length. */
function delimited(texts: readonly string[]): Uint8Array {
  return Buffer.concat(
    texts.map((text) => {
      const bytes = Buffer.from(text);
      return Buffer.concat([varint(bytes.length), bytes]);
    }),
  );
}

function varint(value: number): Buffer {
  return value < 0x80 ? Buffer.of(value) : Buffer.of((value & 0x7f) | 0x80, value >> 7);
}

function readAll(texts: readonly string[]): string[] {
  const reader = new WireReader(delimited(texts));
  const repeated = new RepeatedText();
  return texts.map(() => repeated.read(reader));
}

/** Around the longest that is remembered (48 bytes), of one to four bytes a character. */
const lengths = fc.oneof(
  fc.nat(3),
  fc.integer({ min: 45, max: 51 }),
  fc.integer({ min: 126, max: 130 }),
);
const text = fc
  .tuple(fc.constantFrom("a", "é", "漢", "🜁"), lengths, fc.nat(3))
  .map(([letter, length, last]) => `${letter.repeat(length)}${last}`);

it("gives each text as it was sent, in any order and number", () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 60 }), (texts) => {
      expect(readAll(texts)).toEqual(texts);
    }),
  );
});

it("gives more texts than there are slots (512), and those that share one", () => {
  // They differ only where the slot does not look: in their second and their last but one character.
  const alike = Array.from({ length: 1_000 }, (_, n) => {
    const [first, second] = [n % 40, Math.floor(n / 40)].map((at) => String.fromCharCode(48 + at));
    return `k${first}same-in-the-middle${second}e`;
  });
  const numbered = Array.from({ length: 2_000 }, (_, n) => `attribute.${n}.name`);
  const texts = [...alike, ...numbered, ...alike.toReversed(), ...numbered];
  expect(readAll(texts)).toEqual(texts);
});
