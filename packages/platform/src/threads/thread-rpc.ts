import type { Transferable, Worker } from "node:worker_threads";
import { MessagePort } from "node:worker_threads";

/** The functions that a thread offers: async, with cloneable arguments and results. */
// biome-ignore lint/suspicious/noExplicitAny: only `any[]` accepts every parameter list
export type ThreadApi = Record<string, (...args: any[]) => Promise<unknown>>;

interface Call {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: unknown };

/** The other thread has ended, so the call gets no reply. */
export class ThreadEndedError extends Error {
  override readonly name = "ThreadEndedError";
}

/** The other end of a {@link serveThread}. */
export interface ThreadClient<Api extends ThreadApi> {
  call<Method extends keyof Api & string>(
    method: Method,
    args: Parameters<Api[Method]>,
    transfer?: readonly Transferable[],
  ): Promise<Awaited<ReturnType<Api[Method]>>>;
  /** Rejects every pending and every later call: the other thread has ended. */
  fail(reason: Error): void;
}

/**
 * Calls functions of another thread.
 *
 * @example await connectThread<QueryApi>(worker).call("listTraces", [request])
 */
export function connectThread<Api extends ThreadApi>(
  port: MessagePort | Worker,
): ThreadClient<Api> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let nextId = 1;
  let failure: Error | undefined;
  port.on("message", (reply: Reply) => {
    const waiter = waiting.get(reply.id);
    if (waiter === undefined) return;
    waiting.delete(reply.id);
    if ("error" in reply) waiter.reject(reply.error);
    else waiter.resolve(reply.value);
  });
  const fail = (reason: Error) => {
    failure ??= reason;
    for (const waiter of waiting.values()) waiter.reject(failure);
    waiting.clear();
  };
  // A port closes when the thread at its other end dies. (A worker emits `exit`.)
  if (port instanceof MessagePort) {
    port.on("close", () => fail(new ThreadEndedError("The thread has ended")));
  }
  return {
    call(method, args, transfer = []) {
      if (failure !== undefined) return Promise.reject(failure);
      const id = nextId++;
      const waiter = Promise.withResolvers<unknown>();
      waiting.set(id, waiter);
      port.postMessage({ id, method, args } satisfies Call, transfer);
      return waiter.promise as never;
    },
    fail,
  };
}

/** Answers the calls that come in on a port. Errors of a function reject the caller's promise. */
export function serveThread<Api extends ThreadApi>(port: MessagePort, api: Api): void {
  port.on("message", ({ id, method, args }: Call) => {
    const handler = api[method];
    if (handler === undefined) {
      port.postMessage({ id, error: new TypeError(`No such call: ${method}`) } satisfies Reply);
      return;
    }
    handler(...args).then(
      (value) => port.postMessage({ id, value } satisfies Reply),
      (error: unknown) => port.postMessage({ id, error } satisfies Reply),
    );
  });
}
