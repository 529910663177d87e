import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { agate } from "./packages/sdk/src/vite/decorator-plugin.ts";

process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/compiled");

/** `npm run test:long`: fault campaigns and seeded comparisons that take minutes. */
export default defineConfig({
  plugins: [agate()],
  test: {
    pool: "forks",
    // Few at a time: many campaigns load all cores, and more of them wait for timers and restarts.
    maxWorkers: 2,
    testTimeout: 600_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    include: ["packages/*/src/**/*.long.test.ts", "e2e/**/*.long.test.ts"],
    globalSetup: [
      "packages/platform/src/stores/testing/shared-databases-setup.fixture.ts",
      "e2e/build-product.ts",
      "e2e/web/shared-browser-setup.fixture.ts",
    ],
  },
});
