import { join } from "node:path";
import type { Logger } from "pino";
import type { Registry } from "../registry/registry.ts";
import type { SharedBuilds } from "../stores/registry/shared-builds.ts";
import type { StartBuildProcess } from "./build-process.ts";
import { BuildStore } from "./builds/build-store.ts";
import { diskReason } from "./builds/disk-reason.ts";
import { ModulesStore } from "./builds/modules-store.ts";
import { RefusalRecords } from "./builds/refusal-records.ts";
import type { RunningDeployer } from "./deployer.ts";
import type { BuildKey } from "./hosting/application-host.ts";
import { BuildLogs } from "./hosting/build-logs.ts";
import { BuildRunner } from "./hosting/build-runner.ts";
import { describeDelay } from "./hosting/delayed-build.ts";
import { Deploys } from "./hosting/deploys.ts";
import { Hosting } from "./hosting/hosting.ts";
import { InterruptionWatch } from "./hosting/interruption-watch.ts";
import { LiveBuildFollower } from "./hosting/live-build-follower.ts";
import { logDelay, logSupervision } from "./hosting/log-supervision.ts";
import { openBuildUsers } from "./hosting/open-build-users.ts";
import { prepareBuilds } from "./hosting/prepare-builds.ts";
import { ProjectRedactors } from "./hosting/project-redactors.ts";
import { Sweeper } from "./hosting/sweeper.ts";
import { Turns } from "./hosting/turns.ts";
import type { BuildUsers, UserRange } from "./processes/build-users.ts";
import { ProcessGroups } from "./processes/process-groups.ts";
import { startBuildProcess } from "./processes/start-build-process.ts";
import type { SupervisorLimits } from "./processes/supervisor.ts";
import { sweepProcessFolders } from "./processes/sweep-process-folders.ts";
import type { NamedApplication, Services } from "./service-directory.ts";

export interface DeployerOptions {
  readonly registry: Registry;
  /** Told which service answers for which application. */
  readonly services: Services;
  /** What it shares with other replicas; null for a platform alone. */
  readonly shared: SharedBuilds | null;
  readonly dataDirectory: string;
  /** Of a build's files together. */
  readonly mostUnpackedBytes: number;
  /** Makes the key that an application's builds call the platform with. */
  readonly issueKey: (application: NamedApplication) => BuildKey;
  /** The users that builds run under where the platform is root; null: its own. */
  readonly buildUsers: UserRange | null;
  /** The redaction rules that a project has now, as JSON; null where it has none. */
  readonly redactionOf: (project: string) => string | null;
  readonly log: Logger;
  readonly start?: StartBuildProcess;
  readonly limits?: Partial<DeployerLimits>;
}

export interface DeployerLimits extends SupervisorLimits {
  /** How long npm may take. */
  readonly installMs: number;
  /** How long a build may take to answer. */
  readonly startMs: number;
  /** How long a replica waits for the files and packages of live builds before it listens. */
  readonly prepareMs: number;
  /** How often a replica looks whether another has ended in the middle of a deploy. */
  readonly watchMs: number;
  /** How many builds may be starting, and how many deploys under way, at the same time. */
  readonly mostAtATime: number;
}

const INSTALL_MS = 10 * 60_000;
const START_MS = 30_000;
const PREPARE_MS = 60_000;
const WATCH_MS = 3_000;
const MOST_AT_A_TIME = 4;

/**
 * What brings builds to life, and keeps them there.
 *
 * @example
 * const deployer = createDeployer({ registry, services, dataDirectory, … });
 * await deployer.recover();
 * // … listen …
 * deployer.open("http://127.0.0.1:4100");
 */
