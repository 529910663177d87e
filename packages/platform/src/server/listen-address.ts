// Apart from the server: `agate --help` loads it, and must not load the routes.

/** Whether a server that listens on this address can be reached from this machine only. */
export function isLoopbackAddress(address: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i.test(address);
}

/** Why a server cannot listen there, and what to do; undefined for codes that need no explanation. */
export function listenFailure(
  code: string | undefined,
  host: string,
  port: number,
): string | undefined {
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is in use by another program. Stop it, or choose another port with --port.`;
    case "EACCES":
    case "EPERM":
      return `Listening on port ${port} is not permitted. Choose one above 1023 with --port.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `This machine has no address ${host}. Choose another with --host, such as 127.0.0.1.`;
    default:
      return undefined;
  }
}
