import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import type { Build, Environment } from "@agate/protocol";
import { EvaluatorClient } from "../../evaluations/evaluator-client.ts";
import type {
  DescribedEvaluations,
  EvaluatedBuild,
  EvaluatedFile,
  EvaluatorFailure,
  EvaluatorStart,
  Evaluators,
  RunningEvaluator,
} from "../../evaluations/evaluators.ts";
import type { ApplicationRef, Registry } from "../../registry/registry.ts";
import type { VariableValues } from "../../registry/variables-change.ts";
import type { BuildStore } from "../builds/build-store.ts";
import type { BuildKey } from "../hosting/build-keys.ts";
import type { BuildRunner } from "../hosting/build-runner.ts";
import { unreadableSecrets } from "../hosting/host.ts";
import type { BuildLog } from "../processes/build-log.ts";
import type { ProcessRoom } from "../processes/process-room.ts";
import type { BuildProcess, StartFailure } from "../processes/start-build-process.ts";

export interface BuildEvaluatorsOptions {
  readonly registry: Pick<Registry, "applications" | "builds" | "environments" | "variables">;
  readonly runner: Pick<BuildRunner, "start">;
  readonly store: Pick<BuildStore, "manifestOf" | "folderOf">;
  /** The platform's address for builds; known once it listens. */
  readonly baseUrl: Promise<string>;
  /** A key for the processes of one evaluator: it may send spans and read. */
  readonly issueKey: (project: string, name: string) => BuildKey;
  readonly logOf: (applicationId: string) => Pick<BuildLog, "add">;
  /** Applies the project's redaction rules to a line of output. */
  readonly redactLine: (project: string, line: string) => string;
  /** Told the variables that a process is about to be started with. */
  readonly onVariables: (project: string, environmentId: string, values: VariableValues) => void;
  /** Shared with the processes that serve calls. */
  readonly room: ProcessRoom;
  /** Fires when the platform stops. */
  readonly signal: AbortSignal;
  /** How long an evaluator may take to list its evaluations, in milliseconds. */
  readonly describeMs?: number;
}

/** Whose variables an evaluator gets that is started to be asked for its evaluations. */
const DESCRIBED_IN = "development";
export const DESCRIBE_MS = 30_000;
/** How long an evaluator may take to send its last spans. */
export const END_MS = 10_000;

/** Evaluator processes of deployed builds, started as processes that serve calls are. */
export class BuildEvaluators implements Evaluators {
  readonly #options: BuildEvaluatorsOptions;
  readonly #running = new Map<BuildProcess, string>();
  readonly #describing = new Map<string, Promise<DescribedEvaluations>>();

  constructor(options: BuildEvaluatorsOptions) {
    this.#options = options;
  }

