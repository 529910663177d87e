import { expect, it } from "vitest";
import { startServer } from "../running-server.ts";
import { filesOf, plantedIn, REPLACEMENT, sayPlanted } from "./planted-values.ts";

// PostgreSQL and ClickHouse: redaction-in-databases.long.test.ts.
it("stores nothing of what the rules name: not in files, answers, searches, live events or the log", async () => {
  await using server = await startServer();
  for (const told of await sayPlanted(server)) expect(plantedIn(told)).toEqual([]);
  const files = filesOf(server.dataDirectory);
  expect(files.some(({ bytes }) => bytes.includes(REPLACEMENT))).toBe(true);
  for (const { name, bytes } of files) expect(plantedIn(bytes), name).toEqual([]);
});
