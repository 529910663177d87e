// Apart from the server: `agate --help` loads it, and must not load the routes.

/** Whether a server that listens on this address can be reached from this machine only. */
export function isLoopbackAddress(address: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i.test(address);
}

/** The port of OTLP over gRPC everywhere. */
export const OTLP_GRPC_PORT = 4317;

/** Where OTLP over gRPC is taken. `if-free`: on its usual port, where no other program has it. */
export type OtlpGrpcAddress =
  | "off"
  | "if-free"
  /** Without a host: that of HTTP. The port 0 takes any free one. */
  | { readonly host?: string; readonly port: number };

/** The options that say where a server listens. */
export interface PortOption {
  readonly port: string;
  readonly host: string;
}

const HTTP_OPTION: PortOption = { port: "--port", host: "--host" };

/** Why a server cannot listen there, and what to do; undefined for codes that need no explanation. */
export function listenFailure(
  code: string | undefined,
  host: string,
  port: number,
  option = HTTP_OPTION,
): string | undefined {
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is in use by another program. Stop it, or choose another port with ${option.port}.`;
    case "EACCES":
    case "EPERM":
      return `Listening on port ${port} is not permitted. Choose one above 1023 with ${option.port}.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `This machine has no address ${host}. Choose another with ${option.host}, such as 127.0.0.1.`;
    default:
      return undefined;
  }
}

/** https://fetch.spec.whatwg.org/#port-blocking, which Node follows. */
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10080,
]);

/** Why no server should listen on a port: its own builds could not reach it. Undefined for others. */
export function blockedPort(port: number): string | undefined {
  if (!BLOCKED_PORTS.has(port)) return undefined;
  return `fetch and browsers do not connect to port ${port}: neither workflows nor the web page could reach the server. Choose another with --port.`;
}
