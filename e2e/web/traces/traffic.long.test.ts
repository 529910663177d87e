import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { startServer } from "../../running-server.ts";
import { withPlatform } from "../with-platform.ts";
import { sendTraces } from "./sent-trace.ts";

const { open, platform } = withPlatform(startServer);
const application = "shop";
const RUN = {
  "ag.evaluation.run": "run-7",
  "ag.evaluation.case": "refund-1",
  "ag.evaluation.column": "default@9",
  "ag.evaluation.trial": 2,
};
beforeAll(async () => {
  await sendTraces(platform().url, [
    { name: "from a user", application },
    { name: "from a run", application, attributes: RUN },
    { name: "from a judge", application, attributes: { ...RUN, "ag.span.kind": "EVALUATOR" } },
  ]);
});

const names = async (page: Page) =>
  (await page.getByRole("grid").getByRole("row").getByRole("link").allInnerTexts()).toSorted();

it("shows live traffic, that of evaluation runs, or all of it", async () => {
  await using web = await open("/traces");
  const { page } = web;
  const traffic = page.getByLabel("Traffic");
  await expect.poll(() => names(page)).toEqual(["from a user"]);
  await traffic.selectOption("Evaluations");
  await expect.poll(() => names(page)).toEqual(["from a judge", "from a run"]);
  expect(new URL(page.url()).searchParams.get("traffic")).toBe("evaluation");
  await traffic.selectOption("All");
  await expect.poll(() => names(page)).toHaveLength(3);
  await web.expectAccessible();
  await traffic.selectOption("Live");
  await expect.poll(() => names(page)).toEqual(["from a user"]);
  expect(new URL(page.url()).searchParams.has("traffic")).toBe(false);
  web.expectNoFaults();
});

it("names run and case of a trace, and finds the others of the run", async () => {
  await using web = await open("/traces?traffic=evaluation");
  const { page } = web;
  await page.getByRole("link", { name: "from a run" }).click();
  await page.getByTitle("Evaluation run run-7").getByText("Evaluation").waitFor();
  await page.getByText("refund-1 · default@9 · trial 2").waitFor();
  await web.expectAccessible();
  await page.getByRole("link", { name: "run-7" }).click();
  await expect.poll(() => names(page)).toEqual(["from a judge", "from a run"]);
  await page.getByRole("button", { name: "Edit filter: Run is run-7" }).waitFor();
  web.expectNoFaults();
});

it("counts live traffic on the dashboard unless told otherwise", async () => {
  await using web = await open("/");
  const { page } = web;
  const tile = page.getByRole("listitem", { name: "Calls" });
  const calls = async () => (await tile.locator("span:not(:has(span))").allTextContents())[1];
  await expect.poll(calls).toBe("1");
  await page.getByLabel("Traffic").selectOption("Evaluations");
  await expect.poll(calls).toBe("2");
  await page.getByLabel("Traffic").selectOption("All");
  await expect.poll(calls).toBe("3");
  await web.expectAccessible();
  web.expectNoFaults();
});
