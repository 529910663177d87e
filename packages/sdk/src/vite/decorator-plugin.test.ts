import { SourceMap } from "node:module";
import { describe, expect, it } from "vitest";
import { agate } from "./decorator-plugin.ts";

const plugin = agate();
const MARK =
  "const mark = (value: unknown, context: { name: PropertyKey }) => void names.push(context.name);";

/** Runs what the plugin makes of a module, and gives what its decorators were told. */
async function run(code: string, id = "/project/app.js"): Promise<unknown> {
  const lowered = await plugin.transform(code, id);
  return new Function(`${lowered?.code}\nreturn names;`)();
}

describe("the plugin for Vite and Vitest", () => {
  it.each([
    ["on a line of its own", "class A {\n  @mark\n  static m() {}\n}"],
    ["before its method", "class A { @mark static m() {} }"],
    ["after a member", "class A { a = 1; @mark m() {} }"],
    ["after a comment", "class A { a() {} /* then */ @mark m() {} }"],
    ["with arguments", "class A { @((0, mark)) m() {} }"],
    ["behind another", "class A { @mark @mark m() {} }"],
  ])("lowers a decorator %s", async (_where, text) => {
    const names = await run(
      `const names = []; const mark = (_, { name }) => void names.push(name); ${text}`,
    );
    expect(new Set(names as string[])).toEqual(new Set(["m"]));
  });

  it.each(["ts", "mts", "cts", "tsx"])("takes the types out of .%s", async (extension) => {
    const code = `const names: PropertyKey[] = []; ${MARK} class A { @mark m(a: string): void {} }`;
    expect(await run(code, `/project/app.${extension}?v=1`)).toEqual(["m"]);
  });

  it("leaves JSX, and syntax that others lower, as it is", async () => {
    const code = "@mark class A { static x = <b>{a ?? b}</b>; y = await import('./c.ts'); }";
    const lowered = await plugin.transform(code, "/project/app.tsx");
    expect(lowered?.code).toContain("<b>");
    expect(lowered?.code).toContain("a ?? b");
    expect(lowered?.code).not.toContain("@mark");
  });

  it("keeps the names of classes and the lines of the source", async () => {
    const code =
      "class Desk {\n  @mark() static self() { return Desk; }\n}\nfunction mark() { return () => {}; }\n";
    const lowered = await plugin.transform(code, "/project/app.ts");
    expect(new Function(`${lowered?.code}; return Desk.self().name;`)()).toBe("Desk");
    const map = new SourceMap(JSON.parse(lowered?.map ?? ""));
    const lines = lowered?.code.split("\n") ?? [];
    const at = lines.findIndex((line) => line.includes("function mark()"));
    expect(map.findEntry(at, lines[at]?.indexOf("function") ?? 0)).toMatchObject({
      originalLine: 3,
      originalSource: expect.stringContaining("app.ts"),
    });
  });

  it.each([
    [
      "has none",
      'import * as ag from "@agate/sdk";\n/** @param text What. */\nexport const a = "@b";',
      "/a.ts",
    ],
    ["only looks as if", "const a = () => `\n@mark (text)`;\n// (@mark)", "/a.ts"],
    ["is an installed package's", "class A { @mark m() {} }", "/project/node_modules/other/a.ts"],
    ["is not JavaScript", "@media print {}", "/project/a.css"],
    ["is part of another file", "@mark class A {}", "/project/a.vue?vue&type=style&lang.css"],
  ])("leaves a module alone that %s", async (_what, code, id) => {
    expect(await plugin.transform(code, id)).toBeNull();
  });

  it("fails with the line of the source where it cannot be parsed", async () => {
    await expect(
      plugin.transform("class A {\n  @mark m(= {}\n}", "/project/app.ts"),
    ).rejects.toThrow("/project/app.ts:2:");
  });
});
