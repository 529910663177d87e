import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { workflowOpenapi } from "../../../packages/platform/src/server/routes/registry/testing/workflow-openapi.fixture.ts";
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

function asAdmin(method: string, path: string, body?: object): Promise<Response> {
  const { url, adminKey } = platform();
  return fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
}

async function makeKey(name: string, scopes: readonly string[]) {
  const made = await asAdmin("POST", "/registry/keys", { name, scopes });
  return (await made.json()) as { readonly id: string; readonly key: string };
}

const asksForKey = (page: Page) =>
  page.getByRole("heading", { level: 1, name: "Sign in to Agate" }).waitFor();

it("asks for a key, rejects a wrong one, and opens the requested page with a right one", async () => {
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

it("rejects a key without the read scope, and accepts another; other tabs follow", async () => {
  const { key } = await makeKey("caller", ["run", "ingest"]);
  await using web = await open("/apps");
  const { page } = web;
  const tab = await page.context().newPage();
  await tab.goto("/traces");
  await asksForKey(tab);
  await signIn(page, key);
  const told = "The key “caller” has no read scope (only ingest, run). Sign in with another key.";
  await page.getByText(told).waitFor();
  await tab.getByText(told).waitFor();
  await web.expectAccessible();
  await signIn(page, platform().adminKey);
  await page.getByRole("heading", { level: 1, name: "Applications" }).waitFor();
  await tab.getByRole("heading", { level: 1, name: "Traces" }).waitFor();
  await tab.getByRole("button", { name: /grace/ }).click();
  await tab.getByRole("menuitem", { name: "Sign out" }).click();
  await asksForKey(page);
  web.expectNoFaults();
});

it("asks again when the key is revoked, even on an idle page", async () => {
  const { id, key } = await makeKey("guest", ["read"]);
  await using web = await open("/traces");
  const { page } = web;
  await signIn(page, key);
  await page.getByRole("heading", { level: 1, name: "Traces" }).waitFor();
  await page.getByRole("button", { name: "Live" }).click();
  await asAdmin("DELETE", `/registry/keys/${id}`);
  await asksForKey(page);
  web.expectNoFaults();
});

it("clears the outputs of the playground on sign-out, in other tabs too", async () => {
  await asAdmin("POST", "/registry/applications", { slug: "idle" });
  await asAdmin("PUT", "/registry/applications/idle/schema", workflowOpenapi());
  await using web = await open("/apps/idle/playground");
  const { page } = web;
  await signIn(page, platform().adminKey);
  const text = page.getByRole("textbox", { name: "text" });
  await text.waitFor();
  // The address has the cases a moment after the page is loaded, and after a pause in typing.
  await expect.poll(() => new URL(page.url()).hash).not.toBe("");
  const empty = page.url();
  await text.fill("Mine alone.");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByText("No build serves idle").waitFor();
  await expect.poll(() => keptRuns(page)).toBe(1);
  await expect.poll(() => page.url()).not.toBe(empty);
  const tab = await page.context().newPage();
  await tab.goto(page.url());
  await tab.getByText("No build serves idle").waitFor();

  await page.getByRole("button", { name: /grace/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await asksForKey(page);
  await asksForKey(tab);
  await signIn(page, platform().adminKey);
  await page.getByText("Not run yet").waitFor();
  expect(await keptRuns(page)).toBe(0);
  web.expectNoFaults();
});

it("rejects requests of pages from another port", async () => {
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

/** How many runs of the playground the browser keeps. */
function keptRuns(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    const opening = indexedDB.open("agate-playground");
    opening.onsuccess = () => {
      const counting = opening.result.transaction("runs").objectStore("runs").count();
      counting.onsuccess = () => {
        opening.result.close();
        resolve(counting.result);
      };
    };
    return promise;
  });
}
