import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Counts the calls that workflows say they got, by the item of the run. */
export interface CallCounter extends AsyncDisposable {
  readonly url: string;
  /** How often each item was called. */
  readonly calls: ReadonlyMap<string, number>;
  readonly total: number;
}

export async function startCallCounter(): Promise<CallCounter> {
  const calls = new Map<string, number>();
  let total = 0;
  const server = createServer((request, response) => {
    const item = decodeURIComponent(request.url?.slice(1) ?? "");
    calls.set(item, (calls.get(item) ?? 0) + 1);
    total += 1;
    response.end("counted");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    get total() {
      return total;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A workflow that tells the counter of each call, and answers the word of its configuration. */
export function countedWorkflow(counter: string, build: string): string {
  return `import * as ag from "@agate/sdk";

class SayConfig extends ag.BaseModel {
  word = ag.Field(ag.str, { default: "default" });
}

export const say = ag.route("/say", SayConfig)(
  async ({ n }: { n: number }, { config, evaluation }) => {
    const item = [${JSON.stringify(build)}, evaluation?.case, evaluation?.trial].join(" ");
    await fetch(${JSON.stringify(counter)} + "/" + encodeURIComponent(item));
    return { build: ${JSON.stringify(build)}, word: config.word, n };
  },
);
`;
}
