import { join } from "node:path";
import type { Build } from "@agate/protocol";
import { apiPath } from "../api-client/api-client.ts";
import { ApiFailure, connectionFailure } from "../api-client/api-failure.ts";
import { EvalFailure } from "./eval-failure.ts";
import type { EvalPlatform } from "./report-run.ts";

/** A build of the platform, on this machine. */
export interface FetchedBuild {
  readonly folder: string;
  /** Its program, relative to the folder. */
  readonly entry: string;
}

export interface FetchRequest {
  readonly platform: EvalPlatform;
  /** The slug of the application. */
  readonly application: string;
  readonly build: Build;
  /** Of `package.json`. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

const GIB = 1024 ** 3;
/** A build that a server has taken fits: by default those take 64 MiB. */
const LIMITS = { archive: GIB, unpacked: 4 * GIB };

/**
 * Downloads a build of the platform and installs its packages, as a server would. Both are kept in
 * `.agate/fetched` for the next time.
 *
 * @throws EvalFailure where it cannot be used here.
 */
export async function fetchBuild(
  { platform: { api }, application, build, folder, signal }: FetchRequest,
  limits = LIMITS,
): Promise<FetchedBuild> {
  const { prepareFetchedBuild } = await import("@agate/platform/fetched-builds");
  const cannot = `Build ${build.number} can't be run here`;
  const download = async () => {
    const path = apiPath`/registry/applications/${application}/builds/${build.id}/archive`;
    const response = await api.open(path, { accept: "application/gzip", signal });
    const archive = await readAtMost(response, limits.archive).catch((error) => {
      throw connectionFailure(api.connection.url, error);
    });
    if (archive !== undefined) return archive;
    throw new EvalFailure(`${cannot}: its archive is larger than ${limits.archive} bytes.`);
  };
  const prepared = await prepareFetchedBuild(build, {
    // Not in `.agate/builds`: the platform of `agate dev` deletes what it does not know there.
    folder: join(folder, ".agate", "fetched"),
    mostUnpackedBytes: limits.unpacked,
    signal,
    download,
  }).catch((error: Error) => {
    if (error instanceof ApiFailure || error instanceof EvalFailure) throw error;
    throw new EvalFailure(`${cannot}: ${error.message}`);
  });
  if (prepared.kind === "prepared") return prepared;
  throw new EvalFailure(`${cannot}. ${prepared.reason}`, prepared.log);
}

/** Undefined for a body of more bytes. */
async function readAtMost(response: Response, most: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
