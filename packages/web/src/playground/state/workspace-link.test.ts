import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbitraryWorkspace } from "./arbitrary-workspace.fixture.ts";
import { packJson } from "./packed-json.ts";
import type { Workspace } from "./workspace.ts";
import { readLink, readPlain, writeLink, writePlain } from "./workspace-link.ts";

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
  ])("%s says so, and still has its columns", async (_what, spoil) => {
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
