import { join } from "node:path";
import type { Build } from "@agate/protocol";
import { BuildStore } from "../builds/build-store.ts";
import { ModulesStore } from "../builds/modules-store.ts";
import { ProcessGroups } from "../processes/process-groups.ts";
import { type StartFailure, startBuildProcess } from "../processes/start-build-process.ts";
import { BuildRunner, evaluatorProblem, failed, type PreparedBuild } from "./build-runner.ts";
import { FetchedFolder } from "./fetched-folder.ts";

export interface FetchedBuildOptions {
  /** Where builds and their packages are kept for the next time. */
  readonly folder: string;
  readonly mostUnpackedBytes: number;
  /** Downloads the build's archive. Not called for a build that is here already. */
  readonly download: () => Promise<Uint8Array>;
  /** Stops the installation of packages. */
  readonly signal: AbortSignal;
  /** The process that uses the build until it ends; this one unless said. */
  readonly pid?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

const INSTALL_MS = 10 * 60_000;

/**
 * Puts a build of another platform on disk, with its packages, to be run as an evaluator. As on a server,
 * files are compared with the hashes of the manifest, and the manifest with the build's record. Of earlier
 * builds, the last few that were used are kept.
 */
export async function prepareFetchedBuild(
  build: Pick<Build, "id" | "allow" | "manifest_sha256">,
  { folder, mostUnpackedBytes, download, signal, pid, now = Date.now }: FetchedBuildOptions,
): Promise<PreparedBuild | StartFailure> {
  // Without a shell to watch over it, npm ends by what its own program does.
  const groups = new ProcessGroups(() => {});
  const modules = new ModulesStore({
    folder: join(folder, "modules"),
    timeoutMs: INSTALL_MS,
    signal,
    groups,
  });
  const archives = { read: download };
  const store = new BuildStore({
    folder: join(folder, "builds"),
    modules,
    mostUnpackedBytes,
    archives,
  });
  const runner = new BuildRunner({
    store,
    start: startBuildProcess,
    groups,
    users: async () => null,
    startMs: 0,
    mostStarts: 1,
    heapBytes: 0,
  });
  const id = build.manifest_sha256?.slice(0, 32) ?? build.id;
  const fetched = new FetchedFolder(folder, store, pid);
  await fetched.use(id);
  // Only files that are here are compared with the record, so they are fetched first.
  await store.repair(id, build.manifest_sha256);
  await store.manifestOf(id);
  const prepared = await runner.prepare({ ...build, id, applicationId: "" });
  if (prepared.kind === "prepared") await fetched.prune(id, new Date(now()));
  const lacking = prepared.kind === "prepared" ? await evaluatorProblem(prepared) : undefined;
  return lacking === undefined ? prepared : failed(lacking);
}
