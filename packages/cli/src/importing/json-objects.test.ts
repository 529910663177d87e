import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonObjects } from "./json-objects.ts";

async function cut(...chunks: string[]): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const text of jsonObjects(asStream(chunks))) found.push(JSON.parse(text));
  return found;
}

async function* asStream(chunks: readonly string[]): AsyncGenerator<string> {
  yield* chunks;
}

describe("the objects in a stream of JSON", () => {
  it("are the items of a list or the lines of JSONL, wherever the chunks end", async () => {
    const object = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ maxDepth: 3 }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(object, { maxLength: 4 }),
        fc.constantFrom("list", "indented", "lines"),
        fc.integer({ min: 1, max: 9 }),
        async (objects, form, size) => {
          const text =
            form === "lines"
              ? objects.map((each) => `${JSON.stringify(each)}\n`).join("")
              : JSON.stringify(objects, null, form === "indented" ? 2 : 0);
          const chunks: string[] = [];
          for (let at = 0; at < text.length; at += size) chunks.push(text.slice(at, at + size));
          expect(JSON.stringify(await cut(...chunks))).toBe(JSON.stringify(objects));
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([
    ['{"a":1', "ends inside of object 1"],
    ['[{"a":1}', "ends inside of its list"],
    ["[1]", 'is not JSON objects: "1"'],
    ['[{"a":1}] {}', 'is not JSON objects: "{"'],
    ['{"a":1}]', 'is not JSON objects: "]"'],
  ])("are not in %s", async (text, reason) => {
    await expect(cut(text)).rejects.toThrow(reason);
  });

  it("are limited in size", async () => {
    const chunks = () => asStream(['{"a":', '"12"', "}"]);
    const read = async (most: number) => {
      for await (const _text of jsonObjects(chunks(), most)) return true;
      return false;
    };
    expect(await read(9)).toBe(true);
    await expect(read(8)).rejects.toThrow("has an object of more than 8 characters (number 1)");
  });
});
