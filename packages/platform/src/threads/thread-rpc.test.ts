import { MessageChannel } from "node:worker_threads";
import { expect, it } from "vitest";
import { connectThread, serveThread, ThreadEndedError } from "./thread-rpc.ts";

type TestApi = {
  double(value: number): Promise<number>;
  fail(): Promise<void>;
  hang(): Promise<void>;
};

function connect() {
  const { port1, port2 } = new MessageChannel();
  serveThread<TestApi>(port1, {
    double: async (value) => value * 2,
    fail: async () => {
      throw new RangeError("too much");
    },
    hang: () => new Promise(() => {}),
  });
  return { served: port1, client: connectThread<TestApi>(port2) };
}

it("passes calls, results and errors between two threads", async () => {
  const { served, client } = connect();
  expect(await Promise.all([client.call("double", [2]), client.call("double", [21])])).toEqual([
    4, 42,
  ]);
  await expect(client.call("fail", [])).rejects.toThrow("too much");
  served.close();
});

it("fails the calls under way and all later ones when the other end is gone", async () => {
  const { served, client } = connect();
  const underWay = client.call("hang", []);
  served.close();
  await expect(underWay).rejects.toThrow(ThreadEndedError);
  await expect(client.call("double", [1])).rejects.toThrow(ThreadEndedError);
});
