import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { filesIn } from "./data-directory.ts";
import { openIndex } from "./span-index-file.ts";
import { openSqliteStore } from "./sqlite-store.ts";
import { TextDocuments } from "./text-documents.ts";

const directory = mkdtempSync(join(tmpdir(), "agate-text-documents-"));
let index: DatabaseSync;
beforeAll(async () => {
  await (await openSqliteStore({ directory })).close();
  index = openIndex(filesIn(directory).index);
});
afterAll(async () => {
  index.close();
  await rm(directory, { recursive: true });
});

const ODD = "odd";

it("refuses the texts of one span, and writes those of the others", () => {
  const documents = new TextDocuments(index, (text) => {
    if (text === ODD) throw new RangeError("Maximum call stack size exceeded");
    return text;
  });
  documents.add(1, ["before"]);
  expect(() => documents.add(1, ["shared", ODD])).toThrow(RangeError);
  // Sent again, it is as odd as before.
  expect(() => documents.add(1, ["shared", ODD])).toThrow(RangeError);
  documents.add(1, ["shared"]);
  documents.add(2, ["after"]);
  documents.write();
  const matches = index.prepare("SELECT rowid FROM trace_words WHERE trace_words MATCH ?");
  const found = ["before", "shared", "after", ODD].map((word) => matches.all(word).length);
  expect(found).toEqual([1, 1, 1, 0]);
});
