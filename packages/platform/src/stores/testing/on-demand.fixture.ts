import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Something that all test files share. */
export interface Shared {
  /** What a test file needs in order to use it; JSON. */
  readonly address: unknown;
  end(): Promise<void>;
}

/** The URLs at which test files ask for what they share, by its name. */
export interface OnDemand<Name extends string> {
  readonly urls: Readonly<Record<Name, string>>;
  /** Ends all that was started. */
  end(): Promise<void>;
}

/**
 * For a `globalSetup` of Vitest: starts each of these when the first test file asks for it, so that a run
 * of a few unit tests starts none of them.
 */
export async function startOnDemand<Name extends string>(
  starts: Readonly<Record<Name, () => Promise<Shared>>>,
): Promise<OnDemand<Name>> {
  const started = new Map<Name, Promise<Shared>>();
  const names = Object.keys(starts) as Name[];
  const server = createServer(async (request, response) => {
    const name = names.find((known) => request.url === `/${known}`);
    if (name === undefined) return void response.writeHead(404).end();
    const starting = started.get(name) ?? starts[name]();
    started.set(name, starting);
    try {
      const { address } = await starting;
      response.end(JSON.stringify(address));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  // A run that fails before its teardown is not kept alive.
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    urls: Object.fromEntries(
      names.map((name) => [name, `http://127.0.0.1:${port}/${name}`]),
    ) as Record<Name, string>,
    async end() {
      server.close().closeAllConnections();
      // One that could not be started has nothing to end, and its test file has failed.
      const shared = await Promise.allSettled(started.values());
      await Promise.all(
        shared.map((result) => (result.status === "fulfilled" ? result.value.end() : undefined)),
      );
    },
  };
}

/** Resolves with the address of what is started on demand. */
export async function askFor<Address>(url: string): Promise<Address> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} was not started: ${await response.text()}`);
  return (await response.json()) as Address;
}
