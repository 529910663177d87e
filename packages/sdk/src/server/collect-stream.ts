import { readStream, type StreamReading } from "./read-stream.ts";

/** A whole stream for a client that does not read events: its chunks as a list, or as one string. */
export async function collectStream(reading: StreamReading): Promise<unknown> {
  const chunks: unknown[] = [];
  for await (const chunk of readStream(reading)) chunks.push(chunk);
  const isText = chunks.length > 0 && chunks.every((chunk) => typeof chunk === "string");
  return isText ? chunks.join("") : chunks;
}
