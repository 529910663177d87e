import type { TestRow } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import { startServer } from "../../running-server.ts";
import { descriptionOf } from "../description-of.ts";
import { withPlatform } from "../with-platform.ts";
import { commit, dialog } from "./commit-rows.ts";

const { newPage, open, registry } = withPlatform(startServer);

async function rowsOf(set: string): Promise<readonly TestRow[]> {
  const path = `/testsets/${set}/revisions/latest/rows`;
  return (await registry<{ items: readonly TestRow[] }>("GET", path)).items;
}

describe("columns of a CSV file", () => {
  it("are guessed from the route, and can be mapped and typed before they are imported", async () => {
    await registry("POST", "/applications", { slug: "mapped" });
    const fields = { question: { type: "string" }, k: { type: "integer" } };
    const inputs = { type: "object", properties: fields };
    const schema = { properties: { inputs, config: { type: "object", properties: {} } } };
    const post = {
      ...{ "x-ag-route": "/answer", "x-ag-endpoint": "playground" },
      requestBody: { content: { "application/json": { schema } } },
    };
    const paths = { "/playground/run/answer": { post } };
    await registry("PUT", "/applications/mapped/schema", { openapi: "3.1.0", paths });
    const boundTo = { application: "mapped", route: "/answer" };
    await registry("POST", "/testsets", { slug: "tickets", bound_to: boundTo });
    await using web = await open("/testsets/tickets");
    const { page } = web;
    await page.getByRole("button", { name: "Import" }).click();
    await dialog(page)
      .getByRole("textbox", { name: "CSV or JSONL" })
      .fill("ID,Question,k,label,points\n7,Why?,3,so,4.5");
    const use = (column: string) =>
      dialog(page).getByRole("combobox", { name: `Use ${column} as` });
    const preview = dialog(page).getByRole("status", { name: "Preview" });
    await preview.getByText('added: 7 {"question":"Why?","k":3} → "so"').waitFor();
    expect(await use("points").inputValue()).toBe("metadata");
    await use("points").selectOption("Expected");
    await dialog(page).getByRole("alert").getByText("at the same place").waitFor();
    await dialog(page).getByRole("textbox", { name: "Field of points" }).fill("points");
    await dialog(page).getByRole("combobox", { name: "Type of points" }).selectOption("Number");
    await dialog(page).getByRole("textbox", { name: "Field of label" }).fill("word");
    await use("ID").selectOption("Left out");
    await preview.getByText('{"question":"Why?","k":3} → {"word":"so","points":4.5}').waitFor();
    await web.expectAccessible();
    await web.look({ width: 390, theme: "dark" });
    await web.expectNoOverflow();
    await web.expectAccessible();
    await dialog(page).getByRole("button", { name: "Apply to draft" }).click();
    await commit(page, "Mapped");
    await page.getByText("Revision 1 committed.").waitFor();
    expect(await rowsOf("tickets")).toMatchObject([
      { inputs: { question: "Why?", k: 3 }, expected: { word: "so", points: 4.5 }, metadata: {} },
    ]);
    web.expectNoFaults();
  });
});

describe("a row", () => {
  it("is purged from all revisions after a warning, and shown as purged", async () => {
    await registry("POST", "/testsets", { slug: "personal" });
    const upsert = [
      { id: "ada", inputs: { text: "My name is Ada." } },
      { id: "eve", inputs: { text: "Hello" } },
    ];
    await registry("POST", "/testsets/personal/revisions", { upsert, base_revision: 0 });
    await using web = await open("/testsets/personal");
    const { page } = web;
    await page.getByRole("button", { name: "Edit ada" }).click();
    await dialog(page).getByRole("textbox", { name: "Tags" }).fill("new");
    await dialog(page).getByRole("button", { name: "Apply" }).click();
    await page.getByText("Draft on revision 1: 1 changed").waitFor();
    await page.getByRole("button", { name: "Purge ada" }).click();
    await dialog(page).getByText("This can't be undone.").waitFor();
    await web.expectAccessible();
    await dialog(page).getByRole("button", { name: "Purge", exact: true }).click();
    const row = page.getByRole("row").filter({ hasText: "ada" });
    await row.getByText("Content deleted").waitFor();
    await page.getByText("Revision 1", { exact: true }).waitFor();
    expect(await row.getByRole("button").count()).toBe(1);
    await web.expectAccessible();
    expect(await rowsOf("personal")).toMatchObject([{ id: "ada", inputs: {}, purged: true }, {}]);
    web.expectNoFaults();
  });

  it("is not purged with a key that may only edit", async () => {
    await registry("POST", "/testsets", { slug: "edited" });
    const upsert = [{ id: "eve", inputs: {} }];
    await registry("POST", "/testsets/edited/revisions", { upsert, base_revision: 0 });
    const editor = { name: "editor", scopes: ["read", "evaluate"] };
    const { key } = await registry<{ key: string }>("POST", "/keys", editor);
    await using web = await newPage();
    const { page } = web;
    await page.context().request.post("/session", { data: { key } });
    await web.open("/testsets/edited");
    const purge = page.getByRole("button", { name: "Purge eve" });
    const reason = "Purging a row needs a key with the admin scope.";
    await expect.poll(() => descriptionOf(purge)).toBe(reason);
    expect(await purge.isDisabled()).toBe(true);
    expect(await page.getByRole("button", { name: "Edit eve" }).isEnabled()).toBe(true);
    web.expectNoFaults();
  });
});
