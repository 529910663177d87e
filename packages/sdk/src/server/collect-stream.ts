import type { ChunkList } from "../tracing/chunk-list.ts";
import { OutputError, outputText } from "./check-output.ts";
import type { ChunkSource } from "./chunk-source.ts";

/**
 * A whole stream for a client that does not read events, as JSON: its chunks as a list, or as one
 * string where all are strings. What is to be recorded of them is added to `recorded`.
 */
export async function collectStream(source: ChunkSource, recorded: ChunkList): Promise<string> {
  const texts: string[] = [];
  let areStrings = true;
  for (;;) {
    const step = await source.next();
    if (step.done) break;
    areStrings &&= typeof step.value === "string";
    texts.push(outputText(step.value, "chunk"));
    recorded.add(step.value);
  }
  try {
    if (!areStrings || texts.length === 0) return `[${texts.join(",")}]`;
    return `"${texts.map((text) => text.slice(1, -1)).join("")}"`;
  } catch {
    // Strings have a longest length.
    const msg = 'The stream is too long for one answer. Read it with "accept: text/event-stream".';
    throw new OutputError([{ loc: ["output"], msg, type: "output_invalid" }]);
  }
}
