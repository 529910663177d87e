import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type DataFolder, emptyDataFolder } from "../../data-folder.ts";
import { runAgate } from "../../run-agate.ts";
import { type RunningServer, startServer } from "../../running-server.ts";
import { openBrowser } from "../open-browser.ts";
import { openPage } from "../web-page.ts";

let browser: Browser;
let folder: DataFolder;
let server: RunningServer;
let adminKey: string;
beforeAll(async () => {
  [browser, folder] = await Promise.all([openBrowser(), emptyDataFolder()]);
  const create = ["keys", "create", "grace", "--scope", "admin", "--data-dir", folder.path];
  adminKey = (await runAgate(create)).stdout.trim();
  server = await startServer({ dataDirectory: folder.path, flags: ["--require-key"] });
});
afterAll(async () => {
  await browser?.close();
  await server?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
}

const asksForKey = (page: Page) =>
  page.getByRole("heading", { level: 1, name: "Sign in to Agate" }).waitFor();

it("asks for a key, says that one is wrong, and opens what was asked for with a right one", async () => {
  await using web = await openPage(browser, { url: server.url });
  const { page } = web;
  await web.open("/traces?q=refund");
  await asksForKey(page);
  await web.expectAccessible();
  await signIn(page, `ag_12345678_${"x".repeat(32)}`);
  await page.getByText("The API key is not one of this server's, or was revoked.").waitFor();
  await web.expectAccessible();
  await signIn(page, ` ${adminKey} `);
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
  const headers = { authorization: `Bearer ${adminKey}`, "content-type": "application/json" };
  const made = await fetch(`${server.url}/registry/keys`, {
    method: "POST",
    headers,
    body: JSON.stringify({ name: "guest", scopes: ["read"] }),
  });
  const { id, key } = (await made.json()) as { readonly id: string; readonly key: string };
  await using web = await openPage(browser, { url: server.url });
  const { page } = web;
  await web.open("/traces");
  await signIn(page, key);
  await page.getByRole("heading", { level: 1, name: "Traces" }).waitFor();
  await fetch(`${server.url}/registry/keys/${id}`, { method: "DELETE", headers });
  await page.getByRole("link", { name: "Applications" }).click();
  await asksForKey(page);
  web.expectNoFaults();
});

it("does nothing for the page of another program on this machine", async () => {
  const other = createServer((_, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>Other</title>");
  }).listen(0, "127.0.0.1");
  await once(other, "listening");
  await using web = await openPage(browser, { url: server.url });
  const { page } = web;
  await web.open("/");
  await signIn(page, adminKey);
  await page.getByRole("button", { name: /grace/ }).waitFor();

  await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
  const requests = [
    ["GET", "/observability/traces/"],
    ["POST", "/registry/keys"],
    ["POST", "/session"],
  ];
  for (const [method = "", path = ""] of requests) {
    const [response] = await Promise.all([
      page.waitForResponse((each) => each.url() === server.url + path),
      page.evaluate(
        async ([url = "", method = ""]) => {
          await fetch(url, {
            method,
            mode: "no-cors",
            credentials: "include",
            ...(method === "POST" && { body: "{}" }),
          });
        },
        [server.url + path, method],
      ),
    ]);
    // Cookies know no ports: the browser does send it. Without, these were a 401.
    expect(response.status(), `${method} ${path}`).toBe(403);
  }
  other.close();
});
