import { join } from "node:path";
import type { Logger } from "pino";
import type { Registry } from "../registry/registry.ts";
import type { VariableValues } from "../registry/variables-change.ts";
import type { SharedBuilds } from "../stores/registry/shared-builds.ts";
import { BuildStore } from "./builds/build-store.ts";
import { diskReason } from "./builds/disk-reason.ts";
import { ModulesStore } from "./builds/modules-store.ts";
import type { RunningDeployer } from "./deployer.ts";
import { BuildEvaluators } from "./evaluators/build-evaluators.ts";
import type { BuildKey, KeyedBuild } from "./hosting/build-keys.ts";
import { BuildRunner, prepareBuilds } from "./hosting/build-runner.ts";
import { DeployOperations } from "./hosting/deploy.ts";
import { EnvironmentHosts } from "./hosting/host.ts";
import { DeployLock, InterruptedDeployMonitor } from "./hosting/lock.ts";
import { RefusalRecords } from "./hosting/refusal.ts";
import type { DelayedBuild } from "./hosting/replicas.ts";
import { BuildReconciler, describeDelay } from "./hosting/replicas.ts";
import { ServerReporter } from "./hosting/server-reporter.ts";
import { Sweeper } from "./hosting/sweep.ts";
import { BuildLogs } from "./processes/build-log.ts";
import { ProjectRedactors } from "./processes/build-output.ts";
import { PRELOAD_FILES } from "./processes/build-restrictions.ts";
import type { BuildUsers, UserRange } from "./processes/build-users.ts";
import { openBuildUsers } from "./processes/build-users.ts";
import { sweepProcessFolders } from "./processes/process-folders.ts";
import { ProcessGroups } from "./processes/process-groups.ts";
import { ProcessRoom } from "./processes/process-room.ts";
import { DEFAULT_MEMORY_BYTES, WATCH_LIMITS } from "./processes/process-watch.ts";
import type { StartBuildProcess } from "./processes/start-build-process.ts";
import { startBuildProcess } from "./processes/start-build-process.ts";
import type { SupervisionEvent } from "./processes/supervision-events.ts";
import { describeSupervision } from "./processes/supervision-events.ts";
import type { SupervisorLimits } from "./processes/supervisor.ts";
import { CLOSING } from "./processes/supervisor.ts";
import type { HostedEnvironment, Services } from "./services.ts";

export interface DeployerOptions {
  readonly registry: Registry;
  /** Where running builds are registered, for the gateway. */
  readonly services: Services;
  /** State shared with other replicas; null without any. */
  readonly shared: SharedBuilds | null;
  readonly dataDirectory: string;
  /** Of all files of a build together. */
  readonly mostUnpackedBytes: number;
  /** Creates the key that a build calls the platform with. */
  readonly issueKey: (environment: HostedEnvironment, build: KeyedBuild) => BuildKey;
  /** Creates the key that an evaluator calls the platform with. */
  readonly issueEvaluatorKey: (project: string, name: string) => BuildKey;
  /** The users that builds run as when the platform is root; null: its own. */
  readonly buildUsers: UserRange | null;
  /** Names of the platform's variables that builds inherit beside the usual. */
  readonly passEnv?: readonly string[];
  /** Told the variables that a process of an environment is about to be started with. */
  readonly onVariables?: (project: string, environmentId: string, values: VariableValues) => void;
  /** The current redaction rules of a project, as JSON; null for none. */
  readonly redactionOf: (project: string) => string | null;
  readonly processes?: Partial<ProcessOptions> | undefined;
  readonly log: Logger;
  readonly start?: StartBuildProcess;
  readonly limits?: Partial<DeployerLimits>;
}

/** How processes of builds are run. */
export interface ProcessOptions {
  /** How many processes each live build has. */
  readonly perBuild: number;
  /** How many processes of builds the server runs, all together. */
  readonly most: number;
  /** A process that does not answer its health checks is killed this long after the first miss. */
  readonly blockedMs: number;
  /** The size of a process beyond which it is replaced, and which its heap cannot exceed. */
  readonly memoryBytes: number;
  /** How long an environment other than the default one goes without a call until it sleeps; null: it never does. */
  readonly sleepMs: number | null;
}

/** How long an environment is not called until its processes end. */
const SLEEP_MS = 15 * 60_000;

export interface DeployerLimits extends SupervisorLimits {
  /** How long npm may take. */
  readonly installMs: number;
  /** How long a build may take to answer. */
  readonly startMs: number;
  /** How long a replica waits for the files and packages of live builds before it listens. */
  readonly prepareMs: number;
  /** How often a replica checks whether another one died during a deploy. */
  readonly watchMs: number;
  /** How many builds may start, and how many deploys run, at the same time. */
  readonly mostAtATime: number;
}

