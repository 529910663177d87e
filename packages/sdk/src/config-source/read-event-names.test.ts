import fc from "fast-check";
import { expect, test } from "vitest";
import { readEventNames } from "./read-event-names.ts";

function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

async function namesIn(chunks: readonly Uint8Array[], heard = (): void => {}): Promise<string[]> {
  const names: string[] = [];
  for await (const name of readEventNames(streamOf(chunks), heard)) names.push(name);
  return names;
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

test.each([
  ["event: config\ndata: {}\n\n", ["config"]],
  ["event:config\ndata\n\n", ["config"]],
  ["data: {}\n\n", ["message"]],
  [": hello\n\n:\n\n", []],
  ["\n\n\n", []],
  ["event: config\ndata: {}\n", []],
  ["event: a\n\ndata: x\n\n", ["a", "message"]],
  ["\ufeffevent: config\ndata: {}\n\n", ["config"]],
  ["id: 1\nretry: 5\nevent: other\ndata: event: config\n\n", ["other"]],
])("%j", async (text, expected) => {
  expect(await namesIn([encode(text)])).toEqual(expected);
});

test("it does not matter how lines end and where the stream is cut", async () => {
  const event = fc.constantFrom("config", "ping", "größer");
  const line = fc.oneof(
    event.map((name) => ({ lines: [`event: ${name}`, "data: {}", ""], names: [name] })),
    fc.constant({ lines: [": heart-beat", ""], names: [] as string[] }),
  );
  const ends = fc.constantFrom("\n", "\r\n", "\r");
  await fc.assert(
    fc.asyncProperty(
      fc.array(line),
      ends,
      fc.infiniteStream(fc.nat(5)),
      async (parts, end, cuts) => {
        const text = parts.flatMap(({ lines }) => lines.map((one) => one + end)).join("");
        const bytes = encode(text);
        const chunks: Uint8Array[] = [];
        for (let at = 0; at < bytes.length; ) {
          const size = cuts.next().value ?? 0;
          chunks.push(bytes.slice(at, at + size));
          at += size;
          if (chunks.length > bytes.length * 3) {
            chunks.push(bytes.slice(at));
            break;
          }
        }
        expect(await namesIn(chunks)).toEqual(parts.flatMap(({ names }) => names));
      },
    ),
  );
});

test("an event is there as soon as its empty line is, also where lines end with \\r", async () => {
  let send: (text: string) => void = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      send = (text) => controller.enqueue(encode(text));
    },
  });
  const events = readEventNames(body, () => {});
  send("event: config\rdata: {}\r\r");
  expect(await events.next()).toEqual({ done: false, value: "config" });
  await events.return();
});

test("every chunk is a sign of life", async () => {
  let heard = 0;
  await namesIn([encode(":"), encode("\n"), encode("\n")], () => {
    heard += 1;
  });
  expect(heard).toBe(3);
});

test("a line without end breaks the stream off", async () => {
  const chunk = encode("x".repeat(1 << 19));
  await expect(namesIn([chunk, chunk, chunk])).rejects.toThrow("no end");
});