export function createDeployer(options: DeployerOptions): RunningDeployer {
  const { registry, services, shared, dataDirectory, mostUnpackedBytes, issueKey, log } = options;
  const { installMs, startMs, prepareMs, watchMs, mostAtATime, ...limits } = {
    installMs: INSTALL_MS,
    startMs: START_MS,
    prepareMs: PREPARE_MS,
    watchMs: WATCH_MS,
    mostAtATime: MOST_AT_A_TIME,
    ...options.limits,
  };
  const stopping = new AbortController();
  const { signal } = stopping;
  const baseUrl = Promise.withResolvers<string>();
  const groups = new ProcessGroups((err) =>
    log.error({ err }, "Builds may outlive a server that is killed: /bin/sh could not be started."),
  );
  const modules = new ModulesStore({
    folder: join(dataDirectory, "modules"),
    timeoutMs: installMs,
    signal,
    groups,
  });
  const store = new BuildStore({
    folder: join(dataDirectory, "builds"),
    modules,
    mostUnpackedBytes,
    archives: shared?.archives ?? null,
  });
  let users: Promise<BuildUsers | null> | undefined;
  const openUsers = () =>
    openBuildUsers({
      range: options.buildUsers,
      dataDirectory,
      onClosed: (folder) =>
        log.warn(
          { folder },
          "Builds run as the server's own user: other users cannot enter this folder.",
        ),
    });
  const logs = new BuildLogs(join(dataDirectory, "logs"));
  const onError = (err: unknown) => log.error({ err }, "A deployment could not be looked after.");
  const runner = new BuildRunner({
    store,
    start: options.start ?? startBuildProcess,
    users: () => {
      users ??= openUsers();
      return users;
    },
    groups,
    startMs,
    mostStarts: mostAtATime,
  });
  const redactors = new ProjectRedactors(options.redactionOf);
  const hosting = new Hosting({
    redactLine: (project, line) => redactors.of(project).text(line),
    services,
    runner,
    baseUrl: baseUrl.promise,
    issueKey,
    logOf: (applicationId) => logs.of(applicationId),
    onEvent: (application, event) => logSupervision(log, application, event),
    limits,
  });
  const serving = () => hosting.builds.map(({ id }) => id);
  const sweeper = new Sweeper({ registry, store, logs, serving, onError });
  const refusals = new RefusalRecords(registry.builds, onError);
  const turns = new Turns({ builds: registry.builds, shared, most: mostAtATime, signal });
  const deploys = new Deploys({
    registry,
    store,
    logs,
    hosting,
    sweeper,
    refusals,
    turns,
    archives: shared?.archives ?? null,
    signal,
    onError,
  });
  const follower = new LiveBuildFollower({
    signals: registry.signals,
    builds: registry.builds,
    hosting,
    turns,
    signal,
    onSwitched: () => sweeper.sweepSoon(),
    onDelayed: (delayed) => {
      const { application, build } = delayed.wanted;
      logs.of(application.id).add(build.number, "platform", describeDelay(delayed));
      logDelay(log, delayed);
    },
    onError,
  });
  const onInterrupted = (builds: readonly string[]) =>
    log.warn({ builds }, "Deploys were interrupted.");
  let hasStarted = false;
  const watch = new InterruptionWatch({ turns, everyMs: watchMs, onInterrupted, onError });
  return {
    closing: signal,
    deploy: (request, progress) => deploys.deploy(request, progress),
    activate: (ref, build, authorship, progress) =>
      deploys.activate(ref, build, authorship, progress),
    retire: (ref) => deploys.retire(ref),
    isStarting() {
      hasStarted ||= !hosting.isStarting;
      return !hasStarted;
    },
    logs: (applicationId, request) => logs.of(applicationId).read(request),

    addLine: (applicationId, { build, stream, line, time }) =>
      logs.of(applicationId).add(build, stream, line, time),

    async recover() {
      const interrupted = await turns.refuseInterrupted().catch((error) => {
        const reason = diskReason(error);
        if (reason === undefined) throw error;
        // A full disk is no reason not to serve what is there.
        log.error({ reason }, "Interrupted deploys could not be recorded.");
        return [];
      });
      if (interrupted.length > 0) onInterrupted(interrupted);
      // A platform alone is the only one that can be interrupted.
      if (shared !== null) watch.begin();
      await follower.begin();
      // Others serve meanwhile: calls must not come here before they can be answered.
      if (shared !== null) await prepareBuilds(runner, hosting.builds, prepareMs);
    },

    open(url) {
      baseUrl.resolve(url);
      hosting.wake();
      sweeper.sweepSoon();
      sweepProcessFolders(options.buildUsers).catch(onError);
    },

    catchUp: (applicationId) => follower.catchUp(applicationId),

    async close() {
      stopping.abort();
      refusals.close();
      follower.close();
      const watched = watch.close();
      await turns.idle();
      await sweeper.idle();
      await hosting.close();
      await logs.close();
      // Last: a database that has fallen silent keeps it waiting.
      await watched;
    },
  };
}
