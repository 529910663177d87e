import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { codeBlocks } from "../code-blocks.ts";
import { post } from "../opentelemetry/post.ts";
import { startCountingPlatform } from "./counting-platform.ts";
import { findRuntime, startRuntime } from "./start-runtime.ts";

const blocks = codeBlocks("docs/reference/runtimes.md");
const program = blocks.find(({ info }) => info === "ts")!;
const settings = blocks.find(({ info }) => info === "toml")!;

it.skipIf(findRuntime("workerd") === undefined)(
  "the worker of the documentation runs",
  async () => {
    const compatibilityDate = /compatibility_date = "(.+)"/.exec(settings.code)![1]!;
    const compatibilityFlags = JSON.parse(/compatibility_flags = (.+)/.exec(settings.code)![1]!);
    const application = /AGATE_APPLICATION = "(.+)"/.exec(settings.code)![1]!;
    await using platform = await startCountingPlatform(() => ({ status: 200, milliseconds: 0 }));
    // Inside the repository, where `@agate/sdk` is found.
    const folder = await mkdtemp(join(import.meta.dirname, "../.guide-worker-"));
    try {
      const entry = join(folder, "worker.ts");
      await writeFile(entry, program.code);
      await using worker = await startRuntime("workerd", {
        baseUrl: platform.url,
        application,
        worker: { entry, compatibilityDate, compatibilityFlags },
      });
      for (const path of ["run/greet", "playground/run/greet"]) {
        const { status, body } = await post(`${worker.url}/${path}`, { inputs: { name: "Ada" } });
        expect([status, body.data]).toEqual([200, "Hello, Ada!"]);
      }
      await expect.poll(() => platform.accepted.size).toBe(2);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
