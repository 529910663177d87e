import fc from "fast-check";
import { expect, it } from "vitest";
import { frameMessage, type MessageEnd, UnaryMessage } from "./unary-message.ts";

const LIMIT = 64;

/** What a reader that has all bytes at hand says of them. */
function readWhole(bytes: Buffer): MessageEnd {
  const fault = (name: Extract<MessageEnd, { kind: "fault" }>["fault"]): MessageEnd => ({
    kind: "fault",
    fault: name,
  });
  if (bytes.length < 5) return fault("incomplete");
  if (bytes.readUInt8(0) > 1) return fault("bad-prefix");
  const length = bytes.readUInt32BE(1);
  if (length > LIMIT) return fault("too-large");
  if (bytes.length > 5 + length) return fault("several");
  if (bytes.length < 5 + length) return fault("incomplete");
  const message = new Uint8Array(bytes.subarray(5));
  return { kind: "message", isCompressed: bytes[0] === 1, bytes: message };
}

function readInPieces(bytes: Buffer, cuts: readonly number[]): MessageEnd {
  const message = new UnaryMessage(LIMIT);
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
  places.sort((a, b) => a - b);
  for (const [index, place] of places.slice(1).entries()) {
    const fault = message.push(bytes.subarray(places[index], place));
    if (fault !== undefined) return { kind: "fault", fault };
  }
  return message.end();
}

const prefixed = fc
  .record({
    flag: fc.constantFrom(0, 0, 0, 1, 1, 2, 255),
    length: fc.oneof(fc.integer({ min: 0, max: LIMIT + 2 }), fc.constant(2 ** 32 - 1)),
    body: fc.uint8Array({ maxLength: LIMIT + 4 }),
    isExact: fc.boolean(),
  })
  .map(({ flag, length, body, isExact }) => {
    const head = Buffer.alloc(5);
    head.writeUInt8(flag, 0);
    head.writeUInt32BE(isExact ? body.length : length, 1);
    return Buffer.concat([head, body]);
  });

it("reads a message the same however its bytes are split", () => {
  const bytes = fc.oneof(prefixed, fc.uint8Array({ maxLength: 6 }).map(Buffer.from));
  fc.assert(
    fc.property(bytes, fc.array(fc.nat()), (given, cuts) => {
      expect(readInPieces(given, cuts)).toEqual(readWhole(given));
    }),
    { numRuns: 2_000 },
  );
});

it("takes a message of the limit byte by byte, and none that is longer", () => {
  const everyByte = Array.from({ length: LIMIT + 6 }, (_, n) => n);
  const largest = Buffer.from(frameMessage(new Uint8Array(LIMIT).fill(7)));
  expect(readInPieces(largest, everyByte)).toEqual(readWhole(largest));
  const larger = Buffer.from(frameMessage(new Uint8Array(LIMIT + 1)));
  // Refused by the length that it names, before a byte of it has arrived.
  expect(new UnaryMessage(LIMIT).push(larger.subarray(0, 5))).toBe("too-large");
});

it("counts the bytes of the message without its prefix", () => {
  const message = new UnaryMessage(LIMIT);
  const bytes = frameMessage(Uint8Array.of(1, 2, 3));
  expect(message.push(bytes.subarray(0, 7))).toBeUndefined();
  expect(message.length).toBe(2);
});
