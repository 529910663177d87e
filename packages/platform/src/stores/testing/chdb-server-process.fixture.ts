// ClickHouse's HTTP interface over the engine that chdb embeds, as a program of its own: it can be
// killed like a server, and started again over the same folder. Started by chdb-server.fixture.ts.
//
//   node chdb-server-process.fixture.ts FOLDER PORT USER PASSWORD
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
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

async function readStatement(request: IncomingMessage): Promise<Statement> {
  const { searchParams } = new URL(request.url ?? "/", "http://localhost");
  const parameters = new Map(searchParams);
  const type = request.headers["content-type"] ?? "";
  let body = await buffer(request);
  if (request.headers["content-encoding"] === "gzip") body = gunzipSync(body);
  let sent = body.toString();
  if (type.startsWith("multipart/form-data")) {
    const form = await new Response(body, { headers: { "content-type": type } }).formData();
    for (const [name, value] of form) parameters.set(name, String(value));
    sent = "";
  }
  const query = parameters.get("query") ?? "";
  return {
    text: query === "" ? sent : `${query}\n${sent}`,
    database: parameters.get("database") ?? "default",
    settings: [...parameters].filter(([name]) => !NO_SETTINGS.has(name)),
    format: parameters.get("default_format") ?? "TabSeparated",
  };
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
    const result = await free!.run(statement);
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
