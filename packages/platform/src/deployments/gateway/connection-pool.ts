import { type ConnectionUser, UpstreamConnection } from "./upstream-connection.ts";

/** How long a connection waits for its next request. */
const IDLE_MS = 30_000;
/** The service closes earlier than it says it will, and its clock may be late. */
const MARGIN_MS = 2_000;
const SWEEP_MS = 1_000;
/** Of one socket. */
const MOST_IDLE = 256;
const READ_BYTES = 64 * 1024;

/** Connections to services' sockets that wait for their next request. */
export class ConnectionPool {
  readonly #idle = new Map<string, UpstreamConnection[]>();
  readonly #buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  #sweep: NodeJS.Timeout | undefined;

  /** One that has waited, if there is any. The one that waited least is the least likely to be closing. */
  take(path: string, user: ConnectionUser): UpstreamConnection | undefined {
    const idle = this.#idle.get(path);
    for (let connection = idle?.pop(); connection !== undefined; connection = idle?.pop()) {
      if (!connection.isLost && performance.now() < connection.idleUntil) {
        connection.user = user;
        return connection;
      }
      connection.destroy();
    }
    return undefined;
  }

  open(path: string, user: ConnectionUser): UpstreamConnection {
    return new UpstreamConnection(path, this.#buffer, user);
  }

  /** @param keepAliveMs How long the service keeps it open: it is used no longer than that. */
  give(connection: UpstreamConnection, keepAliveMs: number): void {
    const idleMs = Math.min(IDLE_MS, keepAliveMs - MARGIN_MS);
    const idle = this.#idle.get(connection.path) ?? [];
    if (idleMs <= 0 || connection.isLost || idle.length >= MOST_IDLE) {
      connection.destroy();
      return;
    }
    connection.user = undefined;
    connection.idleUntil = performance.now() + idleMs;
    idle.push(connection);
    this.#idle.set(connection.path, idle);
    this.#sweep ??= setInterval(() => this.#sweepIdle(), SWEEP_MS).unref();
  }

  close(): void {
    clearInterval(this.#sweep);
    this.#sweep = undefined;
    for (const connection of [...this.#idle.values()].flat()) connection.destroy();
    this.#idle.clear();
  }

  #sweepIdle(): void {
    const now = performance.now();
    for (const [path, connections] of this.#idle) {
      const left = connections.filter((connection) => {
        const isFresh = !connection.isLost && now < connection.idleUntil;
        if (!isFresh) connection.destroy();
        return isFresh;
      });
      if (left.length > 0) this.#idle.set(path, left);
      else this.#idle.delete(path);
    }
    if (this.#idle.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }
}
