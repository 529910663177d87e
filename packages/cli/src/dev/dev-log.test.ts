import type { LogLine } from "@agate/protocol";
import { expect, it } from "vitest";
import { DevLog } from "./dev-log.ts";

function openLog() {
  const lines: (LogLine & { readonly application: string })[] = [];
  return { lines, log: new DevLog((application, line) => lines.push({ application, ...line })) };
}

it("keeps lines until the application is known, with the times when they were printed", () => {
  const { lines, log } = openLog();
  log.add("stderr", "loading");
  const before = new Date().toISOString();
  expect(lines).toEqual([]);
  log.openFor("app_1");
  log.add("stdout", "hello");
  expect(lines).toMatchObject([
    {
      application: "app_1",
      build: 0,
      environment: "development",
      stream: "stderr",
      line: "loading",
    },
    { application: "app_1", build: 0, environment: "development", stream: "stdout", line: "hello" },
  ]);
  expect(lines[0]?.time.localeCompare(before)).toBeLessThanOrEqual(0);
});

it.each([999, 1000, 1001])("keeps the last 1,000 of %i lines that wait", (count) => {
  const { lines, log } = openLog();
  for (let index = 0; index < count; index++) log.add("stdout", `line ${index}`);
  log.openFor("app_1");
  expect(lines).toHaveLength(Math.min(count, 1000));
  expect(lines.at(-1)?.line).toBe(`line ${count - 1}`);
});
