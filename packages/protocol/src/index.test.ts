import { expect, it, vi } from "vitest";

it("index.ts does not load zod, which the SDK and worker threads do without", async () => {
  vi.doMock("zod", () => {
    throw new Error("zod was loaded");
  });
  await expect(import("./schemas.ts")).rejects.toThrow();
  expect(await import("./index.ts")).toHaveProperty("AGATE_ATTRIBUTES");
});
