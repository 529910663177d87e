import { connect, type Socket } from "node:net";

/** Whoever has a connection to itself for one request. */
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
    // Nobody has asked for anything: whatever this is, the next answer is not.
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
