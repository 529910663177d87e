import { defineConfig } from "vitest/config";
import { lowerDecorators } from "./scripts/lower-decorators.ts";

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