  /** Ids of the builds that run here: their files must stay. */
  get builds(): readonly string[] {
    return [...this.#running.values()];
  }

  async newest({
    project,
    application,
  }: Pick<EvaluatedBuild, "project" | "application">): Promise<EvaluatedBuild | undefined> {
    const ref = { project, application: application.id };
    const found = await this.#options.registry.builds.newestWithEvals(ref);
    if (found.kind === "refused" || found.value === null) return undefined;
    const { id, number } = found.value;
    return { project, application, build: { id, number } };
  }

  describe(build: EvaluatedBuild): Promise<DescribedEvaluations> {
    const { id } = recorded(build);
    const underWay = this.#describing.get(id);
    if (underWay !== undefined) return underWay;
    const describing = this.#describe(build).finally(() => this.#describing.delete(id));
    this.#describing.set(id, describing);
    return describing;
  }

  async #describe(build: EvaluatedBuild): Promise<DescribedEvaluations> {
    const { builds, environments } = this.#options.registry;
    const { id } = recorded(build);
    const kept = await builds.evaluations(id);
    if (kept.kind === "none") return { kind: "described", evaluations: [] };
    if (kept.kind === "read") return { kind: "described", evaluations: kept.evaluations };
    const development = await environments.get(refOf(build), DESCRIBED_IN);
    const environment = development.kind === "done" ? development.value : null;
    const { signal, describeMs = DESCRIBE_MS } = this.#options;
    const started = await this.#start(build, environment, { signal, onLine: () => {} });
    if (started.kind === "failed") return started;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      void started.stop(0);
    }, describeMs);
    try {
      using client = new EvaluatorClient(started.socketPath);
      const evaluations = await client.evaluations();
      await builds.keepEvaluations(id, evaluations);
      return { kind: "described", evaluations };
    } catch (error) {
      return failed(
        isLate
          ? `It did not list its evaluations within ${describeMs / 1000} s.`
          : `Its evaluations could not be listed: ${(error as Error).message}`,
      );
    } finally {
      clearTimeout(timer);
      await started.stop(END_MS);
    }
  }

  async start(
    build: EvaluatedBuild,
    environment: string,
    options: EvaluatorStart,
  ): Promise<RunningEvaluator | EvaluatorFailure> {
    const found = await this.#options.registry.environments.get(refOf(build), environment);
    if (found.kind === "refused") return failed(found.problems[0].msg);
    const signal = AbortSignal.any([options.signal, this.#options.signal]);
    return this.#start(build, found.value, { ...options, signal });
  }

  /** @param environment Null: without variables. */
  async #start(
    evaluated: EvaluatedBuild,
    environment: Environment | null,
    options: EvaluatorStart,
  ): Promise<RunningEvaluator | EvaluatorFailure> {
    const { registry, room, issueKey } = this.#options;
    const ref = refOf(evaluated);
    const found = await registry.builds.get(ref, recorded(evaluated).id);
    if (found.kind === "refused") return failed(found.problems[0].msg);
    // It may have been renamed since the run began: the process asks for configurations by its slug.
    const owner = await registry.applications.get(ref);
    if (owner.kind === "refused") return failed(owner.problems[0].msg);
    const build = found.value;
    if (build.kind !== "hosted") {
      return failed(`Build ${build.number} runs elsewhere: the platform does not have its code.`);
    }
    const variables = environment && (await registry.variables.values(environment.id));
    if (variables !== null && variables.unreadable.length > 0) {
      return failed(unreadableSecrets(variables.unreadable).reason);
    }
    const claim = room.claim(1);
    if (claim === undefined) return { ...failed(room.refusal(1)), cause: "no-room" };
    const { project } = evaluated;
    const application = owner.value;
    const key = issueKey(project, `evaluator of ${application.slug}`);
    const release = () => {
      claim.release();
      key.revoke();
    };
    try {
      const started = await this.#startProcess({ project, application }, build, {
        environment,
        variables,
        key: key.key,
        ...options,
      });
      if (started.kind === "failed") {
        release();
        return { kind: "failed", reason: reasonOf(started), log: started.log };
      }
      this.#running.set(started, build.id);
      // Its last spans have been sent by then.
      void started.ended.then(() => {
        this.#running.delete(started);
        release();
      });
      return started;
    } catch (error) {
      release();
      throw error;
    }
  }

  async #startProcess(
    { project, application }: Pick<EvaluatedBuild, "project" | "application">,
    { id, number, allow, manifest_sha256 }: Build,
    options: EvaluatorStart & {
      readonly environment: Environment | null;
      readonly variables: VariableValues | null;
      readonly key: string;
    },
  ): Promise<BuildProcess | StartFailure> {
    const { runner, baseUrl, logOf, redactLine, onVariables } = this.#options;
    const log = logOf(application.id);
    const { environment, variables, key, onLine, signal } = options;
    if (environment !== null && variables !== null) {
      onVariables(project, environment.id, variables);
    }
    return runner.start({
      build: { id, allow, manifest_sha256, applicationId: application.id },
      purpose: "evaluation",
      environmentId: environment?.id ?? null,
      environment: {
        AGATE_BASE_URL: await baseUrl,
        AGATE_API_KEY: key,
        AGATE_APPLICATION: application.slug,
        ...(environment !== null && { AGATE_ENVIRONMENT: environment.slug }),
      },
      variables: variables?.values ?? [],
      redactLine: (line) => redactLine(project, line),
      onLine(line, stream) {
        log.add({ build: number, environment: environment?.slug ?? null, stream, line });
        onLine(line);
      },
      signal,
    });
  }

  async readFile(build: EvaluatedBuild, path: string): Promise<EvaluatedFile> {
    const { store } = this.#options;
    const { id } = recorded(build);
    const name = posix.normalize(path);
    const manifest = await store.manifestOf(id);
    // Only what the archive had: no path leads out of the build's folder.
    if (!manifest?.files.some((file) => file.path === name)) return { kind: "missing" };
    return { kind: "file", bytes: await readFile(join(store.folderOf(id), name)) };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((process) => process.stop(END_MS)));
    await Promise.allSettled(this.#describing.values());
  }
}

function recorded({ build }: EvaluatedBuild): { readonly id: string; readonly number: number } {
  if (build === null) throw new Error("Only agate dev runs code that is no build.");
  return build;
}

function refOf({ project, application }: EvaluatedBuild): ApplicationRef {
  return { project, application: application.id };
}

function failed(reason: string): EvaluatorFailure {
  return { kind: "failed", reason, log: [] };
}

function reasonOf({ cause, reason }: StartFailure): string {
  return cause === "silent"
    ? "It did not answer on the socket of an evaluator in time. Look for code that waits while modules are loaded."
    : reason;
}
