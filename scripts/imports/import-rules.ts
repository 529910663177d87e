import { WEB_RULES } from "./web-import-rules.ts";

/** A part of a package: a folder of its `src/`, or a file beside the folders. */
export interface Part {
  /** What the part is for, as the diagrams in ARCHITECTURE.md show it. */
  readonly about: string;
  /** The parts of the same package and the packages of this repository that it imports. */
  readonly imports?: readonly string[];
  /** Parts from which it imports types alone. */
  readonly types?: readonly string[];
  /** Whether it imports Node's own modules, where the rest of its package does not. */
  readonly node?: true;
}

export interface PackageRules {
  /** Packages of npm that any part imports. */
  readonly npm: readonly string[];
  /** Whether every part may import Node's own modules. Without it, the package runs anywhere. */
  readonly node?: true;
  readonly parts: Readonly<Record<string, Part>>;
}

/**
 * Which part of the product imports which. An import that is not listed here is an error, and so is
 * an edge that no import uses: see check-imports.ts. Tests may import anything.
 */
export const IMPORT_RULES: Readonly<Record<string, PackageRules>> = {
  protocol: {
    npm: ["eventsource-parser", "zod"],
    parts: {
      ".": {
        about: "span record, error body, session, attribute names",
        imports: ["evaluations", "registry", "testsets"],
      },
      registry: { about: "applications, variants, revisions, environments", imports: ["."] },
      client: { about: "requests, error bodies, server-sent events, reconnecting", imports: ["."] },
      format: { about: "durations, money, times" },
      preview: { about: "recorded values on one line" },
      evaluations: {
        about: "runs and their results",
        imports: [".", "format", "registry", "statistics", "testsets"],
      },
      statistics: { about: "intervals and verdicts of evaluations" },
      testsets: { about: "rows of test sets, from JSONL and CSV", imports: ["."] },
    },
  },

  spans: {
    npm: [],
    parts: {
      ".": { about: "index.ts, the decoded span", imports: ["dialects", "pricing", "record"] },
      record: {
        about: "a span becomes a record",
        imports: [".", "dialects", "pricing", "span-tree", "@agate/protocol"],
      },
      dialects: { about: "attribute names of other tools", imports: [".", "@agate/protocol"] },
      pricing: { about: "tokens become money", imports: ["@agate/protocol"] },
      redaction: { about: "rules that hide content", imports: [".", "@agate/protocol"] },
      search: { about: "the words that a span is found by" },
      "span-tree": { about: "records become a tree", imports: ["@agate/protocol"] },
    },
  },

  platform: {
    npm: [
      "@clickhouse/client",
      "hono",
      "kysely",
      "modern-tar",
      "pg",
      "pg-copy-streams",
      "pino",
      "pino-pretty",
      "zod",
    ],
    node: true,
    parts: {
      "start-platform.ts": {
        about: "the composition root",
        imports: [
          "access",
          "backup",
          "deployments",
          "evaluations",
          "ingest",
          "registry",
          "server",
          "stores",
          "variables",
          "version.ts",
          "@agate/protocol",
        ],
      },
      "create-key-offline.ts": {
        about: "the first key, in a stopped server's folder",
        imports: ["access", "registry", "stores", "@agate/protocol"],
      },
      entries: {
        about: "what the command line imports",
        imports: [
          "backup",
          "create-key-offline.ts",
          "deployments",
          "evaluations",
          "registry",
          "registry-copy",
          "server",
          "store-copy",
          "stores",
        ],
      },
      server: {
        about: "HTTP: routes, errors, OpenAPI, log",
        imports: [
          "access",
          "backup",
          "deployments",
          "evaluations",
          "ingest",
          "registry",
          "stores",
          "threads",
          "traces",
          "version.ts",
          "@agate/protocol",
          "@agate/protocol/preview",
          "@agate/protocol/testsets",
          "@agate/protocol/schemas",
          "@agate/spans/redaction",
        ],
      },
      ingest: {
        about: "OTLP in: decode, redact, map, append",
        imports: [
          "stores",
          "threads",
          "@agate/protocol",
          "@agate/spans",
          "@agate/spans/prices",
          "@agate/spans/redaction",
        ],
      },
      traces: { about: "pages of lists, time buckets, ids", imports: ["stores"] },
      access: {
        about: "keys, sessions, projects, permissions",
        imports: ["stores", "@agate/protocol"],
      },
      deployments: {
        about: "builds, their processes, the gateway",
        imports: [
          "evaluations",
          "registry",
          "stores",
          "threads",
          "coalesced-task.ts",
          "@agate/protocol",
          "@agate/protocol/schemas",
          "@agate/spans/redaction",
        ],
      },
      registry: {
        about: "variants, revisions, environments",
        imports: [
          "stores",
          "variables",
          "@agate/protocol",
          "@agate/protocol/testsets",
          "@agate/protocol/evaluations",
          "@agate/protocol/evaluator",
          "@agate/protocol/statistics",
          "@agate/spans/redaction",
        ],
      },
      variables: { about: "keys that seal secrets" },
      backup: {
        about: "a data directory as one file",
        imports: ["stores", "threads", "version.ts", "@agate/protocol"],
      },
      "store-copy": { about: "spans from one store to another", imports: ["stores"] },
      "registry-copy": {
        about: "a registry from one database to another",
        imports: ["deployments", "stores", "@agate/protocol"],
      },
      stores: {
        about: "SpanStore on SQLite, PostgreSQL, ClickHouse; the registry's tables",
        imports: [
          "coalesced-task.ts",
          "threads",
          "@agate/protocol",
          "@agate/protocol/preview",
          "@agate/spans",
          "@agate/spans/search",
          "@agate/spans/tree",
        ],
      },
      evaluations: {
        about: "runs of evaluations: items, overloads, verdicts",
        imports: [
          "registry",
          "stores",
          "@agate/protocol",
          "@agate/protocol/evaluator",
          "@agate/protocol/testsets",
          "@agate/spans/redaction",
        ],
      },
      threads: { about: "starting threads and talking to them" },
      "coalesced-task.ts": { about: "one run for many requests" },
      "version.ts": { about: "the version of the platform" },
    },
  },

  cli: {
    npm: ["commander", "esbuild", "yaml"],
    node: true,
    parts: {
      commands: {
        about: "the commands of agate",
        imports: [
          "api-client",
          "dev",
          "evaluating",
          "importing",
          "packing",
          "project-template",
          "terminal",
          "@agate/platform",
          "@agate/platform/build-archive",
          "@agate/platform/offline",
          "@agate/platform/options",
          "@agate/platform/version",
          "@agate/protocol",
          "@agate/protocol/format",
          "@agate/protocol/client",
        ],
      },
      dev: {
        about: "agate dev: reload on save",
        imports: [
          "packing",
          "terminal",
          "@agate/platform",
          "@agate/platform/dev",
          "@agate/platform/options",
          "@agate/protocol",
          "@agate/protocol/format",
        ],
      },
      evaluating: {
        about: "agate eval: runs and reports",
        imports: [
          "api-client",
          "dev",
          "packing",
          "terminal",
          "@agate/platform/evaluations",
          "@agate/platform/fetched-builds",
          "@agate/protocol",
          "@agate/protocol/evaluations",
          "@agate/protocol/evaluator",
          "@agate/protocol/format",
          "@agate/protocol/statistics",
          "@agate/protocol/testsets",
        ],
      },
      importing: {
        about: "agate import: exports of other products",
        imports: [
          "api-client",
          "@agate/protocol",
          "@agate/protocol/client",
          "@agate/protocol/testsets",
        ],
      },
      packing: {
        about: "a program becomes a build",
        // The runner is imported by the code that packing writes around a program.
        imports: ["terminal", "@agate/protocol", "@agate/sdk/runner"],
      },
      "project-template": { about: "what agate init writes", imports: ["@agate/platform/version"] },
      "api-client": {
        about: "requests to a platform",
        imports: ["@agate/protocol", "@agate/protocol/client"],
      },
      terminal: { about: "tables, colours, prompts", imports: ["@agate/protocol/format"] },
    },
  },

  sdk: {
    npm: [
      "@opentelemetry/api",
      "@opentelemetry/core",
      "@opentelemetry/sdk-trace",
      "@standard-schema/spec",
    ],
    parts: {
      "index.ts": {
        about: "the public names",
        imports: [
          "app",
          "client",
          "config",
          "config-source",
          "context",
          "routes",
          "server",
          "tracing",
          "@agate/protocol",
        ],
      },
      app: {
        about: "puts an app together",
        imports: [
          "#serve",
          "config",
          "config-source",
          "context",
          "routes",
          "runtime",
          "server",
          "tracing",
        ],
      },
      server: {
        about: "one call: read, check, run, answer",
        imports: [
          "config",
          "config-source",
          "context",
          "routes",
          "runtime",
          "tracing",
          "version.ts",
          "@agate/protocol",
          "@agate/protocol/json-fault",
        ],
      },
      routes: {
        about: "declarations, direct calls",
        imports: ["config", "config-source", "context", "runtime", "tracing", "@agate/protocol"],
      },
      "config-source": {
        about: "configuration from the registry, a file, ConfigManager",
        imports: [
          "config",
          "context",
          "runtime",
          "@agate/protocol",
          "@agate/protocol/client",
          "@agate/protocol/json-fault",
        ],
      },
      tracing: {
        about: "spans, redaction, export",
        imports: [
          "context",
          "runtime",
          "version.ts",
          "@agate/protocol",
          "@agate/spans",
          "@agate/spans/content",
          "@agate/spans/prices",
          "@agate/spans/redaction",
        ],
      },
      context: { about: "state of the running call", imports: ["runtime"] },
      config: { about: "BaseModel and zod, one description", imports: ["@agate/protocol"] },
      runtime: { about: "differences between runtimes", imports: ["@agate/protocol"] },
      client: {
        about: "typed calls to a deployed app",
        imports: ["runtime", "@agate/protocol/client"],
        types: ["app", "config", "routes", "@agate/protocol"],
      },
      evals: {
        about: "scorers and evaluations of routes",
        imports: ["config", "runtime", "tracing", "@agate/protocol"],
        types: ["app", "client", "routes"],
      },
      node: {
        about: "ag.serve on Node",
        imports: ["runtime", "server"],
        types: ["app"],
        node: true,
      },
      elsewhere: { about: "ag.serve on other runtimes" },
      evaluator: {
        about: "calls and scores for the run of an evaluation",
        imports: [
          "#serve",
          "app",
          "config",
          "context",
          "evals",
          "runtime",
          "server",
          "tracing",
          "@agate/protocol",
          "@agate/protocol/evaluator",
        ],
      },
      runner: { about: "serves a module, for agate", imports: ["app", "evaluator", "runtime"] },
      assets: { about: "the list of models" },
      vite: { about: "decorators in Vite and Vitest", imports: ["esbuild"] },
      "version.ts": { about: "the version of the SDK" },
    },
  },

  web: WEB_RULES,
};
