import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, expect, it } from "vitest";
import { buildArchive } from "../../packages/platform/src/deployments/builds/testing/build-archive.fixture.ts";
import { workflow } from "../../packages/platform/src/server/routes/deployments/testing/deploying.fixture.ts";
import type { PostgresDatabases } from "../../packages/platform/src/stores/testing/embedded-postgres.fixture.ts";
import { sharedPostgres } from "../../packages/platform/src/stores/testing/shared-databases.fixture.ts";
import { type DeployClient, deployClient } from "../deployments/deploy-client.fixture.ts";
import { startServer } from "../running-server.ts";

let postgres: PostgresDatabases;
beforeAll(async () => {
  postgres = await sharedPostgres();
});

async function archive(word: string, before = ""): Promise<Uint8Array<ArrayBuffer>> {
  const handle = `response.end(${JSON.stringify(JSON.stringify(word))});`;
  const files = { "app.mjs": workflow("", { handle, before }), "package.json": "{}" };
  return new Uint8Array(await buildArchive({ files, manifest: { entry: "app.mjs" } }));
}

const answerOf = async (client: DeployClient) => (await client.call("/run/x", {})).json();

const statusesOf = async (client: DeployClient) => {
  const response = await client.send("GET", "/builds");
  const { items } = (await response.json()) as { items: { number: number; status: string }[] };
  return items.map(({ number, status }) => [number, status]);
};

/** Something that a build waits for before it answers. */
async function makeGate() {
  let isOpen = false;
  let reached = Promise.withResolvers<void>();
  const server = createServer((_, response) => {
    reached.resolve();
    response.writeHead(isOpen ? 200 : 503).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    wait: `while (!(await fetch("http://127.0.0.1:${port}")).ok) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }`,
    /** Resolves when the next build waits. */
    shut(): Promise<void> {
      isOpen = false;
      reached = Promise.withResolvers<void>();
      return reached.promise;
    },
    open() {
      isOpen = true;
    },
    [Symbol.dispose]: () => server.close().closeAllConnections(),
  };
}

// A lease is 15 s; before there was one, deploys waited for as long as the server hung.
it.each(["a new build", "an earlier build"])(
  "goes on with deploys after a lease of 15 s while a server hangs in one of %s, which is refused",
  async (what) => {
    const { url: registry } = await postgres.createDatabase();
    const flags = ["--registry", registry];
    await using hanging = await startServer({ flags });
    await using other = await startServer({ flags });
    using gate = await makeGate();
    const [first, second] = [deployClient(hanging.url), deployClient(other.url)];
    const waiting = await archive("waiting", gate.wait);
    gate.open();
    await first.mustDeploy(waiting);
    await first.mustDeploy(await archive("before"));
    await expect.poll(() => answerOf(second)).toBe("before");

    const reached = gate.shut();
    const hung =
      what === "a new build"
        ? first.deploy(await archive("newer", gate.wait))
        : first.send("POST", "/builds/1/activate", { environment: "production" });
    await reached;
    process.kill(hanging.pid, "SIGSTOP");
    gate.open();
    const { build } = await second.mustDeploy(await archive("after"));
    expect(await answerOf(second)).toBe("after");

    process.kill(hanging.pid, "SIGCONT");
    const refused = await hung;
    const { detail } = (await refused.json()) as { detail: { type: string }[] };
    expect([refused.status, detail[0]?.type]).toEqual([409, "deploy_superseded"]);
    await expect.poll(() => answerOf(first)).toBe("after");
    const live = (await statusesOf(second)).filter(([, status]) => status === "live");
    expect(live).toEqual([[build.number, "live"]]);
    // The server that hung takes deploys again.
    await first.mustDeploy(await archive("again"));
    await expect.poll(() => answerOf(second)).toBe("again");
  },
  110_000,
);
