// Writes the tables of docs/reference/clients.md and docs/guide/sending-traces.md from captured exports
// of real clients; with a folder of captures as argument, prints the table of those instead.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SpanRecord } from "@agate/protocol";
import type { OtlpSpan, StoredSpan } from "@agate/spans";
import { createSpanMapper, eventContent, nestedRecordsText } from "@agate/spans";
import { shippedPrices } from "@agate/spans/prices";
import { decodeLogsJson } from "../packages/platform/src/ingest/otlp/decode-logs-json.ts";
import { decodeOtlpJson } from "../packages/platform/src/ingest/otlp/decode-otlp-json.ts";
import { DEFAULT_DECODE_LIMITS } from "../packages/platform/src/ingest/otlp/decode-outcome.ts";
import { loggedText } from "../packages/platform/src/stores/logged-content.ts";
import { NO_ADDITIONS, SpanAdditions } from "../packages/platform/src/stores/span-additions.ts";
import { readConversation } from "../packages/web/src/value-view/conversation.ts";

export const PAGE = join(import.meta.dirname, "../docs/reference/clients.md");
export const GUIDE = join(import.meta.dirname, "../docs/guide/sending-traces.md");
export const CAPTURES = join(import.meta.dirname, "../packages/spans/src/dialects/captures");

const LANGUAGES = ["Python", "JavaScript"] as const;

/** What a real client exported: one file for each client, without ids and times of the run. */
export interface ClientCapture {
  /** As the table calls it. */
  readonly client: string;
  readonly language: (typeof LANGUAGES)[number];
  /** Packages with their versions: `langfuse 5.0.4`. The first is the client. */
  readonly versions: readonly string[];
  /** Markdown: what to set so that the client exports to Agate. */
  readonly settings: string;
  /** OTLP JSON, in the order in which it was sent. */
  readonly requests: readonly { readonly path: string; readonly body: object }[];
}

export function readCaptures(folder: string): ClientCapture[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return files
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as ClientCapture);
}

/** The records that Agate makes of a capture: one for each trace, in the order of their times. */
export function tracesOf({ client, requests }: ClientCapture): SpanRecord[] {
  const toStoredSpan = createSpanMapper({ prices: shippedPrices(), projectId: null });
  const contentOf = loggedContents({ client, requests });
  const traces = new Map<string, OtlpSpan[]>();
  for (const { path, body } of requests) {
    if (!path.endsWith("/traces")) continue;
    const decoded = decodeOtlpJson(Buffer.from(JSON.stringify(body)));
    if (decoded.kind !== "decoded") throw new Error(`${client}: ${decoded.reason}`);
    const { spans, rejected, rejectedReason } = decoded.request;
    if (rejected > 0) throw new Error(`${client}: ${rejectedReason}`);
    for (const span of spans) {
      const others = traces.get(span.traceId);
      if (others === undefined) traces.set(span.traceId, [span]);
      else others.push(span);
    }
  }
  const toRecord = (span: OtlpSpan) => {
    const stored = toStoredSpan(span);
    return { ...stored, openRecord: contentOf(stored).fill(stored.openRecord) };
  };
  return [...traces.values()]
    .map((spans) => JSON.parse(nestedRecordsText(spans.map(toRecord))))
    .sort((a, b) => (a.metadata.start_time < b.metadata.start_time ? -1 : 1));
}

/** The content that a client sent as log records of its spans. */
function loggedContents({
  client,
  requests,
}: Pick<ClientCapture, "client" | "requests">): (span: StoredSpan) => SpanAdditions {
  const messages = requests.flatMap(({ path, body }) => {
    if (!path.endsWith("/logs")) return [];
    const decoded = decodeLogsJson(Buffer.from(JSON.stringify(body)), DEFAULT_DECODE_LIMITS);
    if (decoded.kind !== "decoded") throw new Error(`${client}: ${decoded.reason}`);
    return decoded.messages;
  });
  const bySpan = Map.groupBy(messages, ({ traceId, spanId }) => `${traceId} ${spanId}`);
  return ({ traceId, id }) => {
    const records = bySpan.get(`${traceId} ${id}`);
    if (records === undefined) return NO_ADDITIONS;
    return new SpanAdditions([loggedText(eventContent(records.map(({ event }) => event)))]);
  };
}

/** The reference with its tables made anew. */
export function renderPage(page: string, captures: readonly ClientCapture[]): string {
  return LANGUAGES.reduce(
    (text, language) => withPart(text, language, tableOf(of(language, captures))),
    page,
  );
}

/** The guide with its tables of settings made anew. */
export function renderGuide(page: string, captures: readonly ClientCapture[]): string {
  return LANGUAGES.reduce(
    (text, language) => withPart(text, language, settingsOf(of(language, captures))),
    page,
  );
}