const LIMITS = {
  installMs: 10 * 60_000,
  startMs: 30_000,
  prepareMs: 60_000,
  watchMs: 3_000,
  mostAtATime: 4,
} as const satisfies Partial<DeployerLimits>;

/**
 * Creates the deployer of a platform.
 *
 * @example
 * const deployer = createDeployer({ registry, services, dataDirectory, … });
 * await deployer.recover();
 * // … listen …
 * deployer.open("http://127.0.0.1:4100");
 */
export function createDeployer(options: DeployerOptions): RunningDeployer {
  const { registry, services, shared, dataDirectory, issueKey, log } = options;
  const { installMs, startMs, prepareMs, watchMs, mostAtATime, ...limits } = {
    ...LIMITS,
    ...supervisionOf(options.processes),
    ...options.limits,
  };
  const stopping = new AbortController();
  const { signal } = stopping;
  const baseUrl = Promise.withResolvers<string>();
  const onError = (err: unknown) => log.error({ err }, "A background task of deployments failed.");
  const { store, runner } = createRunner(options, { installMs, startMs, mostAtATime }, signal);
  const logs = new BuildLogs(join(dataDirectory, "logs"));
  const redactors = new ProjectRedactors(options.redactionOf);
  const redactLine = (project: string, line: string) => redactors.of(project).text(line);
  const room = new ProcessRoom(options.processes?.most);
  const hosts = new EnvironmentHosts({
    redactLine,
    services,
    runner,
    baseUrl: baseUrl.promise,
    issueKey,
    variablesOf: ({ id }) => registry.variables.values(id),
    onVariables: ({ id, project }, values) => options.onVariables?.(project, id, values),
    logOf: (applicationId) => logs.of(applicationId),
    onEvent: (environment, event) => {
      logSupervision(log, environment, event);
      reporter.update();
    },
    onReleased: () => reporter.update(),
    limits,
    sleepMs: options.processes?.sleepMs === undefined ? SLEEP_MS : options.processes.sleepMs,
    room,
  });
  const evaluators = new BuildEvaluators({
    registry,
    runner,
    store,
    baseUrl: baseUrl.promise,
    issueKey: options.issueEvaluatorKey,
    logOf: (applicationId) => logs.of(applicationId),
    redactLine,
    onVariables: (project, id, values) => options.onVariables?.(project, id, values),
    room,
    signal,
  });
  const reporter = new ServerReporter({
    reports: registry.reports,
    current: () => hosts.reports,
    onError: (err) => log.warn({ err }, "What this server runs could not be written yet."),
  });
  const serving = () => [...hosts.builds.map(({ id }) => id), ...evaluators.builds];
  const sweeper = new Sweeper({ registry, store, logs, serving, onError });
  const refusals = new RefusalRecords(registry.builds, onError);
  const deployLock = new DeployLock({ builds: registry.builds, shared, most: mostAtATime, signal });
  const deploys = new DeployOperations({
    registry,
    store,
    logs,
    runner,
    hosts,
    sweeper,
    refusals,
    deployLock,
    archives: shared?.archives ?? null,
    signal,
    onError,
  });
  const reconciler = new BuildReconciler({
    signals: registry.signals,
    builds: registry.builds,
    hosts,
    deployLock,
    signal,
    onSwitched: () => sweeper.sweepSoon(),
    onDelayed: (delayed) => {
      const { environment, build } = delayed.wanted;
      logs.of(environment.application.id).add({
        build: build.number,
        environment: environment.slug,
        stream: "platform",
        line: describeDelay(delayed),
      });
      logDelay(log, delayed);
    },
    onError,
  });
  const onInterrupted = (builds: readonly string[]) =>
    log.warn({ builds }, "Deploys were interrupted.");
  let hasStarted = false;
  const monitor = new InterruptedDeployMonitor({
    deployLock,
    everyMs: watchMs,
    onInterrupted,
    onError,
  });
  const ended = Promise.withResolvers<void>();
  return {
    closing: signal,
    evaluators,
    buildsEnded: ended.promise,
    deploy: (request, progress) => deploys.deploy(request, progress),
    change: (ref, request, progress) => deploys.change(ref, request, progress),
    takeDown: (ref, environment) => deploys.takeDown(ref, environment),
    changeVariables: (ref, environment, change, by) =>
      deploys.changeVariables(ref, environment, change, by),
    isStarting() {
      hasStarted ||= !hosts.isStarting;
      return !hasStarted;
    },
    archive: (buildId) => store.archiveOf(buildId),
    logs: (applicationId, request) => logs.of(applicationId).read(request),

    addLine: (applicationId, line) => logs.of(applicationId).add(line),

    async recover() {
      const interrupted = await deployLock.refuseInterrupted().catch((error) => {
        const reason = diskReason(error);
        if (reason === undefined) throw error;
        // A full disk must not keep the platform from serving its live builds.
        log.error({ reason }, "Interrupted deploys could not be recorded.");
        return [];
      });
      if (interrupted.length > 0) onInterrupted(interrupted);
      // Without other replicas, no deploy can be interrupted while this process runs.
      if (shared !== null) monitor.start();
      await reconciler.start();
      // Other replicas serve meanwhile: this one must not get calls before it can answer them.
      if (shared !== null) await prepareBuilds(runner, hosts.builds, prepareMs);
    },

    open(url) {
      baseUrl.resolve(url);
      hosts.wake();
      reporter.start();
      sweeper.sweepSoon();
      sweepProcessFolders(options.buildUsers).catch(onError);
    },

    catchUp: (applicationId) => reconciler.catchUp(applicationId),

    async close() {
      stopping.abort();
      refusals.close();
      reconciler.close();
      const monitorClosed = monitor.close();
      await deployLock.idle();
      await sweeper.idle();
      const { requests } = hosts;
      if (requests > 0) {
        log.info({ requests }, `Builds may finish their calls, for ${CLOSING.drainMs / 1000} s.`);
      }
      await Promise.all([hosts.close(), evaluators.close()]);
      ended.resolve();
      await logs.close();
      // Last: an unresponsive database delays them.
      await Promise.all([monitorClosed, reporter.close()]);
    },
  };
}

