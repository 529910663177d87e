import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AddressWriter } from "./address-writer.ts";
import type { Workspace } from "./workspace.ts";
import { readLink, type WorkspaceLink } from "./workspace-link.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

function typed(text: string): Workspace {
  return {
    columns: [{ id: 1, source: { kind: "defaults" }, draft: null, origin: null }],
    cases: [{ id: 1, name: "Case 1", draft: { mode: "json", text } }],
  };
}

function recorder() {
  const put: { readonly link: WorkspaceLink; readonly isNewEntry: boolean }[] = [];
  const kept: WorkspaceLink[] = [];
  let tooLong = 0;
  const writer = new AddressWriter({
    put: (link, isNewEntry) => void put.push({ link, isNewEntry }),
    keep: (link) => void kept.push(link),
    onTooLong: () => {
      tooLong += 1;
    },
  });
  writer.open();
  const texts = () =>
    Promise.all(
      put.map(async ({ link, isNewEntry }) => {
        const { cases } = await readLink(link.configs, link.fragment);
        const draft = cases?.[0]?.draft;
        return [draft?.mode === "json" ? draft.text : null, isNewEntry] as const;
      }),
    );
  return { writer, kept, texts, tooLong: () => tooLong };
}

test("What is typed is written once the typing pauses, over the same entry", async () => {
  const { writer, texts } = recorder();
  writer.write(typed("a"), false);
  writer.write(typed("ab"), false);
  vi.runAllTimers();
  await writer.flush();
  expect(await texts()).toEqual([["ab", false]]);
});

test("Before a step, the entry that is left gets what was typed last", async () => {
  const { writer, texts } = recorder();
  writer.write(typed("before"), false);
  writer.write(typed("after"), true);
  await writer.flush();
  expect(await texts()).toEqual([
    ["before", false],
    ["after", true],
  ]);
});

test("Once the page is left the address is no longer touched, but what was typed is kept", async () => {
  const { writer, kept, texts } = recorder();
  writer.write(typed("last words"), false);
  writer.close();
  await writer.flush();
  expect(await texts()).toEqual([]);
  expect(kept).toHaveLength(1);
});

test("What was typed does not end up in the entry that the reader has gone back to", async () => {
  const { writer, texts } = recorder();
  writer.write(typed("late"), false);
  writer.forget();
  vi.runAllTimers();
  await writer.flush();
  expect(await texts()).toEqual([]);
});

test("Cases that no address can hold are left out of it, kept in the browser, and said", async () => {
  const { writer, kept, texts, tooLong } = recorder();
  const noise = Array.from({ length: 400_000 }, () => Math.random().toString(36)).join("");
  writer.write(typed(noise), true);
  await writer.flush();
  expect(await texts()).toEqual([[null, true]]);
  expect(tooLong()).toBe(1);
  expect(kept[0]?.fragment.length).toBeGreaterThan(500_000);
});
