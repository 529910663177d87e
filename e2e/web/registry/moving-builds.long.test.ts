import { beforeAll, expect, it } from "vitest";
import { startServer } from "../../running-server.ts";
import { withPlatform } from "../with-platform.ts";
import { makeShop } from "./make-shop.ts";

const { open, registry } = withPlatform(startServer);

beforeAll(() => makeShop(registry));

it("does not delete the environment that calls without one go to", async () => {
  await using web = await open("/apps/shop/environments/production");
  const { page } = web;
  await page.getByText("default", { exact: true }).first().waitFor();
  await page.getByRole("button", { name: "More actions for production" }).click();
  const deletion = page.getByRole("menuitem", { name: /^Delete…/ });
  expect(await deletion.getAttribute("aria-disabled")).toBe("true");
  await deletion.getByText("The default environment can't be deleted.").waitFor();
  await web.expectAccessible();
  web.expectNoFaults();
});

it("shows in the playground whose build is called, with its own fields", async () => {
  await using web = await open("/apps/shop/playground?route=/summarize");
  const { page } = web;
  const called = page.getByLabel("Called environment");
  await called.waitFor();
  // Calls go to staging, whose playground is on, and the form has its fields.
  expect(await called.inputValue()).toBe("");
  await page.getByLabel("temperature").first().waitFor();
  expect(await page.getByLabel("tone").count()).toBe(0);
  await called.selectOption("production");
  await page.getByLabel("tone").first().waitFor();
  await called.selectOption("");
  await page.getByLabel("tone").first().waitFor({ state: "detached" });
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST") asked.push(new URL(request.url()).pathname);
  });
  const run = page.getByRole("button", { name: "Run", exact: true });
  await page.getByRole("textbox", { name: "text" }).fill("A text.");
  await run.click();
  await expect.poll(() => asked).toEqual(["/services/shop/playground/run/summarize"]);
  await called.selectOption("staging");
  await expect.poll(() => new URL(page.url()).searchParams.get("environment")).toBe("staging");
  expect(await page.getByRole("textbox", { name: "text" }).inputValue()).toBe("A text.");
  await run.click();
  await expect.poll(() => asked[1]).toBe("/services/shop@staging/playground/run/summarize");
  await web.expectAccessible();

  await web.open("/apps/shop/playground?route=/summarize&environment=development");
  await page.getByText("No build is live in development").waitFor();
  await page.getByRole("link", { name: "Call another environment than development" }).click();
  await called.waitFor();
  web.expectNoFaults();
});
