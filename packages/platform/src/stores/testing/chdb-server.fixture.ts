import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ClickHouseAddress } from "../store-address.ts";
import { chdbFolder } from "./chdb-settings.fixture.ts";

const USER = "agate";
/** With what must be escaped in a URL. */
const PASSWORD = "p@ss/word";

/** The databases of a real ClickHouse engine behind its HTTP interface, on a port of the loopback address. */
export interface ChdbDatabases {
  readonly port: number;
  /** A database's address, whether it is there or not. */
  address(database: string): ClickHouseAddress;
  /** The same as a URL with its password, as `--store` takes it. */
  url(database: string): string;
}

/** A server of a test's own, in a process. */
export interface ChdbServer extends ChdbDatabases {
  /** Of the process that runs now. */
  readonly pid: number;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again after {@link kill}, with the same port and data. */
  start(): Promise<void>;
  /** Ends it and removes its data. */
  dispose(): Promise<void>;
}

/** The databases of a server that runs at this port. */
export function chdbAt(port: number): ChdbDatabases {
  const at = (database: string) => `127.0.0.1:${port}/${database}`;
  return {
    port,
    address: (database) => ({
      kind: "clickhouse",
      url: `http://127.0.0.1:${port}`,
      username: USER,
      password: PASSWORD,
      database,
      cluster: null,
      shown: `clickhouse://${USER}@${at(database)}`,
    }),
    url: (database) => `clickhouse://${USER}:${encodeURIComponent(PASSWORD)}@${at(database)}`,
  };
}

/** Makes and starts a server. Dispose of it when the tests are done. */
export async function startChdbServer(): Promise<ChdbServer> {
  const folder = chdbFolder();
  let running = await launch(folder, 0);
  const { port } = running;
  const end = async () => {
    const { process } = running;
    if (process.exitCode !== null || process.signalCode !== null) return;
    const ended = once(process, "exit");
    process.kill("SIGKILL");
    await ended;
  };
  return {
    ...chdbAt(port),
    get pid() {
      return running.process.pid as number;
    },
    kill: end,
    start: async () => {
      running = await launch(folder, port);
    },
    dispose: async () => {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function launch(
  folder: string,
  port: number,
): Promise<{ process: ChildProcess; port: number }> {
  const program = join(import.meta.dirname, "chdb-server-process.fixture.ts");
  const child = spawn(process.execPath, [program, folder, String(port), USER, PASSWORD], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit").then(() => {
    throw new Error("The ClickHouse engine ended before it answered");
  });
  const [line] = await Promise.race([once(createInterface(child.stdout), "line"), ended]);
  ended.catch(() => {});
  return { process: child, port: Number(line) };
}
