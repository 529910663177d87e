import { availableParallelism } from "node:os";
import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { agate } from "./packages/sdk/src/vite/decorator-plugin.ts";

// Threads and programs of tests are TypeScript, loaded by Node itself hundreds of times: what it has
// stripped and compiled once, it keeps.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/compiled");

/**
 * Tests whose modules keep no state. Their files share a process, which loads their imports once: that is
 * half of their time. Not among them: tests of the SDK's default app, of declared evaluations and of
 * OpenTelemetry's globals, of which a process has one; ClickHouse's engine, which a process opens once; and
 * builds, whose processes end with the process of their test file.
 */
const SHARING = [
  "packages/{protocol,spans,web}/src/**/*.test.ts",
  "scripts/**/*.test.ts",
  "packages/cli/src/{api-client,commands,dev,evaluating,importing,packing,terminal}/**/*.test.ts",
  "packages/platform/src/*.test.ts",
  "packages/platform/src/{access,backup,evaluations,ingest,registry,registry-copy,server,store-copy,threads,traces,variables}/**/*.test.ts",
  "packages/platform/src/deployments/*.test.ts",
  "packages/platform/src/deployments/{builds,gateway,hosting}/**/!(prepare-fetched-build).test.ts",
  "packages/platform/src/deployments/processes/!(file-reads|process-folders|process-variables|start-build-process|supervisor).test.ts",
  "packages/platform/src/stores/*.test.ts",
  "packages/sdk/src/{assets,client,config,context,elsewhere,node,routes,runner,server,vite}/**/*.test.ts",
  "packages/sdk/src/{sdk-reference,version}.test.ts",
  "packages/sdk/src/app/!(default-app|hidden-values|unknown-options).test.ts",
  "packages/sdk/src/evals/!(evaluation|run-scorers).test.ts",
  "packages/sdk/src/evaluator/!(evaluator-app).test.ts",
  "packages/sdk/src/config-source/!(default-config-source|detached).test.ts",
  "packages/sdk/src/tracing/!(create-telemetry|default-telemetry|existing-setup|request-bound-exporter|secrets).test.ts",
  "packages/sdk/src/tracing/*/**/*.test.ts",
  "packages/platform/src/stores/!(clickhouse|same-answers)/**/*.test.ts",
  "packages/platform/src/stores/clickhouse/{filter-sql,words-text}.test.ts",
];

/** The same of the tests of the built product: those that neither load the SDK nor set up OpenTelemetry. */
const SHARING_E2E = [
  "e2e/{access,command-line,deployments,dev,durability,evaluating,hostile,init,kubernetes,model,opentelemetry,packing,registry,runtimes,secrets,web}/**/*.test.ts",
  "e2e/sdk-package/{core,readme}.test.ts",
  "e2e/!(scores).test.ts",
];

/** Fault campaigns that take minutes, which `npm run test:long` runs (vitest.long.config.ts). */
const LONG = "**/*.long.test.ts";

/**
 * A new clone has no durations, and runs large files first. Files that run a contract are a few lines long and
 * take longest: last of all, they would leave cores idle at the end.
 */
class ContractsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isContract = ({ moduleId }: TestSpecification) => CONTRACTS.test(moduleId);
    return [...sorted.filter(isContract), ...sorted.filter((file) => !isContract(file))];
  }
}

const CONTRACTS = /\/(sqlite-store|registry|read-api)\.test\.ts$/;

const E2E = {
  // These start servers, browsers and commands by the dozen.
  testTimeout: 120_000,
  // These run the built product, so it is built first.
  globalSetup: ["e2e/build-product.ts", "e2e/web/shared-browser-setup.fixture.ts"],
};

export default defineConfig({
  plugins: [agate()],
  test: {
    // Processes, not threads: the server under test starts worker threads of its own.
    pool: "forks",
    // More than cores: a third of the time of tests is waiting for processes, timers and pages, and each of
    // the files that share no process begins by starting one.
    maxWorkers: availableParallelism() * 2,
    sequence: { sequencer: ContractsFirst },
    // Generous: they only end tests that hang, and a busy machine is several times slower.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Not the second that is usual: the other core's tests, or others on the machine, may need it.
    expect: { poll: { timeout: 60_000 } },
    // One PostgreSQL and one ClickHouse for all, started when the first file asks for them.
    globalSetup: "packages/platform/src/stores/testing/shared-databases-setup.fixture.ts",
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["packages/*/src/**/*.test.ts", "scripts/**/*.test.ts"],
          exclude: [...configDefaults.exclude, LONG, ...SHARING],
        },
      },
      {
        extends: true,
        test: {
          name: "unit-sharing",
          include: SHARING,
          exclude: [...configDefaults.exclude, LONG],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          ...E2E,
          name: "e2e",
          include: ["e2e/**/*.test.ts"],
          exclude: [...configDefaults.exclude, LONG, ...SHARING_E2E],
        },
      },
      {
        extends: true,
        test: {
          ...E2E,
          name: "e2e-sharing",
          include: SHARING_E2E,
          exclude: [...configDefaults.exclude, LONG],
          isolate: false,
        },
      },
    ],
  },
});
