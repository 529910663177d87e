import { isInputDraft } from "../../input-form/input-draft.ts";
import { type ConfigSource, parseSource, printSource } from "./config-source.ts";
import type { Column, Draft, Origin, RevisionName, TestCase, Workspace } from "./workspace.ts";

/** Grows when older pages could not read a fragment any more. */
const VERSION = "1.";

/** A workspace as an address has it. */
export interface WorkspaceLink {
  /** In the search, for people: `default@3,env:production`. */
  readonly configs: string;
  /** What is edited and typed, packed, without `#`: it never reaches a server. Empty where nothing is. */
  readonly fragment: string;
}

/** A workspace in the same words, before it is packed: to be kept in no time. */
export interface PlainLink {
  readonly configs: string | undefined;
  readonly contents: unknown;
}

/** What an address says; what it leaves open is null. */
export interface LinkedWorkspace {
  readonly columns: readonly Column[] | null;
  readonly cases: readonly TestCase[] | null;
  /** The fragment is there and cannot be read: cut off, or of another version. */
  readonly isUnreadable: boolean;
}

interface PackedColumn {
  readonly id: number;
  /** `default@3`; null is the schema's defaults. Left out where nothing is edited. */
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
  // Whatever is not unpacked is no workspace either.
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
  if (!fragment.startsWith(VERSION)) throw new Error("The link is of another version.");
  return unpackJson(fragment.slice(VERSION.length));
}

/** Names of the search, each with what the fragment has in its place; what names nothing is left out. */
function columnsOf(
  configs: string | undefined,
  packed: readonly PackedColumn[],
): readonly Column[] | null {
  const columns = (configs ?? "").split(",").flatMap((text, index) => {
    const source = parseSource(text);
    // Numbers of columns are above 0: this one is nobody's.
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

/** @throws Error for what names no revision. */
function readRevision(text: string | null): RevisionName | null {
  if (text === null) return null;
  const source = parseSource(text);
  if (source?.kind !== "revision") throw new Error("The draft names no revision.");
  return { variant: source.variant, revision: source.revision };
}

/** @throws Error for what is not a packed workspace: a link may come from anywhere. */
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

/** Two of the same number would be taken for one another. */
function hasOwnIds(items: readonly unknown[]): boolean {
  return new Set(items.map((item) => isRecord(item) && item.id)).size === items.length;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** More than any link that was made here can hold: a short text can unpack to gigabytes. */
const MAX_UNPACKED_BYTES = 8 * 1024 * 1024;

/** A JSON value as a short text of letters, digits, `-` and `_`, which may stand in an address. */
export async function packJson(value: unknown): Promise<string> {
  const text = new Blob([JSON.stringify(value)]);
  const bytes = await bytesOf(text.stream().pipeThrough(new CompressionStream("deflate-raw")));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @throws Error for a text that {@link packJson} has not made. */
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
