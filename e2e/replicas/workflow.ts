import * as ag from "@agate/sdk";
import { post } from "../opentelemetry/post.ts";

class DescribeConfig extends ag.BaseModel {
  limit = ag.Field(ag.int, { default: 3, ge: 1 });
}

/** A workflow whose answer shows its configuration, and which knows one server alone. */
export interface Workflow extends AsyncDisposable {
  readonly url: string;
  /** How many characters its configuration lets it say. */
  limit(environment?: string): Promise<number>;
  /** The same as a response, with any status. */
  call(environment?: string): ReturnType<typeof post>;
}

export async function startWorkflow(application: string, baseUrl: string): Promise<Workflow> {
  // What it warns of while its server is away is none of the test's business.
  const app = ag.createApp({ application, baseUrl, onWarning: () => {} });
  app.route(
    "/describe",
    DescribeConfig,
  )(async ({ stone }: { stone: string }, { config }) => stone.slice(0, config.limit));
  const serving = await ag.serve({ app, port: 0, signals: false });
  const call: Workflow["call"] = (environment = "production") =>
    post(`${serving.url}/run/describe`, { environment, inputs: { stone: "x".repeat(1_000) } });
  return {
    url: serving.url,
    call,
    limit: async (environment) => String((await call(environment)).body.data).length,
    [Symbol.asyncDispose]: () => serving.close(),
  };
}
