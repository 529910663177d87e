import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { lowerDecorators } from "./scripts/lower-decorators.ts";

// Threads and programs of tests are TypeScript, loaded by Node itself hundreds of times: what it has
// stripped and compiled once, it keeps. Whoever sets the variable to a folder of their own has that.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/compiled");

export default defineConfig({
  plugins: [lowerDecorators()],
  test: {
    // Processes, not threads: the server under test starts worker threads of its own.
    pool: "forks",
    // All cores: most tests wait for processes of their own. Vitest would leave one idle.
    maxWorkers: "100%",
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Not the second that is usual: the other core's tests, or others on the machine, may need it.
    expect: { poll: { timeout: 15_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["packages/*/src/**/*.test.ts", "scripts/**/*.test.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["e2e/**/*.test.ts"],
          // These run the built product, so it is built first.
          globalSetup: "e2e/build-product.ts",
        },
      },
    ],
  },
});
