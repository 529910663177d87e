import { createApiClient } from "../api-client/api-client.ts";
import { apiPath } from "../api-client/api-path.ts";
import { readBaseUrl, wrongUrl } from "../api-client/connection.ts";
import { WrongUsage } from "./client/failures.ts";
import { readJsonInput } from "./client/read-input.ts";

/** What a running workflow answers as its `/openapi.json`, or a file that has it. */
export async function readOpenApi(source: string): Promise<unknown> {
  if (!/^https?:/i.test(source)) return await readJsonInput(source);
  const url = readBaseUrl(source.replace(/\/openapi\.json$/, ""));
  if (url === undefined) {
    throw new WrongUsage(`--from ${wrongUrl(source, "http://127.0.0.1:4101")}`);
  }
  // The workflow gets no key: it may be anybody's.
  const workflow = createApiClient({ url, apiKey: undefined, project: undefined });
  return (await workflow.get<unknown>(apiPath`/openapi.json`)).value;
}
