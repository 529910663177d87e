import { expect, it } from "vitest";
import { readLines } from "./read-body.ts";

async function linesOf(...chunks: readonly string[]): Promise<string[]> {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });
  const lines: string[] = [];
  for await (const line of readLines(body)) lines.push(line);
  return lines;
}

it("reads lines however they are cut, without empty ones", async () => {
  expect(await linesOf('{"a":', "1}", '\n\n{"b":2}\n{"c"', ":3}\n")).toEqual([
    '{"a":1}',
    '{"b":2}',
    '{"c":3}',
  ]);
});

it("leaves out a last line that was cut off", async () => {
  expect(await linesOf("one\ntw", "o")).toEqual(["one"]);
});
