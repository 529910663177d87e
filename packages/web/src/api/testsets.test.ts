import { expect, it } from "vitest";
import { addSpans } from "./testsets.ts";

it("adds recorded calls in requests of the size that the platform takes", async () => {
  const sizes: number[] = [];
  const client = {
    send: async (_method: string, _path: string, { spans }: { spans: readonly unknown[] }) => {
      sizes.push(spans.length);
      // One of each request is there already.
      return { added: spans.length - 1 };
    },
  } as unknown as Parameters<typeof addSpans>[0];
  const call = { trace_id: "1", span_id: "2", with_output: false };
  const add = (count: number) => addSpans(client, "golden", Array(count).fill(call));
  expect([await add(0), await add(100), await add(101)]).toEqual([0, 99, 99]);
  expect(sizes).toEqual([100, 100, 1]);
});
