import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { watchUnpackedReads } from "./dev-builds.ts";

it("tells of each file that package.json does not include, as it is now", () => {
  const folder = mkdtempSync(join(tmpdir(), "agate-reads-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const told: string[] = [];
  const onRead = watchUnpackedReads(folder, (file) => told.push(file));
  const settings = (text: string) => writeFileSync(join(folder, "package.json"), text);
  onRead("without-package.json.txt");
  settings('{"agate": {"include": ["prompts", "data/*.csv"]}}');
  for (const file of ["prompts/a/b.md", "data/a.csv", "data/a.txt", "data/a.txt"]) onRead(file);
  settings('{"agate": {"include": ["data"]}}');
  onRead("data/b.txt");
  // A read that was included is told once it is no longer.
  onRead("prompts/a/b.md");
  settings('{"agate": {"include": ["dat');
  onRead("data/c.txt");
  expect(told).toEqual(["without-package.json.txt", "data/a.txt", "prompts/a/b.md", "data/c.txt"]);
});
