// A worker that counts the spans it makes, for the load test.
import * as ag from "@agate/sdk";

class LoadConfig extends ag.BaseModel {
  version = ag.Field(ag.str, { default: "none" });
}

/** The spans that ended, or will: two for each call. */
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
  made += 2;
  await step(milliseconds);
  return config.version;
});

ag.route(
  "/stream",
  LoadConfig,
)(async function* ({ milliseconds }: Load, { config }) {
  made += 2;
  await step(0);
  for (let count = 0; count < 10; count += 1) {
    await pause(milliseconds / 10);
    yield config.version;
  }
});

const app = ag.app();

// biome-ignore lint/style/noDefaultExport: Cloudflare's form of a worker.
export default {
  fetch: (...request: Parameters<ag.App["fetch"]>) =>
    request[0].url.endsWith("/made") ? Response.json(made) : app.fetch(...request),
};
