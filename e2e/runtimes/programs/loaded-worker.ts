// A worker that counts the spans it makes, for the load test.
import * as ag from "@agate/sdk";

class LoadConfig extends ag.BaseModel {
  version = ag.Field(ag.str, { default: "none" });
}

/** The spans that ended, or will: one for each call, and one for each step that a call comes to. */
let made = 0;

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const step = ag.instrument({ name: "step" })(async (milliseconds: number) => {
  await pause(milliseconds);
});

interface Load {
  readonly milliseconds: number;
}

ag.route(
  "/call",
  LoadConfig,
)(async ({ milliseconds }: Load, { config }) => {
  made += 1;
  await step(milliseconds);
  return config.version;
});

ag.route(
  "/stream",
  LoadConfig,
)(async function* ({ milliseconds }: Load, { config }) {
  made += 1;
  await step(0);
  for (let count = 0; count < 10; count += 1) {
    await pause(milliseconds / 10);
    yield config.version;
  }
});

const app = ag.app();

// biome-ignore lint/style/noDefaultExport: Cloudflare's form of a worker.
export default {
  fetch(...request: Parameters<ag.App["fetch"]>) {
    const { pathname } = new URL(request[0].url);
    if (pathname === "/made") return Response.json(made);
    if (pathname.startsWith("/run/")) made += 1;
    return app.fetch(...request);
  },
};
