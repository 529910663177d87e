import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { emptyDataFolder } from "../data-folder.ts";
import { expectRefusal } from "../run-agate.ts";
import { runInProcess } from "../run-in-process.ts";
import { startServer } from "../running-server.ts";
import { clientOf, spawnedClientOf } from "./agate-client.ts";

/** Something that listens, and is not a platform. */
async function other(listener: RequestListener): Promise<{ url: string } & Disposable> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    [Symbol.dispose]: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

describe("a platform that cannot be asked", () => {
  it("is not there", async () => {
    let url: string;
    {
      using gone = await other(() => {});
      url = gone.url;
    }
    const message = `No Agate platform answers at ${url}. Start one with \`agate server\`, or name another with --url.`;
    for (const command of [["apps"], ["traces", "--follow"], ["logs", "x", "-f"], ["trace", "a"]]) {
      expectRefusal(await clientOf(url)(...command), 1, message);
    }
    const { code, stdout, stderr } = await spawnedClientOf(url)("apps", "--json");
    expect([code, stdout]).toEqual([1, ""]);
    expect(JSON.parse(stderr)).toEqual({ error: { message, status: null, detail: [] } });
  });

  it("is another program, or has one in front of it", async () => {
    using page = await other((_request, response) => {
      response.setHeader("content-type", "text/html").end("<h1>It works!</h1>");
    });
    expectRefusal(
      await clientOf(page.url)("apps"),
      1,
      /not an Agate platform.*status 200, it is of type text\/html\. Check the address\./,
    );
    expectRefusal(
      await clientOf(page.url.replace("http:", "https:"))("apps"),
      1,
      /^agate: Can't connect to https:\S+: The server does not use TLS: write http:\/\/ instead/,
    );
    using proxy = await other((_request, response) => response.writeHead(502).end("Bad Gateway"));
    expectRefusal(await clientOf(proxy.url)("apps"), 1, /status 502, its error is without a type/);
    using moved = await other((_request, response) => {
      response.writeHead(308, { location: "https://agate.example/" }).end();
    });
    expectRefusal(
      await clientOf(moved.url)("apps"),
      1,
      /it redirects to https:\/\/agate\.example\//,
    );
  });

  it("breaks off", async () => {
    using rude = await other((_request, response) => response.destroy());
    expectRefusal(
      await clientOf(rude.url)("apps"),
      1,
      /closed the connection before the response was complete/,
    );
  });
});

describe("keys", () => {
  it("are asked for, made, used, limited to their scopes, and revoked", async () => {
    await using local = await startServer();
    const operator = clientOf(local.url);
    const { stdout: key, stderr } = await operator("keys", "create", "reader", "--scope", "read");
    expect(key).toMatch(/^ag_\S+\n$/);
    expect(stderr).toMatch(/it is not shown again/);
    const reader = clientOf(local.url, { AGATE_API_KEY: key.trim() });
    expect((await spawnedClientOf(local.url, { AGATE_API_KEY: key.trim() })("apps")).code).toBe(0);
    expectRefusal(
      await reader("apps", "create", "x"),
      1,
      /admin.*Use another key with --api-key or AGATE_API_KEY\./,
    );
    expectRefusal(
      await operator("apps", "--api-key", "ag_wrong"),
      1,
      /Check --api-key or AGATE_API_KEY\./,
    );
    const list = await operator("keys");
    expect(list.stdout).toMatch(/\nkey_\w+ +reader +ag_\S+ +read +.*Z +\d{4}-/);
    expect(list.stdout).not.toContain(key.trim());
    const [, id = ""] = /\n(key_\w+)/.exec(list.stdout) ?? [];
    expect((await operator("keys", "revoke", id, "--yes")).stdout).toBe(`Revoked ${id}.\n`);
    expectRefusal(await reader("apps"), 1, /Check --api-key or AGATE_API_KEY\./);
  });

  it("are limited to environments", async () => {
    await using local = await startServer();
    const operator = clientOf(local.url);
    const limit = ["--environment", "staging,shop/production"];
    const create = ["keys", "create", "preview", "--scope", "admin,read"];
    const { stdout: key } = await operator(...create, ...limit);
    expect((await operator("keys")).stdout).toMatch(
      /ENVIRONMENTS.*\n.* staging,shop\/production /s,
    );
    const preview = clientOf(local.url, { AGATE_API_KEY: key.trim() });
    expectRefusal(
      await preview("apps", "create", "x"),
      1,
      /The API key is limited to staging, shop\/production, and this concerns more than one environment/,
    );
    expectRefusal(await operator(...create, "--environment", "Staging"), 2, /Must be staging \(of/);
  });

  it("are named where none was given", async () => {
    await using folder = await emptyDataFolder();
    const offline = ["keys", "create", "admin", "--scope", "admin", "--data-dir", folder.path];
    expect((await runInProcess(offline)).code).toBe(0);
    await using strict = await startServer({
      dataDirectory: folder.path,
      flags: ["--require-key"],
    });
    expectRefusal(
      await clientOf(strict.url)("apps"),
      1,
      /Pass a key with --api-key or AGATE_API_KEY\./,
    );
  });
});
