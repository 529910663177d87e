import { expect, it } from "vitest";
import { csvObjects } from "./csv-objects.ts";

async function rows(text: string, size: number, most?: number): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const row of csvObjects(pieces(text, size), most)) found.push(row);
  return found;
}

async function* pieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

const FILE = 'id,input,name\r\na,"{""q"": ""one,\ntwo""}",first\r\n\r\nb,,"second ""2"""\r\n';

it.each([1, 2, 7, 1000])("reads rows of CSV from chunks of %i characters", async (size) => {
  expect(await rows(FILE, size)).toEqual([
    { id: "a", input: '{"q": "one,\ntwo"}', name: "first" },
    { id: "b", name: 'second "2"' },
  ]);
});

it.each([
  ["a,b\n1\n", "has 1 cells in row 2, and 2 columns."],
  ['a\n"open\n', "has no closing one"],
])("says what is wrong with %j", async (text, reason) => {
  await expect(rows(text, 1000)).rejects.toThrow(reason);
});

it("refuses a row that never ends, and takes any number of rows that do", async () => {
  const text = 'a\n"12345678"\n"12345678"\n';
  expect(await rows(text, 1, 10)).toHaveLength(2);
  await expect(rows(text, 1, 9)).rejects.toThrow("has a row of more than 9 characters: is a quote");
});
