import { Socket } from "node:net";

/** How long a server that says nothing is waited for when connections are ended in order. */
const GRACE_MS = 1_000;

/**
 * The sockets of some connections. PostgreSQL may have fallen silent without breaking them off, behind
 * a firewall or with its machine: who says goodbye to it then waits for minutes.
 */
export class SocketGroup {
  readonly #open = new Set<Socket>();
  #isBrokenOff = false;

  /** For the option `stream` of a client: makes the socket of its connection. */
  readonly make = (): Socket => {
    const socket = new Socket();
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
    if (this.#isBrokenOff) setImmediate(() => socket.destroy(givenUp()));
    return socket;
  };

  /** Breaks off those that there are: all that waits on one of them ends with this error. */
  breakOff(error: Error): void {
    for (const socket of this.#open) socket.destroy(error);
  }

  /** Ends the connections: in order, or after a moment by breaking them off, with all that waits. */
  async end(inOrder: () => Promise<unknown>): Promise<void> {
    const timer = setTimeout(() => {
      this.#isBrokenOff = true;
      this.breakOff(givenUp());
    }, GRACE_MS);
    await inOrder();
    // A pool does not wait for those that it has said goodbye to.
    await Promise.all([...this.#open].map(closed));
    clearTimeout(timer);
  }
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => void socket.once("close", () => resolve()));
}

function givenUp(): Error {
  return Object.assign(new Error("The connection is given up"), { code: "ECONNRESET" });
}
