import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import { APPLICATIONS, makeApplication, sendJson } from "./testing/registry-client.fixture.ts";

it("answers 503 while the registry cannot be written, and logs why", async () => {
  const platform = await startTestPlatform();
  try {
    const app = await makeApplication(platform);
    const another = new DatabaseSync(join(platform.dataDirectory, "registry.db"));
    another.exec("BEGIN IMMEDIATE");
    const refused = await sendJson(platform, "POST", APPLICATIONS, { slug: "late" });
    expect(refused.status).toBe(503);
    expect(refused.headers["retry-after"]).toBe("5");
    expect(refused.json.detail).toMatchObject([{ loc: [], type: "store_unavailable" }]);
    expect((await app.get("")).status).toBe(200);
    another.close();
    expect((await sendJson(platform, "POST", APPLICATIONS, { slug: "late" })).status).toBe(201);
    const lines = await platform.logLines();
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: "The registry could not be used.", path: APPLICATIONS }),
    );
  } finally {
    await platform.close();
  }
});
