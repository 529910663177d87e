import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Something that builds wait for. */
export interface Gate extends AsyncDisposable {
  /** For a program: it goes on when the gate is open. */
  readonly wait: string;
  /** Resolves when a program waits for the gate, or has waited. */
  readonly reached: Promise<void>;
  open(): void;
  /** Programs that come from now on wait again. */
  shut(): void;
}

/** Over the network, because builds may not look at files of others. */
export async function makeGate(): Promise<Gate> {
  let isOpen = false;
  const reached = Promise.withResolvers<void>();
  const server = createServer((_, response) => {
    reached.resolve();
    response.writeHead(isOpen ? 200 : 503, { connection: "close" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    wait: `
      while (!(await fetch("http://127.0.0.1:${port}")).ok) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }`,
    reached: reached.promise,
    open() {
      isOpen = true;
    },
    shut() {
      isOpen = false;
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
