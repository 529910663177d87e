import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ReceivedEvent, readEvents } from "./read-events.ts";

/** A body that comes in pieces of the given sizes, in turn. */
function inPieces(text: string, sizes: readonly number[]): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  let turn = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      const size = sizes[turn++ % sizes.length]!;
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
}

async function read(text: string, sizes: readonly number[] = [1_000]): Promise<ReceivedEvent[]> {
  const events: ReceivedEvent[] = [];
  for await (const event of readEvents(inPieces(text, sizes))) events.push(event);
  return events;
}

describe("readEvents", () => {
  it.each<[string, string, ReceivedEvent[]]>([
    ["a named event", "event: chunk\ndata: 1\n\n", [{ event: "chunk", data: "1" }]],
    ["one without a name", "data: 1\n\n", [{ event: "message", data: "1" }]],
    ["several lines of data", "data: a\ndata: b\n\n", [{ event: "message", data: "a\nb" }]],
    ["no space after the colon", "data:a\n\n", [{ event: "message", data: "a" }]],
    ["only one space taken off", "data:  a\n\n", [{ event: "message", data: " a" }]],
    ["a field without a colon", "data\n\n", [{ event: "message", data: "" }]],
    ["comments", ": ping\n\ndata: a\n: more\n\n", [{ event: "message", data: "a" }]],
    ["an event without data", "event: chunk\n\ndata: a\n\n", [{ event: "message", data: "a" }]],
    ["fields of no interest", "id: 1\nretry: 5\ndata: a\n\n", [{ event: "message", data: "a" }]],
    ["an event that breaks off", "data: a\n\ndata: b\n", [{ event: "message", data: "a" }]],
    ["a byte order mark", "\uFEFFdata: a\n\n", [{ event: "message", data: "a" }]],
    [
      "carriage returns",
      "event: x\rdata: a\r\rdata: b\r\r\n",
      [
        { event: "x", data: "a" },
        { event: "message", data: "b" },
      ],
    ],
    ["both line breaks", "event: x\r\ndata: a\r\n\r\n", [{ event: "x", data: "a" }]],
  ])("reads %s", async (_what, text, events) => {
    expect(await read(text)).toEqual(events);
    expect(await read(text, [1])).toEqual(events);
  });

  it("reads the same events however the body is cut", async () => {
    const line = fc.constantFrom("data: é€😀", "data: a", "event: chunk", ": no", "", "", "data:");
    const end = fc.constantFrom("\n", "\r\n");
    await fc.assert(
      fc.asyncProperty(
        fc.array(line),
        end,
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 }),
        async (lines, lineEnd, sizes) => {
          const text = lines.map((each) => each + lineEnd).join("");
          expect(await read(text, sizes)).toEqual(await read(text));
        },
      ),
    );
  });

  it("ends the body when its reader leaves", async () => {
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode("data: a\n\n")),
      cancel: () => {
        cancelled = true;
      },
    });
    for await (const _event of readEvents(endless)) break;
    expect(cancelled).toBe(true);
  });

  it("throws what the body throws", async () => {
    const broken = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error("the line went dead")),
    });
    await expect(readEvents(broken).next()).rejects.toThrow("the line went dead");
  });

  it("gives an event as soon as its empty line is there, also where lines end with \\r", async () => {
    let send: (text: string) => void = () => {};
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        send = (text) => controller.enqueue(new TextEncoder().encode(text));
      },
    });
    const events = readEvents(body);
    send("event: config\rdata: {}\r\r");
    expect(await events.next()).toEqual({ done: false, value: { event: "config", data: "{}" } });
    await events.return();
  });

  it("tells of every sign of life, and breaks off at a line without end", async () => {
    let heard = 0;
    const options = { heard: () => heard++, longestLine: 10 };
    for await (const _event of readEvents(inPieces(":\n\n", [1]), options));
    expect(heard).toBe(3);
    const endless = readEvents(inPieces("x".repeat(30), [4]), options);
    await expect(endless.next()).rejects.toThrow("no end");
  });
});
