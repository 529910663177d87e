import { rmSync } from "node:fs";
import { join } from "node:path";
import type { PlatformOptions } from "@agate/platform";
import { describeSupervision, type SupervisionEvent, Supervisor } from "@agate/platform/dev";
import type { LogOptions, OtlpGrpcAddress } from "@agate/platform/options";
import { DEFAULT_PROJECT_ID } from "@agate/protocol";
import type { BrokenCode } from "../packing/bundle-app.ts";
import type { Project } from "../packing/project.ts";
import { type FreshBundle, watchApp } from "../packing/watch-app.ts";
import { createBundleFolder } from "./bundle-folder.ts";
import { DevBuilds, watchUnpackedReads } from "./dev-builds.ts";
import { DevEvaluators } from "./dev-evaluators.ts";
import type { DevEvent } from "./dev-event.ts";
import { DevLog } from "./dev-log.ts";
import { DevWorkflow } from "./dev-workflow.ts";
import { readEnvFile, unsetIn, watchEnvFile } from "./env-file.ts";
import { nameApp, nameVariables } from "./name-app.ts";
import { DevRegistration } from "./register-app.ts";
import { isProbe } from "./served-calls.ts";
import { reportTypes, TypeChecker } from "./type-checker.ts";

export interface DevOptions {
  readonly project: Project;
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  /** Where OTLP over gRPC is taken. */
  readonly otlpGrpc: OtlpGrpcAddress;
  readonly dataDirectory: string;
  /** The application's slug; without it the one that the environment or the project says. */
  readonly application: string | undefined;
  /** Origins of pages that may call the workflow and send traces. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Whether types are checked in the background, where the project has TypeScript. */
  readonly checkTypes: boolean;
  /** Of the platform itself. */
  readonly log: LogOptions;
  readonly emit: (event: DevEvent) => void;
}

export interface Dev {
  /** Resolves with the reason if the platform cannot go on. Nothing that the user's code does is one. */
  readonly failed: Promise<Error>;
  /** Lets calls that are running finish, for a moment, and ends everything. */
  close(): Promise<void>;
}

export type DevOutcome =
  | { readonly kind: "running"; readonly dev: Dev }
  /** One sentence for the person who started it. */
  | { readonly kind: "refused"; readonly reason: string };

const MIB = 1024 ** 2;
const LIMITS = {
  body: 16 * MIB,
  decompressedBody: 64 * MIB,
  waiting: 256 * MIB,
  requestSpans: 50_000,
  traceSpans: 1_000_000,
  connections: 10_000,
  rate: 0,
};
/** Short, so that a hanging call delays neither a reload nor Ctrl-C. */
const DRAIN = { drainMs: 10_000, stopMs: 5_000 };
const CLOSING = { drainMs: 2_000, stopMs: 2_000 };

