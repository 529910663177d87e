import type { ServeOptions } from "../app/serve-module.ts";
import { environment } from "../runtime/environment.ts";

const DEFAULT_PORT = 4101;

/** Where a program listens. `isGiven`: `AGATE_LISTEN` sets it, and overrides the program's options. */
export type ListenAddress =
  | { readonly kind: "unix"; readonly path: string }
  | {
      readonly kind: "tcp";
      readonly hostname: string;
      readonly port: number;
      readonly isGiven: boolean;
    };

/** The address of `AGATE_LISTEN`, else of the options, else of `PORT` and `HOST`. */
export function listenAddress(options: ServeOptions): ListenAddress {
  const given = environment("AGATE_LISTEN");
  if (given !== undefined) return parseListen(given);
  return {
    kind: "tcp",
    port: options.port ?? portOf(environment("PORT")) ?? DEFAULT_PORT,
    hostname: options.hostname ?? environment("HOST") ?? "127.0.0.1",
    isGiven: false,
  };
}

function parseListen(text: string): ListenAddress {
  const path = /^unix:(.+)$/s.exec(text)?.[1];
  if (path !== undefined) return { kind: "unix", path };
  const [, bracketed, plain, digits] = /^tcp:(?:\[([^\]]+)\]|([^:[\]]+)):(\d+)$/.exec(text) ?? [];
  const hostname = bracketed ?? plain;
  const port = Number(digits);
  if (hostname !== undefined && port <= 65_535) {
    return { kind: "tcp", hostname, port, isGiven: true };
  }
  throw new Error(
    `AGATE_LISTEN is ${JSON.stringify(text)}, which is no address: write tcp:127.0.0.1:4101, tcp:[::1]:4101 or unix:/path/to.sock.`,
  );
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new Error(
    `PORT is ${JSON.stringify(text)}, which is no port: set a number from 0 to 65535.`,
  );
}

/** Says what to do about an address that cannot be listened on. */
export function explainListenError(error: NodeJS.ErrnoException, address: ListenAddress): Error {
  const sentence = explanation(error, address);
  return sentence === undefined ? error : new Error(sentence, { cause: error });
}

function explanation(
  { code, message }: NodeJS.ErrnoException,
  address: ListenAddress,
): string | undefined {
  const isTaken = code === "EADDRINUSE";
  if (address.kind === "unix") {
    return isTaken
      ? `The socket ${address.path} of AGATE_LISTEN is there already. Delete the file if nothing listens on it, or name another.`
      : `The socket ${address.path} of AGATE_LISTEN cannot be made: ${message}.`;
  }
  const { hostname, port, isGiven } = address;
  if (isTaken) {
    const advice = isGiven
      ? "Name another in AGATE_LISTEN."
      : `Pass another: ag.serve({ port: ${port + 1} }), or set PORT.`;
    return `Port ${port} of ${hostname} is taken by another process. ${advice}`;
  }
  if (code !== "ENOTFOUND" && code !== "EADDRNOTAVAIL") return undefined;
  const advice = isGiven
    ? "Name one in AGATE_LISTEN: tcp:0.0.0.0:4101."
    : 'Pass one, ag.serve({ hostname: "0.0.0.0" }), or set HOST.';
  return `${hostname} is no address of this machine. ${advice}`;
}
