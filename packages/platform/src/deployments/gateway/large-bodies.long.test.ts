import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent } from "node:http";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { sendRequest } from "./testing/send-request.fixture.ts";
import { serveHttp } from "./testing/socket-service.fixture.ts";

const MIB = 1024 ** 2;
const UPLOADS = 200;
const BYTES = 10 * MIB;
const PROCESS = fileURLToPath(new URL("testing/gateway-process.fixture.ts", import.meta.url));

/** JSON that names its environment in the last of so many bytes. */
function namedLast(bytes: number): Buffer {
  const end = Buffer.from('","environment":"staging"}');
  const body = Buffer.alloc(bytes, '\\"environment\\":');
  body.set(Buffer.from('{"inputs":"'));
  // No escape may end in the last quote.
  body.fill("x", bytes - end.length - 20);
  body.set(end, bytes - end.length);
  return body;
}

it("takes 200 uploads of 10 MiB at once, each named at its end, in bounded memory", async () => {
  const body = namedLast(BYTES);
  expect(JSON.parse(body.toString()).environment).toBe("staging");
  const service = await serveHttp((incoming, outgoing) => {
    let bytes = 0;
    incoming.on("data", (chunk: Buffer) => {
      // Every byte is the same as it was sent.
      if (!chunk.equals(body.subarray(bytes, bytes + chunk.length))) incoming.destroy();
      bytes += chunk.length;
    });
    incoming.on("end", () => outgoing.end(String(bytes)));
  });
  const gateway = fork(PROCESS, [service.socketPath], { execArgv: ["--no-warnings"] });
  onTestFinished(() => void gateway.kill("SIGKILL"));
  const [{ port }] = (await once(gateway, "message")) as [{ port: number }];
  const memory = async () => {
    gateway.send("memory");
    const [{ peak }] = (await once(gateway, "message")) as [{ peak: number }];
    return peak;
  };
  const headers = { "content-type": "application/json", "content-length": BYTES };
  const agent = new Agent({ maxSockets: UPLOADS });
  const upload = () =>
    sendRequest({ options: { port, method: "POST", headers, agent }, body: [body] });
  await upload();
  const before = await memory();
  const answers = await Promise.all(Array.from({ length: UPLOADS }, upload));
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 200, headers: { found: "staging" } });
    expect(String(answer.body)).toBe(String(BYTES));
  }
  const grown = (await memory()) - before;
  // Held whole they would be 2,000 MiB; what is not collected yet comes on top of 64 MiB.
  expect(grown).toBeLessThan(320 * MIB);
});
