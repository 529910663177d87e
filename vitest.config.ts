import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/*/src/**/*.test.ts", "e2e/**/*.test.ts", "scripts/**/*.test.ts"],
    // Processes, not threads: the server under test starts worker threads of its own.
    pool: "forks",
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