/** Runs the platform and a workflow that is reloaded when its files are saved. */
export async function startDev(options: DevOptions): Promise<DevOutcome> {
  const { project, emit } = options;
  const begun = performance.now();
  const application = nameApp(project, options.application, process.env);
  if (typeof application !== "string") return application;
  const names = nameVariables(application, options.application, process.env);

  const folder = createBundleFolder(project, "dev");
  if (typeof folder !== "string") return folder;

  await using parts = new AsyncDisposableStack();
  parts.defer(() => rmSync(folder, { recursive: true, force: true }));
  // The way `agate server` loads it, so that the platform stays in one file.
  const { startPlatform } = await import("@agate/platform");
  const served = Promise.withResolvers<{ readonly url: string; readonly key: string }>();
  let applicationId: string | undefined;
  const outcome = await startPlatform({
    ...platformOptions(options, application),
    evaluators: (ofBuilds) =>
      new DevEvaluators({
        project,
        folder: join(folder, "evals"),
        applicationId: () => applicationId,
        environment: async () => environmentOf(project, { names, ...(await served.promise) }),
        emit,
        ofBuilds,
      }),
  });
  if (outcome.kind === "refused") return outcome;
  const { platform } = outcome;
  parts.defer(() => platform.close());
  const { url, otlpGrpc } = platform;
  emit({
    event: "started",
    url,
    application,
    otlp_grpc: otlpGrpc.kind === "listening" ? otlpGrpc.server.url : null,
    ...(otlpGrpc.kind === "not-free" && { otlp_grpc_problem: otlpGrpc.reason }),
  });

  const devLog = new DevLog(platform.addLogLine);
  const supervisor = new Supervisor(
    { id: application, slug: application },
    (event) => {
      devLog.add("platform", describeSupervision(event));
      emitCrash(event, emit);
    },
    // Not watched: a program that waits at a breakpoint must not be replaced.
    { ...DRAIN, watch: null },
  );
  const registration = new DevRegistration({
    registry: platform.registry,
    services: platform.services,
    service: supervisor,
    project: DEFAULT_PROJECT_ID,
    application,
    emit,
    onRegistered: (id) => {
      applicationId = id;
      devLog.openFor(id);
    },
  });
  const failure = Promise.withResolvers<Error>();
  const onError = (error: unknown) => failure.resolve(error as Error);
  const key = platform.issueKey("agate dev");
  served.resolve({ url: platform.localUrl, key });
  const builds = new DevBuilds({
    project,
    folder,
    environment: () => environmentOf(project, { names, url: platform.localUrl, key }),
    onLine: (line, stream) => {
      devLog.add(stream, line);
      emit({ event: "output", stream, line });
    },
    onFileRead: watchUnpackedReads(project.folder, (file) => emit({ event: "not-packed", file })),
  });
  // Before the platform, which takes the last spans of what ends here.
  parts.defer(() => supervisor.close(CLOSING));
  const workflow = new DevWorkflow({
    builds,
    supervisor,
    onAnswering: (openapi) => registration.follow(openapi),
    emit,
    onError,
  });
  parts.defer(() => workflow.close());
  parts.use(watchEnvFile(project.folder, () => workflow.restart()));

  const types = new TypeChecker({
    folder: project.folder,
    cacheFolder: folder,
    onChecked: reportTypes(emit),
  });
  parts.defer(() => types.close());
  const onBuilt = options.checkTypes ? () => types.checkSoon() : undefined;
  const onOutcome = reloader(workflow, begun, emit);
  const watcher = await watchApp(project.entry, { onOutcome, onBuilt, onError, folder });
  if (watcher.kind === "refused") return watcher;
  parts.use(watcher);

  const started = parts.move();
  return {
    kind: "running",
    dev: {
      failed: Promise.race([platform.failed, failure.promise]),
      close: () => started.disposeAsync(),
    },
  };
}

function platformOptions(options: DevOptions, application: string): PlatformOptions {
  const { host, port, otlpGrpc, dataDirectory, corsOrigins, log, emit } = options;
  return {
    host,
    port,
    otlpGrpc,
    dataDirectory,
    retentionMs: null,
    pricesFile: null,
    requireKey: false,
    corsOrigins,
    log,
    limits: LIMITS,
    rootApplication: application,
    onCall: ({ method, path, status, isCancelled, ms, traceId }) => {
      if (isProbe(path)) return;
      const outcome = isCancelled ? ({ status, cancelled: true } as const) : { status };
      emit({ event: "call", method, path, ...outcome, ms, trace_id: traceId });
    },
  };
}

/** Starts each version that was built, and reports code that can't be built. */
function reloader(
  workflow: DevWorkflow,
  begun: number,
  emit: (event: DevEvent) => void,
): (built: FreshBundle | BrokenCode) => void {
  let isFirst = true;
  return (built) => {
    if (built.kind === "broken") {
      emit({ event: "broken", problems: built.problems, serving: workflow.isServing });
    } else {
      workflow.replaceBy(built.entry, isFirst ? begun : performance.now() - built.milliseconds);
    }
    isFirst = false;
  };
}

function emitCrash(event: SupervisionEvent, emit: (event: DevEvent) => void): void {
  if (event.kind === "crashed") {
    emit({ event: "crashed", reason: event.reason, restartMs: event.inMs });
  }
  if (event.kind === "start-failed") {
    emit({ event: "crashed", reason: event.failure.reason, restartMs: event.inMs });
  }
}

/** What the workflow finds in its environment, beside the developer's own. */
function environmentOf(
  { folder }: Project,
  given: {
    readonly names: Readonly<Record<string, string>>;
    readonly url: string;
    readonly key: string;
  },
): Record<string, string> {
  return {
    // What it prints goes to this terminal, which it cannot know.
    ...(process.stdout.hasColors?.() ? { FORCE_COLOR: "1" } : {}),
    ...unsetIn(process.env, readEnvFile(folder)),
    ...given.names,
    AGATE_ENVIRONMENT: "development",
    AGATE_BASE_URL: given.url,
    AGATE_API_KEY: given.key,
  };
}
