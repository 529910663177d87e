import { request } from "node:http";

export interface SocketAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * One GET over a socket, on a connection of its own.
 *
 * @throws when nothing listens there, the answer breaks off or is larger, or the signal fires.
 */
export function askSocket(
  socketPath: string,
  path: string,
  options: { readonly signal: AbortSignal; readonly mostBytes: number },
): Promise<SocketAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<SocketAnswer>();
  const asking = request(
    { socketPath, path, agent: false, signal: options.signal, headers: { host: "localhost" } },
    (answer) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      answer.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= options.mostBytes) chunks.push(chunk);
        else answer.destroy(new RangeError(`it is larger than ${options.mostBytes} bytes`));
      });
      answer.on("end", () => {
        resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") });
      });
      answer.on("error", reject);
    },
  );
  asking.on("error", reject);
  asking.end();
  return promise;
}
