import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A line between servers and a database, that a test can break. */
export interface DatabaseLink extends AsyncDisposable {
  /** Where servers reach the database. */
  readonly port: number;
  /**
   * Breaks every connection off in place of passing on the database's so manieth message from now:
   * whatever asked for it has been done, and nobody hears of it.
   *
   * @returns How to know whether that has happened.
   */
  breakAtAnswer(count: number): { readonly isBroken: boolean };
}

/** @param databasePort On this machine. */
export async function startDatabaseLink(databasePort: number): Promise<DatabaseLink> {
  const sockets = new Set<Socket>();
  let fault = { answersLeft: Number.POSITIVE_INFINITY, isBroken: false };
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((near) => {
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
        other.destroy();
      });
    }
    near.pipe(far);
    far.on("data", (answer) => {
      fault.answersLeft -= 1;
      if (fault.answersLeft > 0 || fault.isBroken) return void near.write(answer);
      fault.isBroken = true;
      breakAll();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    breakAtAnswer(count) {
      fault = { answersLeft: count, isBroken: false };
      return fault;
    },
    async [Symbol.asyncDispose]() {
      breakAll();
      server.close();
      await once(server, "close");
    },
  };
}
