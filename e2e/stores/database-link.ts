import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A line between servers and a database, that a test can break; without it, the database is away. */
export interface DatabaseLink extends AsyncDisposable {
  /** Where servers reach the database. */
  readonly port: number;
  /**
   * Breaks as soon as the database has answered so often on one connection, in place of passing the
   * last answer on: the statement was executed, but the server gets no answer.
   */
  breakAtAnswer(count: number): Fault;
  /** Lets nothing through any more, and breaks nothing off, as a firewall does. */
  fallSilent(): void;
  /**
   * From now on nothing passes on connections that listen (`LISTEN`), those that are made later
   * included, and none is broken off. All others go on.
   */
  freezeListeners(): void;
  /** From now on nothing passes on the connections that are there; later ones are passed on. */
  freezeAll(): void;
}

/** One that is to happen. From then on the database cannot be reached, until it is mended. */
export interface Fault {
  readonly hasHappened: boolean;
  mend(): void;
}

/** @param databasePort On this machine. */
export async function startDatabaseLink(databasePort: number): Promise<DatabaseLink> {
  const sockets = new Set<Socket>();
  let fault: { readonly count: number; hasHappened: boolean } | undefined;
  let answers = new Map<Socket, number>();
  let isSilent = false;
  let areListenersFrozen = false;
  const listeners = new Set<Socket>();
  const frozen = new Set<Socket>();
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((near) => {
    if (isSilent) {
      near.pause().on("error", () => {});
      sockets.add(near);
      return;
    }
    if (fault?.hasHappened) return void near.destroy();
    const far = connect({ host: "127.0.0.1", port: databasePort });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        listeners.delete(socket);
        frozen.delete(socket);
        other.destroy();
      });
    }
    near.on("data", (asked) => {
      if (asked.includes("LISTEN ")) listeners.add(near);
      const isFrozen = frozen.has(near) || (areListenersFrozen && listeners.has(near));
      if (!isFrozen) far.write(asked);
    });
    near.on("end", () => far.end());
    far.on("data", (answer) => {
      if (frozen.has(near) || (areListenersFrozen && listeners.has(near))) return;
      const count = (answers.get(far) ?? 0) + 1;
      answers.set(far, count);
      if (fault === undefined || count < fault.count) return void near.write(answer);
      fault.hasHappened = true;
      breakAll();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    breakAtAnswer(count) {
      const next = { count, hasHappened: false };
      answers = new Map();
      fault = next;
      return {
        get hasHappened() {
          return next.hasHappened;
        },
        mend() {
          fault = undefined;
        },
      };
    },
    fallSilent() {
      isSilent = true;
      for (const socket of sockets) socket.pause();
    },
    freezeListeners() {
      areListenersFrozen = true;
    },
    freezeAll() {
      for (const socket of sockets) frozen.add(socket);
    },
    async [Symbol.asyncDispose]() {
      if (!server.listening) return;
      breakAll();
      server.close();
      await once(server, "close");
    },
  };
}