function of(language: string, captures: readonly ClientCapture[]): readonly ClientCapture[] {
  return captures
    .filter((capture) => capture.language === language)
    .toSorted((a, b) => (a.client < b.client ? -1 : 1));
}

const HEAD = [
  "| client | version | kinds | content | tokens | cost | user, session | error |",
  "|---|---|---|---|---|---|---|---|",
];

export function tableOf(captures: readonly ClientCapture[]): string {
  return [...HEAD, ...captures.map((capture) => row(cellsOf(capture)))].join("\n");
}

function settingsOf(captures: readonly ClientCapture[]): string {
  const rows = captures.map((capture) => {
    const [client = "", , kinds, content, tokens, cost, owners, error] = cellsOf(capture);
    const got = [
      kinds === "UNKNOWN" ? null : "kinds",
      content === "–" ? null : content,
      tokens === "–" ? null : "tokens",
      cost === "–" ? null : "cost",
      owners === "–" ? null : owners,
      error === "–" ? null : "errors",
    ];
    return row([client, capture.settings, got.filter((part) => part !== null).join(", ")]);
  });
  return ["| client | settings | what you get |", "|---|---|---|", ...rows].join("\n");
}

function row(cells: readonly string[]): string {
  const escaped = cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " "));
  return `| ${escaped.join(" | ")} |`;
}

function cellsOf(capture: ClientCapture): string[] {
  const spans = tracesOf(capture).flatMap(spansOf);
  const calls = spans.filter(({ spankind }) => spankind === "LLM");
  const answered = calls.find(({ status }) => status !== "ERROR");
  return [
    capture.client,
    capture.versions.join(", "),
    [...new Set(spans.map(({ spankind }) => spankind))].join(", "),
    contentOf(answered),
    tokensOf(answered),
    costOf(answered),
    ownersOf(spans),
    errorOf(spans),
  ];
}

function spansOf(record: SpanRecord): SpanRecord[] {
  return [record, ...(record.children ?? []).flatMap(spansOf)];
}

function contentOf(call: SpanRecord | undefined): string {
  if (call === undefined) return "–";
  const { inputs, internals, outputs } = call.content;
  const shown = [inputs, internals, outputs].filter((side) => readConversation(side) !== null);
  if (shown.length >= 2) return "conversation";
  if (inputs === null && outputs === null) return "–";
  return shown.length === 0 ? "values" : "conversation in part";
}

function tokensOf(call: SpanRecord | undefined): string {
  const usage = call?.metadata.usage;
  if (usage === null || usage === undefined) return "–";
  const side = (all: number | null, part: number | null, name: string) =>
    `${all?.toLocaleString("en") ?? "?"}${part === null ? "" : ` (${part} ${name})`}`;
  const input = side(usage.input_tokens, usage.cached_input_tokens, "cached");
  return `${input} → ${side(usage.output_tokens, usage.reasoning_tokens, "reasoning")}`;
}

function costOf(call: SpanRecord | undefined): string {
  const cost = call?.metadata.cost ?? null;
  return cost === null ? "–" : `$${Number(cost.toPrecision(4))}`;
}

function ownersOf(spans: readonly SpanRecord[]): string {
  const user = spans.find(({ user_id }) => user_id !== null);
  const session = spans.find(({ metadata }) => metadata.session_id !== null);
  return [user && "user", session && "session"].filter(Boolean).join(", ") || "–";
}

// Long enough to tell a message from a stack trace.
const ERROR_LENGTH = 60;

function errorOf(spans: readonly SpanRecord[]): string {
  const failed = spans.filter(({ status }) => status === "ERROR");
  if (failed.length === 0) return "–";
  const message = failed.find(({ metadata }) => metadata.status_message !== null)?.metadata;
  const text = message?.status_message?.split("\n")[0] ?? "";
  if (text === "") return "status alone";
  return `\`${text.length > ERROR_LENGTH ? `${text.slice(0, ERROR_LENGTH)}…` : text}\``;
}

const begin = (name: string) => `<!-- ${name}: written by scripts/clients-page.ts -->\n`;
const END = "\n<!-- end -->";

function withPart(page: string, name: string, part: string): string {
  const [before = "", rest] = page.split(begin(name));
  if (rest === undefined) throw new Error(`The page has no part "${name}".`);
  return before + begin(name) + part + rest.slice(rest.indexOf(END));
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder !== undefined) {
    process.stdout.write(`${tableOf(readCaptures(folder))}\n`);
  } else {
    const captures = readCaptures(CAPTURES);
    for (const [page, render] of [
      [PAGE, renderPage],
      [GUIDE, renderGuide],
    ] as const) {
      writeFileSync(page, render(readFileSync(page, "utf8"), captures));
    }
  }
}
