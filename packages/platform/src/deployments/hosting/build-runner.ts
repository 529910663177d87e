import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { BuildPermission } from "@agate/protocol";
import type { VariableValue } from "../../registry/variables-change.ts";
import type { BuildStore } from "../builds/build-store.ts";
import { Semaphore } from "../builds/concurrency.ts";
import type { InstallOutcome } from "../builds/modules-store.ts";
import type { BuildUsers } from "../processes/build-users.ts";
import type { ProcessGroups } from "../processes/process-groups.ts";
import type { BuildProgram } from "../processes/spawn-build.ts";
import type {
  BuildProcess,
  StartBuildProcess,
  StartFailure,
} from "../processes/start-build-process.ts";

export interface BuildRunnerOptions {
  readonly store: BuildStore;
  readonly start: StartBuildProcess;
  readonly groups: ProcessGroups;
  /** The users that restricted builds run as, asked when one starts; null: the platform's own. */
  readonly users: () => Promise<BuildUsers | null>;
  /** How long a build may take to answer. */
  readonly startMs: number;
  /** How many builds may be starting at the same time. */
  readonly mostStarts: number;
  /** The most that the heap of a process may hold. */
  readonly heapBytes: number;
  /** Names of the platform's variables that restricted builds inherit beside the usual. */
  readonly passEnv?: readonly string[];
}

/** A build to run, and its environment. */
export interface BuildRun {
  readonly build: RunnableBuild;
  /** For calls where nothing is said. For an evaluation, the program of its eval files is run, if it has one. */
  readonly purpose?: BuildProgram["purpose"];
  /** Null: it has the variables of none. */
  readonly environmentId: string | null;
  readonly environment: Readonly<Record<string, string>>;
  /** The variables of its environment, for its process. */
  readonly variables?: readonly VariableValue[];
  /** Applies the project's redaction rules to a line of output. */
  readonly redactLine: (line: string) => string;
  readonly onLine: (line: string, stream: "stdout" | "stderr") => void;
  readonly signal: AbortSignal;
}

/** A build with a record in the registry, and its permissions. */
export interface RunnableBuild {
  readonly id: string;
  readonly applicationId: string;
  /** As in its record: null runs it without restrictions. */
  readonly allow: readonly BuildPermission[] | null;
  /** As in its record: null where it was not recorded. */
  readonly manifest_sha256: string | null;
}

/** A build whose files and packages are on disk. */
export interface PreparedBuild {
  readonly kind: "prepared";
  readonly folder: string;
  /** Its program, relative to the folder. */
  readonly entry: string;
  /** The program of its eval files, likewise; null where it has none. */
  readonly evals: string | null;
  /** The version of the SDK that it was packed with. */
  readonly sdkVersion: string;
  /** Where its packages are installed; null where it has none. */
  readonly modules: string | null;
}

/** Starts processes of stored builds, and installs their packages if they are missing. */
export class BuildRunner {
  readonly #options: BuildRunnerOptions;
  /** Twenty builds that start at once on two processors would all miss their deadline. */
  readonly #starts: Semaphore;
  /** A separate limit: a slow download must not delay builds whose packages are on disk. */
  readonly #fetches: Semaphore;

  constructor(options: BuildRunnerOptions) {
    this.#options = options;
    this.#starts = new Semaphore(options.mostStarts);
    this.#fetches = new Semaphore(options.mostStarts);
  }

  async start(run: BuildRun): Promise<BuildProcess | StartFailure> {
    const { build, purpose, environmentId, environment, variables = [], ...options } = run;
    const { start, groups, startMs: timeoutMs, heapBytes, passEnv = [] } = this.#options;
    // An abort does not stop the installation: the next start of the same packages finds them.
    const prepared = await unlessAborted(this.prepare(build), options.signal);
    if (prepared.kind === "failed") return prepared;
    const { folder, modules } = prepared;
    const lacking = purpose === "evaluation" ? await evaluatorProblem(prepared) : undefined;
    if (lacking !== undefined) return failed(lacking);
    const entry = purpose === "evaluation" ? (prepared.evals ?? prepared.entry) : prepared.entry;
    const { allow, applicationId } = build;
    const users = await this.#usersOf(build);
    const user =
      environmentId === null
        ? users?.ofApplication(applicationId)
        : users?.ofEnvironment(applicationId, environmentId);
    const readable = modules === null ? [] : [modules];
    const restrictions = allow && { allow, readable, user: user ?? null, passEnv };
    const { dataFolder } = this.#options.store;
    const program = {
      folder,
      entry,
      purpose,
      dataFolder,
      environment,
      variables,
      heapBytes,
      restrictions,
    };
    const started = await this.#starts.run(() => start(program, { ...options, timeoutMs, groups }));
    if (started.kind === "failed") await this.#options.store.distrustModules(build.id);
    return started;
  }

