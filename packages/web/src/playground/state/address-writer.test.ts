import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AddressWriter } from "./address-writer.ts";
import type { Workspace } from "./workspace.ts";
import { type PlainLink, readLink, readPlain, type WorkspaceLink } from "./workspace-link.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

function typed(text: string): Workspace {
  return {
    columns: [{ id: 1, source: { kind: "defaults" }, draft: null, origin: null }],
    cases: [{ id: 1, name: "Case 1", draft: { mode: "json", text } }],
  };
}

type Link = WorkspaceLink | PlainLink;

async function textOf(link: Link | null): Promise<string | null> {
  if (link === null) return null;
  const { cases } =
    "fragment" in link ? await readLink(link.configs, link.fragment) : readPlain(link);
  const draft = cases?.[0]?.draft;
  return draft?.mode === "json" ? draft.text : null;
}

/** A history of entries, each with what its address has and what is kept for it; one is at the last. */
function recorder() {
  const addresses: (WorkspaceLink | null)[] = [null];
  const kept: (Link | null)[] = [null];
  const tooLong: boolean[] = [];
  let isElsewhere = false;
  const last = () => addresses.length - 1;
  const writer = new AddressWriter({
    push: () => {
      addresses.push(null);
      kept.push(null);
    },
    put: (link) => {
      if (!isElsewhere) addresses[last()] = link;
      return !isElsewhere;
    },
    keep: (link) => {
      kept[last()] = link;
    },
    onTooLong: (isTooLong) => {
      tooLong.push(isTooLong);
    },
  });
  return {
    writer,
    addresses: () => Promise.all(addresses.map(textOf)),
    kept: () => Promise.all(kept.map(textOf)),
    elsewhere: (now: boolean) => {
      isElsewhere = now;
    },
    tooLong,
  };
}

test("What is typed is written once the typing pauses, over the same entry", async () => {
  const { writer, addresses, kept } = recorder();
  writer.write(typed("a"), false);
  writer.write(typed("ab"), false);
  vi.runAllTimers();
  await writer.flush();
  expect(await addresses()).toEqual(["ab"]);
  expect(await kept()).toEqual(["ab"]);
});

test("What is typed while the address is being written is not lost under what was there before", async () => {
  const { writer, addresses } = recorder();
  writer.write(typed("a"), false);
  const first = writer.flush();
  await Promise.resolve();
  writer.write(typed("ab"), false);
  await first;
  expect(await addresses()).toEqual([null]);
  await writer.flush();
  expect(await addresses()).toEqual(["ab"]);
});

test("A step has its entry at once; what was typed before it stays with the entry that is left", async () => {
  const { writer, addresses, kept } = recorder();
  writer.write(typed("before"), false);
  writer.write(typed("after"), true);
  expect(await kept()).toEqual(["before", null]);
  await writer.flush();
  expect(await kept()).toEqual(["before", "after"]);
  expect(await addresses()).toEqual([null, "after"]);
});

test("What was typed just before the reader leaves is kept, and written into no other entry", async () => {
  const { writer, addresses, kept } = recorder();
  writer.write(typed("last words"), false);
  const writing = writer.flush();
  writer.leave();
  expect(await kept()).toEqual(["last words"]);
  vi.runAllTimers();
  await writing;
  expect(await addresses()).toEqual([null]);
});

test("A reader who only seemed to leave goes on", async () => {
  const { writer, addresses, kept } = recorder();
  writer.write(typed("words"), false);
  writer.save();
  expect(await kept()).toEqual(["words"]);
  writer.write(typed("more words"), false);
  await writer.flush();
  expect(await addresses()).toEqual(["more words"]);
  expect(await kept()).toEqual(["more words"]);
});

test("While the reader is at another entry nothing is written; it is when they are back", async () => {
  const { writer, addresses, elsewhere } = recorder();
  elsewhere(true);
  writer.write(typed("words"), false);
  await writer.flush();
  expect(await addresses()).toEqual([null]);
  elsewhere(false);
  vi.runAllTimers();
  await writer.flush();
  expect(await addresses()).toEqual(["words"]);
});

test("Cases that no address can hold are left out of it, kept in the browser, and said", async () => {
  const { writer, addresses, kept, tooLong } = recorder();
  const noise = Array.from({ length: 80_000 }, () => Math.random().toString(36)).join("");
  writer.write(typed(noise), false);
  expect(await writer.flush()).toEqual({ isTooLong: true });
  expect(await addresses()).toEqual([null]);
  expect(await kept()).toEqual([noise]);
  writer.write(typed(`${noise} and more`), false);
  await writer.flush();
  writer.write(typed("words"), false);
  expect(await writer.flush()).toEqual({ isTooLong: false });
  // Once while it is too long, and once when it fits again.
  expect(tooLong).toEqual([true, false]);
});
