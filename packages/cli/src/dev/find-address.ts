import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

export type AddressOutcome =
  | { readonly kind: "free"; readonly port: number }
  /** One sentence, with what to do. */
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Whether a program could listen there; port 0 becomes a free one. Asked before the program is
 * started, which would tell it in a stack trace.
 */
export async function findAddress(host: string, port: number): Promise<AddressOutcome> {
  const server = createServer().listen({ host, port });
  try {
    await once(server, "listening");
  } catch (error) {
    const reason = reasonOf((error as NodeJS.ErrnoException).code, host, port);
    if (reason === undefined) throw error;
    return { kind: "refused", reason };
  }
  const free = (server.address() as AddressInfo).port;
  server.close();
  await once(server, "close");
  return { kind: "free", port: free };
}

function reasonOf(code: string | undefined, host: string, port: number): string | undefined {
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is in use by another program. Stop that one, or choose another with --port.`;
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
