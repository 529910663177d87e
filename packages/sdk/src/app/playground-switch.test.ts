import { describe, expect, it } from "vitest";
import { BaseModel } from "../config/base-model.ts";
import { answerOf, KnownConfig, post } from "./call-app.fixture.ts";
import { createApp } from "./create-app.ts";

class NoConfig extends BaseModel {}

function appWith(playground: boolean | undefined, basePath?: string) {
  const app = createApp({ configSource: new KnownConfig({}), playground, basePath });
  app.entrypoint(NoConfig)(() => "entry");
  app.route("/say", NoConfig)(() => "said");
  return app;
}

const PLAYGROUND = ["/generate", "/playground/run", "/playground/run/say"];
const DEPLOYED = ["/generate_deployed", "/run", "/run/say"];

async function pathsOf(app: ReturnType<typeof appWith>): Promise<string[]> {
  const answer = await app.fetch(new Request("http://workflow.test/openapi.json"));
  const { paths } = (await answer.json()) as { paths: Record<string, { post?: object }> };
  return Object.keys(paths).filter((path) => paths[path]?.post !== undefined);
}

describe("an app with playground: false", () => {
  it("serves no playground endpoint, and says why", async () => {
    const app = appWith(false);
    for (const path of PLAYGROUND) {
      for (const spelling of [path, `${path}/`, path.replace("n", "%6e")]) {
        const { status, body } = await answerOf(post(app, spelling, { config: {} }));
        expect([status, body.detail[0].type]).toEqual([404, "route_not_found"]);
        expect(body.detail[0].msg).toContain("playground is off");
        expect(body).not.toHaveProperty("trace");
      }
    }
    const other = await answerOf(post(app, "/nowhere", {}));
    expect(other.body.detail[0].msg).toMatch(/^There is nothing at \/nowhere\. The routes are /);
    expect(other.body.detail[0].msg).not.toContain("playground");
  });

  it("serves its deployed endpoints, and describes them alone", async () => {
    const app = appWith(false);
    for (const path of DEPLOYED) {
      expect((await answerOf(post(app, path, {}))).status).toBe(200);
    }
    expect((await pathsOf(app)).toSorted()).toEqual(DEPLOYED.toSorted());
  });

  it("says so below a base path, too", async () => {
    const { body } = await answerOf(post(appWith(false, "/api"), "/api/playground/run/say", {}));
    expect(body.detail[0].msg).toContain("playground is off");
  });
});

it.each([true, undefined])("an app with playground: %s serves both", async (playground) => {
  const app = appWith(playground);
  expect(await pathsOf(app)).toHaveLength(6);
  expect((await answerOf(post(app, "/playground/run/say", {}))).status).toBe(200);
});

it("the option is a boolean", () => {
  expect(() => createApp({ playground: "off" as never })).toThrow(
    'playground must be true or false (got "off").',
  );
});