  /** Puts the files and packages of a build on disk, so that its start is quick. */
  async prepare(build: RunnableBuild): Promise<PreparedBuild | StartFailure> {
    const isHere = await this.#options.store.isHere(build.id);
    return isHere ? this.#prepare(build) : this.#fetches.run(() => this.#prepare(build));
  }

  /** Installs the packages of a build whose files are on disk. */
  async install(build: RunnableBuild): Promise<InstallOutcome> {
    const { allow } = build;
    // An install script is a child process and usually compiles an addon: for a build with neither
    // permission it would bypass both.
    const runsScripts =
      allow === null || allow.includes("addons") || allow.includes("child-process");
    const users = await this.#usersOf(build);
    const user = users?.ofApplication(build.applicationId) ?? null;
    return this.#options.store.install(build.id, { runsScripts, user });
  }

  /** The users that a build and its install scripts run as; null: the platform's own. */
  async #usersOf({ allow }: RunnableBuild): Promise<BuildUsers | null> {
    return allow === null ? null : this.#options.users();
  }

  async #prepare(build: RunnableBuild): Promise<PreparedBuild | StartFailure> {
    const { store } = this.#options;
    const { id } = build;
    const damaged = await store.repair(id, build.manifest_sha256);
    if (damaged !== undefined) return failed(damagedReason(damaged));
    const manifest = await store.manifestOf(id);
    if (manifest === undefined) {
      return failed("Its files are no longer in the data directory: deploy it again.");
    }
    if (manifest.install !== null) {
      const install = await this.install(build);
      if (install.kind === "failed") {
        return failed(`Its packages could not be installed: ${install.reason}`, install.log);
      }
    }
    const modules = (await store.modulesOf(id)) ?? null;
    const { entry, evals = null, sdk_version: sdkVersion } = manifest;
    return { kind: "prepared", folder: store.folderOf(id), entry, evals, sdkVersion, modules };
  }
}

/** The first version of the SDK whose programs can be evaluators. */
const EVALUATORS_SINCE = "0.1.0";

/**
 * Why a build cannot be an evaluator; undefined where it can. A program of an earlier SDK does not know the
 * socket of an evaluator, and would be waited for until it has taken too long.
 */
export async function evaluatorProblem({
  folder,
  entry,
  evals,
  sdkVersion,
}: PreparedBuild): Promise<string | undefined> {
  // The SDK is in the program: packing puts it there.
  const program = await readFile(join(folder, evals ?? entry), "utf8");
  if (program.includes("AGATE_EVALUATOR_SOCKET")) return undefined;
  return `It was packed with @agate/sdk ${sdkVersion}, which cannot run evaluations. Update @agate/sdk to ${EVALUATORS_SINCE} or later, and deploy the code again.`;
}

/** Waits for work without stopping it. @throws the signal's reason when it fires first. */
async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(signal.reason);
  if (signal.aborted) giveUp();
  signal.addEventListener("abort", giveUp);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

/** Why a build with a damaged file cannot run, and what to do. */
export function damagedReason(file: string): string {
  return `Its file ${file} is damaged: it differs from the deployed one, and there is no other copy. Deploy the build again, or restore the data directory from a backup.`;
}

export function failed(reason: string, log: readonly string[] = []): StartFailure {
  return { kind: "failed", cause: "ended", reason, log };
}

/** Prepares builds, and waits at most this long. Failures are reported when the builds start. */
export async function prepareBuilds(
  runner: Pick<BuildRunner, "prepare">,
  builds: readonly RunnableBuild[],
  timeoutMs: number,
): Promise<void> {
  const over = new AbortController();
  const prepared = Promise.allSettled(builds.map((build) => runner.prepare(build)));
  const timeout = delay(timeoutMs, undefined, { signal: over.signal }).catch(() => {});
  await Promise.race([prepared, timeout]);
  over.abort();
}
