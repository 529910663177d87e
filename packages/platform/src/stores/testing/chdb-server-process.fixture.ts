// ClickHouse's HTTP interface over the engine that chdb embeds, as a program of its own: it can be
// killed like a server, and started again over the same folder. Started by chdb-server.fixture.ts.
//
//   node chdb-server-process.fixture.ts FOLDER PORT USER PASSWORD
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createGunzip } from "node:zlib";
import { Session } from "chdb";
import { CHDB_ARGUMENTS } from "./chdb-settings.fixture.ts";

/** Statements that run at a time. A session runs its own one after the other. */
const SESSIONS = 4;

/** Parameters of a request that are no settings, and settings that only the real server has. */
const NO_SETTINGS = new Set([
  "query",
  "query_id",
  "database",
  "session_id",
  "default_format",
  "wait_end_of_query",
  "enable_http_compression",
  "send_progress_in_http_headers",
  "http_headers_progress_interval_ms",
]);

interface Statement {
  readonly text: string;
  readonly database: string;
  readonly settings: readonly (readonly [name: string, value: string])[];
  readonly format: string;
  /** The rows of an INSERT, which the engine reads itself. */
  readonly file: string | null;
}

/** Runs statements one after the other, each with no other settings than its own. */
class StatementRunner {
  readonly #session: Session;
  #last: Promise<unknown> = Promise.resolve();
  #toReset: string[] = [];
  waiting = 0;

  constructor(folder: string) {
    this.#session = new Session(folder, { connectionArgs: [...CHDB_ARGUMENTS] });
  }

  run(statement: Statement): Promise<Uint8Array> {
    this.waiting++;
    const result = this.#last.then(() => this.#run(statement));
    this.#last = result.catch(() => {}).finally(() => this.waiting--);
    return result;
  }

  async #run({ text, database, settings, format }: Statement): Promise<Uint8Array> {
    // Anything but the statement itself goes first: what follows an INSERT is its data. Each of these
    // takes the engine as long as a small read, so that there are as few as can be.
    const given = new Map(settings.map(([name, value]) => [name, literal(value)]));
    for (const name of this.#toReset) if (!given.has(name)) given.set(name, "DEFAULT");
    const changes = [...given].map(([name, value]) => `${name} = ${value}`);
    const before = [
      `USE \`${database.replaceAll("`", "")}\``,
      ...(changes.length === 0 ? [] : [`SET ${changes.join(", ")}`]),
    ];
    this.#toReset = settings.map(([name]) => name).filter((name) => !name.startsWith("param_"));
    const result = await this.#session.queryAsync(`${before.join("; ")}; ${text}`, { format });
    return result.bytes();
  }
}

function literal(value: string): string {
  return `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\0", "\\0")}'`;
}

/** An INSERT whose rows are the body of the request. */
const INSERT = /^(\s*INSERT\s.*)\s(FORMAT\s+\w+)\s*$/is;

async function readStatement(request: IncomingMessage): Promise<Statement> {
  const { searchParams } = new URL(request.url ?? "/", "http://localhost");
  const parameters = new Map(searchParams);
  const type = request.headers["content-type"] ?? "";
  const isPacked = request.headers["content-encoding"] === "gzip";
  const body = isPacked ? request.pipe(createGunzip()) : request;
  const [, insert, rowFormat] = INSERT.exec(parameters.get("query") ?? "") ?? [];
  const file = insert === undefined ? null : await writeRows(body);
  let sent = file === null ? await buffer(body) : Buffer.alloc(0);
  if (type.startsWith("multipart/form-data")) {
    const form = await new Response(sent, { headers: { "content-type": type } }).formData();
    for (const [name, value] of form) parameters.set(name, String(value));
    sent = Buffer.alloc(0);
  }
  const query = parameters.get("query") ?? "";
  return {
    text:
      file !== null
        ? `${insert} FROM INFILE '${file}' ${rowFormat}`
        : query === ""
          ? sent.toString()
          : `${query}\n${sent}`,
    database: parameters.get("database") ?? "default",
    settings: [...parameters].filter(([name]) => !NO_SETTINGS.has(name)),
    format: parameters.get("default_format") ?? "TabSeparated",
    file,
  };
}

/**
 * Rows go to the engine in a file: as a part of the statement they would be copied and scanned several times, and
 * could not be binary.
 */
async function writeRows(body: Readable): Promise<string> {
  const file = join(folder, `rows-${randomUUID()}`);
  const descriptor = openSync(file, "w");
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) writeWhole(descriptor, chunk);
  } catch (error) {
    rmSync(file);
    throw error;
  } finally {
    closeSync(descriptor);
  }
  return file;
}

function writeWhole(descriptor: number, chunk: Buffer): void {
  for (let at = 0; at < chunk.length; ) at += writeSync(descriptor, chunk, at);
}

function refuse(response: ServerResponse, error: Error): void {
  const code = /Code: (\d+)/.exec(error.message)?.[1] ?? "1002";
  response.writeHead(code === "516" ? 403 : code === "60" ? 404 : 500, {
    "content-type": "text/plain; charset=UTF-8",
    "x-clickhouse-exception-code": code,
  });
  response.end(`${error.message} (version 26.7.2.1 (official build))\n`);
}

const [folder = "", port = "0", user = "default", password = ""] = process.argv.slice(2);
const runners = Array.from({ length: SESSIONS }, () => new StatementRunner(folder));
const credentials = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

const server = createServer(async (request, response) => {
  try {
    if (request.url === "/ping") {
      response.end("Ok.\n");
      return;
    }
    if (request.headers.authorization !== credentials) {
      throw new Error(
        `Code: 516. DB::Exception: ${user}: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)`,
      );
    }
    const statement = await readStatement(request);
    const [free] = runners.toSorted((a, b) => a.waiting - b.waiting);
    const result = await free!
      .run(statement)
      .finally(() => statement.file !== null && rmSync(statement.file));
    response.writeHead(200, {
      "content-type": "text/plain; charset=UTF-8",
      "x-clickhouse-format": statement.format,
      "x-clickhouse-summary": "{}",
    });
    response.end(result);
  } catch (error) {
    refuse(response, error as Error);
  }
});
server.listen(Number(port), "127.0.0.1");
await once(server, "listening");
process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
// The parent has ended when its end of the pipe closes: this process must not stay behind.
process.stdin.resume().once("end", () => process.exit());
