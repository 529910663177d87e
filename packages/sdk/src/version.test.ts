import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { SDK_VERSION } from "./version.ts";

it("is the package's", async () => {
  const text = await readFile(new URL("../package.json", import.meta.url), "utf8");
  expect(SDK_VERSION).toBe(JSON.parse(text).version);
});
