import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { packJson, unpackJson } from "./packed-json.ts";

describe("A packed value", () => {
  test("comes out as it went in, whatever it is", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        expect(await unpackJson(await packJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("has only characters that stand in an address as they are", async () => {
    const packed = await packJson({ text: "ÿþ".repeat(500), list: [1, null, "#?&="] });
    expect(packed).toMatch(/^[\w-]+$/);
  });

  test("is shorter than what it holds", async () => {
    const text = "Summarize the text in one paragraph. ".repeat(100);
    expect((await packJson(text)).length).toBeLessThan(text.length / 10);
  });

  test.each(["", "%%%", "abc", "AAAA"])("is refused where it is none: %j", async (text) => {
    await expect(unpackJson(text)).rejects.toThrow();
  });

  test("that was cut off is refused", async () => {
    const packed = await packJson({ text: "A text that is long enough to be cut." });
    await expect(unpackJson(packed.slice(0, -8))).rejects.toThrow();
  });

  test("that would unpack to far more than a link holds is refused", async () => {
    const bomb = await packJson("a".repeat(9 * 1024 * 1024));
    await expect(unpackJson(bomb)).rejects.toThrow(/too large/);
  });
});
