import type { BuildManifest } from "@agate/protocol";
import { BUILD_MANIFEST_FILE } from "@agate/protocol";
import type { ParsedTarEntry } from "modern-tar";
import { InvalidArchiveError } from "./archive-entries.ts";

const LONGEST_MANIFEST = 4 * 1024 * 1024;
const MOST_FILES = 10_000;

/**
 * Finds the manifest among the entries and checks it, its paths above all: no other names than
 * those in it ever reach the file system.
 *
 * @throws InvalidArchiveError
 */
export async function readManifest(entries: AsyncIterable<ParsedTarEntry>): Promise<BuildManifest> {
  for await (const { header, body } of entries) {
    if (header.name !== BUILD_MANIFEST_FILE) {
      await skip(body);
      continue;
    }
    if (header.size > LONGEST_MANIFEST) {
      throw new InvalidArchiveError(`${BUILD_MANIFEST_FILE} is larger than 4 MiB.`);
    }
    return await parseManifest(await new Response(body).text());
  }
  throw new InvalidArchiveError(
    `It has no ${BUILD_MANIFEST_FILE}. \`agate deploy\` and \`agate build\` make archives that have one.`,
  );
}

/** By reading it: cancelling a body that was read ahead stops modern-tar 0.8 at the next entry. */
async function skip(body: ParsedTarEntry["body"]): Promise<void> {
  await body.pipeTo(new WritableStream());
}

async function parseManifest(text: string): Promise<BuildManifest> {
  // Loaded late: it needs zod, which most servers do without.
  const { buildManifestSchema } = await import("@agate/protocol/schemas");
  const { data, error } = buildManifestSchema.safeParse(parseJson(text));
  if (error !== undefined) {
    const [issue] = error.issues;
    const place = issue?.path.join(".") ?? "";
    throw new InvalidArchiveError(
      `${BUILD_MANIFEST_FILE} is not as it should be: ${place === "" ? "" : `${place}: `}${issue?.message ?? error.message}.`,
    );
  }
  if (data.files.length > MOST_FILES) {
    throw new InvalidArchiveError(`It has more than ${MOST_FILES} files.`);
  }
  refuseClashes(data);
  return data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArchiveError(`${BUILD_MANIFEST_FILE} is not JSON.`);
  }
}

/** Names that cannot lie beside each other. */
function refuseClashes({ files, install }: BuildManifest): void {
  const paths = new Set(files.map(({ path }) => path));
  for (const path of paths) {
    for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1)) {
      const folder = path.slice(0, end);
      if (paths.has(folder)) {
        throw new InvalidArchiveError(`${JSON.stringify(folder)} is both a file and a folder.`);
      }
    }
    if (install !== null && /^node_modules(?:\/|$)/.test(path)) {
      throw new InvalidArchiveError(
        `${JSON.stringify(path)} is where the packages are installed: leave it out.`,
      );
    }
  }
}
