import { isRecord } from "@agate/protocol";
import { isInputDraft } from "../../input-form/input-draft.ts";
import { type ConfigSource, parseSource, printSource } from "./config-source.ts";
import type { Column, Draft, Origin, RevisionName, TestCase, Workspace } from "./workspace.ts";

/** Increased when older versions of the page cannot read the fragment. */
const VERSION = "1.";

/** A workspace in an address. */
export interface WorkspaceLink {
  /** A search parameter: `default@3,env:production`. */
  readonly configs: string;
  /** Edits and inputs, compressed, without `#`. Browsers never send it to the server. */
  readonly fragment: string;
}

/** The same before compression, which is asynchronous: storing it must not wait. */
export interface PlainLink {
  readonly configs: string | undefined;
  readonly contents: unknown;
}

/** The parts of a workspace that an address holds; missing parts are null. */
export interface LinkedWorkspace {
  readonly columns: readonly Column[] | null;
  readonly cases: readonly TestCase[] | null;
  /** The fragment is truncated or from another version. */
  readonly isUnreadable: boolean;
}

interface PackedColumn {
  readonly id: number;
  /** `default@3`; null for the schema defaults. Absent without edits. */
  readonly base?: string | null;
  readonly changes?: Readonly<Record<string, unknown>>;
  readonly origin?: Origin;
}

export function writePlain({ columns, cases }: Workspace) {
  const contents: PackedWorkspace = {
    columns: columns.map(({ id, draft, origin }): PackedColumn => {
      const base = draft?.base ?? null;
      return {
        id,
        ...(draft !== null && { base: base && printRevision(base), changes: draft.changes }),
        ...(origin !== null && { origin }),
      };
    }),
    cases,
  };
  const configs = columns.map(({ source }) => printSource(source)).join(",");
  return { configs, contents } satisfies PlainLink;
}

export async function writeLink(workspace: Workspace): Promise<WorkspaceLink> {
  const { configs, contents } = writePlain(workspace);
  return { configs, fragment: `${VERSION}${await packJson(contents)}` };
}

export async function readLink(
  configs: string | undefined,
  fragment: string,
): Promise<LinkedWorkspace> {
  // `readPlain` reports null as unreadable.
  const contents = await unpackFragment(fragment).catch(() => null);
  return readPlain({ configs, contents });
}

export function readPlain({ configs, contents }: PlainLink): LinkedWorkspace {
  try {
    const { columns, cases } = readPacked(contents);
    return { columns: columnsOf(configs, columns), cases: orNull(cases), isUnreadable: false };
  } catch {
    return { columns: columnsOf(configs, []), cases: null, isUnreadable: true };
  }
}

interface PackedWorkspace {
  readonly columns: readonly PackedColumn[];
  readonly cases: readonly TestCase[];
}

async function unpackFragment(fragment: string): Promise<unknown> {
  if (fragment === "") return { columns: [], cases: [] };
  if (!fragment.startsWith(VERSION)) throw new Error("The link is from another version.");
  return unpackJson(fragment.slice(VERSION.length));
}

/** The configurations of the search parameter, each with its edits from the fragment. Invalid names are skipped. */
function columnsOf(
  configs: string | undefined,
  packed: readonly PackedColumn[],
): readonly Column[] | null {
  const columns = (configs ?? "").split(",").flatMap((text, index) => {
    const source = parseSource(text);
    // Ids of columns are positive, so a negative one is unused.
    return source === null ? [] : [columnOf(source, packed[index] ?? { id: -index - 1 })];
  });
  return orNull(columns);
}

function orNull<Item>(items: readonly Item[]): readonly Item[] | null {
  return items.length === 0 ? null : items;
}

function columnOf(source: ConfigSource, { id, base, changes, origin }: PackedColumn): Column {
  const draft: Draft | null =
    base === undefined || changes === undefined ? null : { base: readRevision(base), changes };
  return { id, source, draft, origin: origin ?? null };
}

function printRevision(name: RevisionName): string {
  return printSource({ kind: "revision", ...name });
}

/** @throws Error for a text that is not a revision. */
function readRevision(text: string | null): RevisionName | null {
  if (text === null) return null;
  const source = parseSource(text);
  if (source?.kind !== "revision") throw new Error("The base of the draft is not a revision.");
  return { variant: source.variant, revision: source.revision };
}

/** @throws Error for anything but a packed workspace: links are untrusted. */
function readPacked(value: unknown): PackedWorkspace {
  if (!isRecord(value)) throw new Error("The link holds no workspace.");
  const { columns, cases } = value;
  if (!isListOf(columns, isPackedColumn) || !isListOf(cases, isTestCase)) {
    throw new Error("The link holds no workspace.");
  }
  return { columns, cases };
}

function isPackedColumn(value: unknown): value is PackedColumn {
  return (
    isRecord(value) &&
    Number.isSafeInteger(value.id) &&
    (value.base === undefined || value.base === null || typeof value.base === "string") &&
    (value.changes === undefined || isRecord(value.changes)) &&
    (value.origin === undefined || isOrigin(value.origin))
  );
}

function isOrigin(value: unknown): value is Origin {
  return (
    isRecord(value) &&
    [value.traceId, value.spanId, value.ranWith].every((each) => typeof each === "string")
  );
}

function isTestCase(value: unknown): value is TestCase {
  return (
    isRecord(value) &&
    Number.isSafeInteger(value.id) &&
    typeof value.name === "string" &&
    isInputDraft(value.draft)
  );
}

function isListOf<Item>(
  value: unknown,
  isItem: (item: unknown) => item is Item,
): value is readonly (Item & { readonly id: number })[] {
  return Array.isArray(value) && value.every(isItem) && hasOwnIds(value);
}

/** Items with the same id would be mixed up. */
function hasOwnIds(items: readonly unknown[]): boolean {
  return new Set(items.map((item) => isRecord(item) && item.id)).size === items.length;
}

/** More than any valid link holds: a short text can decompress to gigabytes. */
const MAX_UNPACKED_BYTES = 8 * 1024 * 1024;

/** Compresses a JSON value to a text of letters, digits, `-` and `_`, for use in an address. */
export async function packJson(value: unknown): Promise<string> {
  const text = new Blob([JSON.stringify(value)]);
  const bytes = await bytesOf(text.stream().pipeThrough(new CompressionStream("deflate-raw")));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @throws Error for a text that is not from {@link packJson}. */
export async function unpackJson(packed: string): Promise<unknown> {
  const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const text = new TextDecoder("utf-8", { fatal: true }).decode(await bytesOf(stream));
  return JSON.parse(text);
}

async function bytesOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    size += value.byteLength;
    if (size > MAX_UNPACKED_BYTES) {
      await reader.cancel();
      throw new Error("The packed value is too large.");
    }
    parts.push(value);
  }
}
