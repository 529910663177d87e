import { workflowOpenapi } from "../../../packages/platform/src/server/routes/registry/testing/workflow-openapi.fixture.ts";
import type { Platform, PlatformTests } from "../with-platform.ts";

const APP = "/applications/shop";
const temperature = { type: "number", default: 0.7, "x-ag-control": "number" };
const tone = { type: "string", default: "plain", "x-ag-control": "text-area" };

/**
 * Makes the application "shop": build 1 with the field tone, set to another value, in production; build 2
 * without it in staging.
 */
export async function makeShop(registry: PlatformTests<Platform>["registry"]): Promise<void> {
  await registry("POST", "/applications", { slug: "shop" });
  const put = (environment: string, fields: Readonly<Record<string, object>>) =>
    registry("PUT", `${APP}/schema?environment=${environment}`, workflowOpenapi(fields));
  await put("production", { temperature, tone });
  await registry("POST", `${APP}/variants/default/revisions`, {
    params: { "/summarize": { tone: "formal" } },
    base_revision: 1,
  });
  await registry("POST", `${APP}/environments/production/deployments`, {
    variant: "default",
    revision: 2,
  });
  await put("staging", { temperature });
  await registry("PATCH", `${APP}/environments/staging/variables`, { set: { TOKEN: "x" } });
}
