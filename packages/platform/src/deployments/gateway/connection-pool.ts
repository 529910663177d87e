import { connect, type Socket } from "node:net";

/** How long a connection may stay idle. */
const IDLE_MS = 30_000;
/** A service may close a connection earlier than it announced. */
const MARGIN_MS = 2_000;
const SWEEP_MS = 1_000;
/** Of one socket. */
const MOST_IDLE = 256;
const READ_BYTES = 64 * 1024;

/** Idle connections to services' sockets. */
export class ConnectionPool {
  readonly #idle = new Map<string, UpstreamConnection[]>();
  readonly #buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  #sweep: NodeJS.Timeout | undefined;

  /** An idle connection, if there is one: the last used, which is the least likely to be closing. */
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

/** The request that currently uses a connection. */
export interface ConnectionUser {
  onConnect(): void;
  /** The bytes are lent for the call. @returns whether more are welcome: see {@link UpstreamConnection.resume}. */
  onBytes(bytes: Buffer): boolean;
  /** What was written has gone. */
  onDrain(): void;
  /** The other side has ended it; `error` where that was not in order. Told once, and last. */
  onLost(error: NodeJS.ErrnoException | undefined): void;
}

/** A connection to a service's socket, used by one request after another. */
export class UpstreamConnection {
  readonly path: string;
  user: ConnectionUser | undefined;
  /** When it was last given back, by `performance.now()`; and until when it may be used again. */
  idleUntil = 0;
  #socket: Socket;
  #isConnected = false;
  #isLost = false;

  /**
   * @param buffer Where bytes are read into; connections may share one, since each reads and is heard
   *   in one go.
   */
  constructor(path: string, buffer: Buffer, user: ConnectionUser) {
    this.path = path;
    this.user = user;
    this.#socket = connect({
      path,
      onread: { buffer, callback: (length) => this.#read(buffer.subarray(0, length)) },
    });
    this.#socket.once("connect", () => {
      this.#isConnected = true;
      this.user?.onConnect();
    });
    this.#socket.on("drain", () => this.user?.onDrain());
    this.#socket.once("end", () => this.#lose(undefined));
    this.#socket.once("error", (error) => this.#lose(error));
    this.#socket.once("close", () => this.#lose(undefined));
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** @returns whether more may be written at once. Text is taken as latin1. */
  write(data: string | Uint8Array): boolean {
    return typeof data === "string" ? this.#socket.write(data, "latin1") : this.#socket.write(data);
  }

  /** Puts several writes into one, until {@link uncork}. */
  cork(): void {
    this.#socket.cork();
  }

  uncork(): void {
    this.#socket.uncork();
  }

  /** Goes on reading after `onBytes` wanted no more. */
  resume(): void {
    this.#socket.resume();
  }

  /** Ends it at once, which a workflow's `signal` hears of. Its user is not told. */
  destroy(): void {
    this.user = undefined;
    this.#isLost = true;
    this.#socket.destroy();
  }

  #read(bytes: Buffer): boolean {
    const { user } = this;
    if (user !== undefined) return user.onBytes(bytes);
    // Bytes without a request: the next answer could not be told from them.
    this.destroy();
    return false;
  }

  #lose(error: NodeJS.ErrnoException | undefined): void {
    if (this.#isLost) return;
    const { user } = this;
    this.destroy();
    user?.onLost(error);
  }
}
