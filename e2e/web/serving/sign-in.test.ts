import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { emptyDataFolder } from "../../data-folder.ts";
import { runAgate } from "../../run-agate.ts";
import { startServer } from "../../running-server.ts";
import { withPlatform } from "../with-platform.ts";

const { open, platform } = withPlatform(startLocked);

/** A server that asks everybody for a key, and one that opens it. */
async function startLocked() {
  await using parts = new AsyncDisposableStack();
  const { path } = parts.use(await emptyDataFolder());
  const create = ["keys", "create", "grace", "--scope", "admin", "--data-dir", path];
  const adminKey = (await runAgate(create)).stdout.trim();
  const options = { dataDirectory: path, flags: ["--require-key"] };
  const { url } = parts.use(await startServer(options));
  const started = parts.move();
  return { url, adminKey, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
}

const asksForKey = (page: Page) =>
  page.getByRole("heading", { level: 1, name: "Sign in to Agate" }).waitFor();

it("asks for a key, says that one is wrong, and opens what was asked for with a right one", async () => {
  await using web = await open("/traces?q=refund");
  const { page } = web;
  await asksForKey(page);
  await web.expectAccessible();
  await signIn(page, `ag_12345678_${"x".repeat(32)}`);
  await page.getByText("The API key is not one of this server's, or was revoked.").waitFor();
  await web.expectAccessible();
  await signIn(page, ` ${platform().adminKey} `);
  await page.getByRole("heading", { level: 1, name: "Traces" }).waitFor();
  expect(new URL(page.url()).search).toBe("?q=refund");
  expect(await page.evaluate(() => document.cookie)).toBe("");
  expect(await page.context().cookies()).toMatchObject([
    { name: "agate_session", httpOnly: true, sameSite: "Strict", path: "/" },
  ]);
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Traces" }).waitFor();

  await page.getByRole("button", { name: /grace/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await asksForKey(page);
  expect(await page.context().cookies()).toEqual([]);
  await page.reload();
  await asksForKey(page);
  web.expectNoFaults();
});

it("asks again when the key is revoked", async () => {
  const headers = {
    authorization: `Bearer ${platform().adminKey}`,
    "content-type": "application/json",
  };
  const made = await fetch(`${platform().url}/registry/keys`, {
    method: "POST",
    headers,
    body: JSON.stringify({ name: "guest", scopes: ["read"] }),
  });
  const { id, key } = (await made.json()) as { readonly id: string; readonly key: string };
  await using web = await open("/traces");
  const { page } = web;
  await signIn(page, key);
  await page.getByRole("heading", { level: 1, name: "Traces" }).waitFor();
  await fetch(`${platform().url}/registry/keys/${id}`, { method: "DELETE", headers });
  await page.getByRole("link", { name: "Applications" }).click();
  await asksForKey(page);
  web.expectNoFaults();
});

it("does nothing for the page of another program on this machine", async () => {
  const other = createServer((_, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>Other</title>");
  }).listen(0, "127.0.0.1");
  await once(other, "listening");
  await using web = await open("/");
  const { page } = web;
  await signIn(page, platform().adminKey);
  await page.getByRole("button", { name: /grace/ }).waitFor();

  await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
  const requests = [
    ["GET", "/observability/traces/"],
    ["POST", "/registry/keys"],
    ["POST", "/session"],
  ];
  for (const [method = "", path = ""] of requests) {
    const [response] = await Promise.all([
      page.waitForResponse((each) => each.url() === platform().url + path),
      page.evaluate(
        async ([url = "", method = ""]) => {
          await fetch(url, {
            method,
            mode: "no-cors",
            credentials: "include",
            ...(method === "POST" && { body: "{}" }),
          });
        },
        [platform().url + path, method],
      ),
    ]);
    // Cookies know no ports: the browser does send it. Without, these were a 401.
    expect(response.status(), `${method} ${path}`).toBe(403);
  }
  other.close();
});
