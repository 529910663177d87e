import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { connect, createServer } from "node:net";
import type { PostgresAddress } from "../store-address.ts";

/** What PgBouncer takes; others it refuses, unless its administrator says otherwise. */
const TAKEN = new Set(["user", "database", "client_encoding", "application_name"]);
/** The length of a message, and the protocol's version. */
const BEFORE_PARAMETERS = 8;

/** A proxy to a database that rejects clients with startup parameters, as PgBouncer does. */
export interface StrictPooler extends AsyncDisposable {
  readonly address: PostgresAddress;
}

export async function startStrictPooler(database: PostgresAddress): Promise<StrictPooler> {
  const { hostname, port } = new URL(database.url);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    sockets.add(near);
    near.on("error", () => {});
    near.once("data", (start) => {
      const refused = parameters(start).find((name) => !TAKEN.has(name));
      if (refused !== undefined) return void near.end(refusal(refused));
      const far = connect(Number(port), hostname);
      far.on("error", () => {});
      far.write(start);
      near.pipe(far).pipe(near);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = `:${(server.address() as AddressInfo).port}/`;
  return {
    address: {
      kind: "postgres",
      url: database.url.replace(`:${port}/`, own),
      shown: database.shown.replace(`:${port}/`, own),
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** The names of what a client asks for; values lie between them. */
function parameters(start: Buffer): string[] {
  const texts = start.toString("utf8", BEFORE_PARAMETERS).split("\0");
  return texts.filter((text, n) => n % 2 === 0 && text !== "");
}

function refusal(name: string): Buffer {
  const fields = `SFATAL\0C08P01\0Munsupported startup parameter: ${name}\0\0`;
  const head = Buffer.from("E\0\0\0\0");
  head.writeInt32BE(4 + Buffer.byteLength(fields), 1);
  return Buffer.concat([head, Buffer.from(fields)]);
}
