import { spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import * as ag from "@agate/sdk";
import { afterEach, describe, expect, it, vi } from "vitest";
import { outline, readTrace } from "../clients/read-back.ts";
import { startServer } from "../running-server.ts";

class NoConfig extends ag.BaseModel {}

function echoApp(): ag.App {
  const app = ag.createApp({ application: "serve-tests" });
  app.route("/echo", NoConfig)((input: unknown) => input);
  return app;
}

afterEach(() => vi.unstubAllEnvs());

describe("ag.serve", () => {
  it("takes a free port for 0, and says where it is", async () => {
    const serving = await ag.serve({ app: echoApp(), port: 0 });
    expect(serving.port).toBeGreaterThan(0);
    expect(serving.url).toBe(`http://127.0.0.1:${serving.port}`);
    expect((await fetch(`${serving.url}/health`)).status).toBe(200);
    await serving.close();
    await expect(fetch(`${serving.url}/health`)).rejects.toThrow();
  });

  it("takes PORT where it is given none", async () => {
    vi.stubEnv("PORT", "0");
    const serving = await ag.serve({ app: echoApp() });
    expect(serving.port).not.toBe(4101);
    await serving.close();
    vi.stubEnv("PORT", "http");
    await expect(ag.serve({ app: echoApp() })).rejects.toThrow(/PORT is "http".*0 to 65535/);
  });

  it("says what to do when the port is taken", async () => {
    const first = await ag.serve({ app: echoApp(), port: 0 });
    const { port } = first;
    await expect(ag.serve({ app: echoApp(), port })).rejects.toThrow(
      `Port ${port} of 127.0.0.1 is taken by another process. Pass another: ag.serve({ port: ${port + 1} }), or set PORT.`,
    );
    await first.close();
  });

  it("leaves nothing behind when it is closed, or could not begin", async () => {
    const listeners = () => [process.listenerCount("SIGTERM"), process.listenerCount("SIGINT")];
    const before = listeners();
    const serving = await ag.serve({ app: echoApp(), port: 0 });
    await ag.serve({ app: echoApp(), port: serving.port }).catch(() => null);
    expect(listeners()).toEqual(before.map((count) => count + 1));
    await Promise.all([serving.close(), serving.close()]);
    expect(listeners()).toEqual(before);
  });

  it("refuses other hosts' names on an address of this machine only", async () => {
    const serving = await ag.serve({ app: echoApp(), port: 0 });
    const statusFor = async (host: string) => {
      const sent = request(`${serving.url}/health`, { headers: { host } }).end();
      const [response] = await once(sent, "response");
      response.resume();
      return response.statusCode as number;
    };
    expect(await statusFor("evil.example")).toBe(403);
    expect(await statusFor("evil.example:4101")).toBe(403);
    expect(await statusFor("localhost")).toBe(200);
    expect(await statusFor(`127.0.0.1:${serving.port}`)).toBe(200);
    await serving.close();
  });

  it("answers the calls that are running before it closes", async () => {
    const app = ag.createApp();
    const [started, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    app.route(
      "/wait",
      NoConfig,
    )(async () => {
      started.resolve();
      await gate.promise;
      return "done";
    });
    const serving = await ag.serve({ app, port: 0 });
    const answer = fetch(`${serving.url}/playground/run/wait`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    await started.promise;
    const closed = serving.close();
    await expect(fetch(`${serving.url}/health`)).rejects.toThrow();
    gate.resolve();
    expect(await (await answer).json()).toMatchObject({ data: "done" });
    await closed;
  });

  it("does not wait for idle connections", async () => {
    const serving = await ag.serve({ app: echoApp(), port: 0 });
    const speculative = connect(serving.port, "127.0.0.1");
    await once(speculative, "connect");
    // The server has noticed the first once it answers on a second, which is kept open.
    await (await fetch(`${serving.url}/health`)).text();
    const ended = once(speculative, "close");
    await serving.close();
    await ended;
  });
});

describe("a process that is told to end", () => {
  it.each(["SIGTERM", "SIGINT"] as const)(
    "by %s answers what is running, sends its spans, and ends by that signal",
    async (signal) => {
      await using platform = await startServer();
      await using workflow = await startWorkflow(platform.url);
      const answer = fetch(`${workflow.url}/playground/run/wait`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ inputs: { text: "last words" } }),
      });
      expect(await workflow.line()).toBe("running");

      workflow.child.kill(signal);
      await untilRefused(workflow.url);
      workflow.child.stdin.write("go on\n");
      const { data, trace_id } = (await (await answer).json()) as Record<string, string>;
      expect(data).toBe("last words");
      expect(await workflow.ended).toEqual([null, signal]);
      expect(outline(await readTrace(platform.url, trace_id!))).toBe(
        "WORKFLOW invoke_workflow wait\n  TOOL stdin",
      );
    },
  );

  it("by a second signal does not wait", async () => {
    await using platform = await startServer();
    await using workflow = await startWorkflow(platform.url);
    const answer = fetch(`${workflow.url}/playground/run/wait`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    }).catch(() => null);
    expect(await workflow.line()).toBe("running");
    workflow.child.kill("SIGINT");
    await untilRefused(workflow.url);
    workflow.child.kill("SIGINT");
    expect(await workflow.ended).toEqual([null, "SIGINT"]);
    expect(await answer).toBeNull();
  });
});

async function startWorkflow(baseUrl: string) {
  const program = fileURLToPath(new URL("gated-workflow.ts", import.meta.url));
  const child = spawn(process.execPath, [program], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, AGATE_BASE_URL: baseUrl, PORT: "0" },
  });
  const ended = once(child, "exit") as Promise<[number | null, string | null]>;
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async () => (await lines.next()).value as string | undefined;
  const url = await line();
  if (url === undefined) throw new Error("The workflow ended before it served.");
  return {
    child,
    ended,
    line,
    url,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Each try is a connection of its own, as a new client's would be. */
async function untilRefused(url: string): Promise<void> {
  const headers = { connection: "close" };
  for (;;) {
    const answer = await fetch(`${url}/health`, { headers }).catch(() => null);
    if (answer === null) return;
    await answer.body?.cancel();
  }
}