function supervisionOf({
  perBuild = 1,
  blockedMs = WATCH_LIMITS.blockedMs,
  memoryBytes = DEFAULT_MEMORY_BYTES,
}: Partial<ProcessOptions> = {}): Pick<SupervisorLimits, "processes" | "watch"> {
  return { processes: perBuild, watch: { ...WATCH_LIMITS, blockedMs, memoryBytes } };
}

/** The files of builds, and what starts processes of them. */
function createRunner(
  options: DeployerOptions,
  limits: Pick<DeployerLimits, "installMs" | "startMs" | "mostAtATime">,
  signal: AbortSignal,
): { readonly store: BuildStore; readonly runner: BuildRunner } {
  const { dataDirectory, mostUnpackedBytes, shared, log } = options;
  const groups = new ProcessGroups((err) =>
    log.error({ err }, "Builds may outlive a server that is killed: /bin/sh could not be started."),
  );
  const modules = new ModulesStore({
    folder: join(dataDirectory, "modules"),
    timeoutMs: limits.installMs,
    signal,
    groups,
    passEnv: options.passEnv ?? [],
  });
  const store = new BuildStore({
    folder: join(dataDirectory, "builds"),
    modules,
    mostUnpackedBytes,
    archives: shared?.archives ?? null,
  });
  let users: Promise<BuildUsers | null> | undefined;
  const runner = new BuildRunner({
    store,
    start: options.start ?? startBuildProcess,
    users: () => {
      users ??= openBuildUsers({
        range: options.buildUsers,
        dataDirectory,
        preloads: PRELOAD_FILES,
        onClosed: (folder) =>
          log.warn(
            { folder },
            "Builds run as the server's own user: other users cannot enter this folder.",
          ),
      });
      return users;
    },
    groups,
    startMs: limits.startMs,
    mostStarts: limits.mostAtATime,
    heapBytes: options.processes?.memoryBytes ?? DEFAULT_MEMORY_BYTES,
    passEnv: options.passEnv ?? [],
  });
  return { store, runner };
}

/** Writes an event of a build's process to the platform's own log; a crash as a warning. */
export function logSupervision(
  log: Logger,
  { application: { slug, id }, slug: environment }: HostedEnvironment,
  event: SupervisionEvent,
): void {
  const line = { application: slug, application_id: id, environment, build: event.build };
  const message = `A build: ${describeSupervision(event)}`;
  if (event.kind === "no-room") log.error(line, message);
  else if (event.kind === "crashed") log.warn({ ...line, output: event.log.slice(-5) }, message);
  else if (event.kind === "start-failed") {
    log.error({ ...line, output: event.failure.log.slice(-5) }, message);
  } else log.info(line, message);
}

/** Writes to the platform's own log that this replica still runs an outdated build. */
export function logDelay(log: Logger, delayed: DelayedBuild): void {
  const { environment, build } = delayed.wanted;
  const { application } = environment;
  const line = {
    application: application.slug,
    application_id: application.id,
    environment: environment.slug,
  };
  const output = delayed.failure.log.slice(-5);
  log.error({ ...line, build: build.number, output }, `A build: ${describeDelay(delayed)}`);
}
