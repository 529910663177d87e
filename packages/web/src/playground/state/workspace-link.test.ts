import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbitraryWorkspace } from "./arbitrary-workspace.fixture.ts";
import type { Workspace } from "./workspace.ts";
import {
  packJson,
  readLink,
  readPlain,
  unpackJson,
  writeLink,
  writePlain,
} from "./workspace-link.ts";

const plain: Workspace = {
  columns: [
    {
      id: 1,
      source: { kind: "revision", variant: "default", revision: 3 },
      draft: { base: { variant: "default", revision: 3 }, changes: { tone: "formal" } },
      origin: null,
    },
    {
      id: 2,
      source: { kind: "environment", environment: "production" },
      draft: null,
      origin: null,
    },
  ],
  cases: [{ id: 1, name: "Case 1", draft: { mode: "json", text: "{}" } }],
};

describe("A link", () => {
  test("brings back every column, edit and case", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryWorkspace, async (workspace) => {
        const { configs, fragment } = await writeLink(workspace);
        expect(await readLink(configs, fragment)).toEqual({ ...workspace, isUnreadable: false });
        expect(readPlain(writePlain(workspace))).toEqual({ ...workspace, isUnreadable: false });
      }),
    );
  });

  test("names its configurations for people", async () => {
    expect((await writeLink(plain)).configs).toBe("default@3,env:production");
  });

  test("without a fragment has columns as they are committed, and leaves the cases open", async () => {
    const { columns, cases, isUnreadable } = await readLink("default,env:staging", "");
    expect(columns?.map(({ source, draft }) => ({ source, draft }))).toEqual([
      { source: { kind: "variant", variant: "default" }, draft: null },
      { source: { kind: "environment", environment: "staging" }, draft: null },
    ]);
    expect({ cases, isUnreadable }).toEqual({ cases: null, isUnreadable: false });
  });

  test("keeps each edit with its column when one of the names cannot be read", async () => {
    const { fragment } = await writeLink({ ...plain, columns: [...plain.columns].reverse() });
    const { columns } = await readLink("What?,default@3", fragment);
    expect(columns).toEqual([plain.columns[0]]);
  });

  test.each([
    ["of another version", () => "2.abc"],
    ["that was cut off", (fragment: string) => fragment.slice(0, -10)],
    ["of something else", () => "section-3"],
    ["with markup in it", () => "1.<script>"],
  ])("%s is reported as unreadable, and keeps its columns", async (_what, spoil) => {
    const { configs, fragment } = await writeLink(plain);
    const read = await readLink(configs, spoil(fragment));
    expect(read.isUnreadable).toBe(true);
    expect(read.columns?.map(({ source }) => source)).toEqual(
      plain.columns.map(({ source }) => source),
    );
  });

  test.each([
    ["nothing", null],
    ["a list", []],
    ["columns that are none", { columns: [1], cases: [] }],
    ["a draft of nothing", { columns: [{ id: 1, base: "env:x", changes: {} }], cases: [] }],
    [
      "inputs that no form takes",
      { columns: [], cases: [{ id: 1, name: "A", draft: { mode: "form", fields: { a: 1 } } }] },
    ],
    [
      "two cases of one number",
      {
        columns: [],
        cases: [1, 1].map((id) => ({ id, name: "A", draft: { mode: "json", text: "" } })),
      },
    ],
  ])("that holds %s is not taken", async (_what, packed) => {
    const read = await readLink("default@3", `1.${await packJson(packed)}`);
    expect(read).toMatchObject({ isUnreadable: true, cases: null });
  });
});

describe("A packed value", () => {
  test("is unpacked to the same value", async () => {
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
