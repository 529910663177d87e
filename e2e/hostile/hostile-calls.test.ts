import { spawn } from "node:child_process";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { createInterface } from "node:readline";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";

const PROGRAM = fileURLToPath(new URL("hostile-workflow.fixture.ts", import.meta.url));

let url: string;
const workflow = spawn(process.execPath, ["--max-old-space-size=256", PROGRAM], {
  stdio: ["ignore", "pipe", "inherit"],
});
beforeAll(async () => {
  const [line] = await once(createInterface(workflow.stdout), "line");
  url = line as string;
});
afterAll(async () => {
  const ended = once(workflow, "exit");
  workflow.kill("SIGKILL");
  await ended;
});

function call(path: string, inputs: unknown = {}, init: RequestInit = {}): Promise<Response> {
  return fetch(`${url}/playground/run${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ inputs }),
    ...init,
  });
}

async function dataOf(answer: Promise<Response>): Promise<unknown> {
  return ((await (await answer).json()) as { data: unknown }).data;
}

it("50 clients that leave endless streams collected as JSON end all of them, in a heap of 256 MB", async () => {
  for (let round = 1; round <= 10; round += 1) {
    const leaving = Array.from({ length: 5 }, () => new AbortController());
    const answers = leaving.map(({ signal }) => call("/endless", {}, { signal }));
    const settled = Promise.allSettled(answers);
    // The streams never wait: that another call is answered shows that they give way.
    expect(await dataOf(call("/left"))).toBe((round - 1) * 5);
    for (const controller of leaving) controller.abort();
    expect((await settled).map(({ status }) => status)).toEqual(Array(5).fill("rejected"));
    await expect.poll(() => dataOf(call("/left"))).toBe(round * 5);
  }
});

it("30 clients that send their bodies too slowly are answered with 504 and disconnected", async () => {
  const slow = Array.from({ length: 30 }, async () => {
    const sending = request(`${url}/playground/run/echo`, {
      method: "POST",
      headers: { "content-type": "application/json", "content-length": 100_000 },
    });
    sending.on("error", () => {});
    sending.write('{"inputs":');
    const [answer] = (await once(sending, "response")) as [IncomingMessage];
    const { detail } = (await json(answer)) as { detail: { msg: string }[] };
    if (!answer.socket.destroyed) await once(answer.socket, "close");
    return [answer.statusCode, detail[0]?.msg];
  });
  const msg =
    "The call took longer than the route's timeout of 500 ms: it was reading the request body.";
  expect(await Promise.all(slow)).toEqual(Array(30).fill([504, msg]));
  expect(await dataOf(call("/echo", "still here"))).toBe("still here");
});

it("values that cannot be shown, and headers that would split an answer, are errors like others", async () => {
  const thrown = await call("/thrown");
  expect([thrown.status, await thrown.json()]).toMatchObject([
    500,
    { detail: [{ msg: "The thrown value has no readable message.", type: "function_failed" }] },
  ]);
  for (const note of ["a\r\nset-cookie: a=b", "a\n\n<html>", "\0", "é"]) {
    const split = await call("/split", { note });
    expect(split.status).toBe(500);
    expect(split.headers.get("set-cookie")).toBeNull();
    expect(await split.json()).toMatchObject({ detail: [{ type: "function_failed" }] });
  }
});
