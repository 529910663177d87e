import { type RunningServer, startServer } from "../running-server.ts";
import { type Balancer, startBalancer } from "./balancer.ts";

/** Several servers on the same databases, and a load balancer before them. */
export interface Replicas extends AsyncDisposable {
  readonly servers: readonly [RunningServer, RunningServer, RunningServer];
  /** Of the load balancer. */
  readonly url: string;
}

/**
 * Starts three at once, each with an empty data directory of its own.
 *
 * @param flags Where they keep their data.
 */
export async function startReplicas(flags: readonly string[]): Promise<Replicas> {
  await using parts = new AsyncDisposableStack();
  const start = async () => parts.use(await startServer({ flags }));
  const servers = await Promise.all([start(), start(), start()]);
  const balancer: Balancer = parts.use(await startBalancer(servers.map(({ url }) => url)));
  const started = parts.move();
  return { servers, url: balancer.url, [Symbol.asyncDispose]: () => started.disposeAsync() };
}
