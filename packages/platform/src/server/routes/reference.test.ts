import { afterAll, beforeAll, expect, it } from "vitest";
import type { TestPlatform } from "../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../testing/test-platform.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

it("shows a page that needs nothing from another host and runs no inline script", async () => {
  for (const path of ["/docs", "/docs/"]) {
    const page = await platform.get(path);
    const html = page.body.toString();
    const policy = page.headers["content-security-policy"] ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link ?? "");
    const files = links.filter((link) => link !== "data:,");
    expect(files).toHaveLength(3);
    for (const file of files) {
      expect(file).toMatch(/^\/docs\//);
      const response = await platform.get(file);
      expect(response.status).toBe(200);
      expect(response.body.length).toBeGreaterThan(50);
    }
    expect(html).not.toMatch(/<script(?! src=)/);
  }
});

it("starts from the document this server serves, and asks no validator", async () => {
  const script = (await platform.get("/docs/init.js")).body.toString();
  expect(script).toContain('url: "/openapi.json"');
  expect(script).toContain("validatorUrl: null");
  expect(script).not.toMatch(/https?:/);
});
