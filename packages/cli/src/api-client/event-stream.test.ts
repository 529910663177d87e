import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StreamedEvent } from "./event-stream.ts";
import { readEvents } from "./event-stream.ts";

async function eventsOf(pieces: readonly Uint8Array[]): Promise<StreamedEvent[]> {
  const body = ReadableStream.from(pieces);
  const events: StreamedEvent[] = [];
  for await (const event of readEvents(new Response(body), "http://127.0.0.1")) events.push(event);
  return events;
}

const text = (stream: string) => [new TextEncoder().encode(stream)];

describe("an event stream", () => {
  it("has names, data of several lines, and comments that say nothing", async () => {
    const stream =
      ": hello\nretry: 5\n\nevent: step\ndata: {\ndata: }\n\ndata:bare\n\nevent: empty\n\n";
    expect(await eventsOf(text(stream))).toEqual([
      { event: "step", data: "{\n}" },
      { event: "message", data: "bare" },
    ]);
  });

  it("leaves out an event that it ends in the middle of", async () => {
    expect(await eventsOf(text("data: 1\n\ndata: 2\n"))).toEqual([{ event: "message", data: "1" }]);
  });

  it("is the same however it is cut into pieces and whichever line ends it has", async () => {
    const line = fc.string({ unit: "grapheme" }).map((value) => value.replaceAll(/[\r\n]/g, ""));
    const event = fc.record({ event: line, data: fc.array(line, { minLength: 1, maxLength: 3 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(event),
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
        async (events, end, sizes) => {
          const stream = events
            .map(({ event: name, data }) =>
              [`event: ${name}`, ...data.map((one) => `data: ${one}`), "", ""].join(end),
            )
            .join("");
          const bytes = new TextEncoder().encode(stream);
          const pieces: Uint8Array[] = [];
          for (let at = 0, turn = 0; at < bytes.length; turn++) {
            const size = sizes[turn % sizes.length] ?? 1;
            pieces.push(bytes.subarray(at, at + size));
            at += size;
          }
          expect(await eventsOf(pieces)).toEqual(
            events.map(({ event: name, data }) => ({
              event: name || "message",
              data: data.join("\n"),
            })),
          );
        },
      ),
    );
  });
});
