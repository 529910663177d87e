import type { Application } from "@agate/protocol";
import { Command, Option } from "commander";
import { type ApiClient, apiPath, createApiClient } from "../../api-client/api-client.ts";
import { readBaseUrl, wrongUrl } from "../../api-client/connection.ts";
import { examples, HEADINGS } from "../client/command-help.ts";
import { CommandFailure, WrongUsage } from "../client/failures.ts";
import type { Session } from "../client/on-platform.ts";
import { onPlatform } from "../client/on-platform.ts";
import type { Assignment } from "../client/option-values.ts";
import { collectAssignments, readObjectInput, toObject } from "../client/option-values.ts";
import type { Items } from "../client/paged-list.ts";
import type { VariantRef } from "../client/revision-ref.ts";
import { parseVariantRef } from "../client/revision-ref.ts";
import type { Call } from "./call-route.ts";
import { callRoute, streamRoute } from "./call-route.ts";

interface RunFlags {
  readonly app?: string;
  readonly environment?: string;
  readonly variant?: VariantRef;
  readonly config?: readonly Assignment[];
  readonly playground?: boolean;
  readonly input?: readonly Assignment[];
  readonly inputs?: string;
  readonly stream?: boolean;
  readonly serviceUrl?: string;
}

/** `agate run`: one call of a route. */
export function runCommand(): Command {
  const command = new Command("run")
    .description("Call a route and print what it returns.")
    .helpGroup(HEADINGS.deploy)
    .argument("<route>", "path of the route, such as /summarize; / is the entrypoint")
    .option(
      "--app <name>",
      "name or id of the application (default: $AGATE_APPLICATION, else the only one)",
    )
    .option(
      "--environment <environment>",
      "call what is live there (default: the application's default environment)",
    )
    .addOption(
      new Option("--variant <variant>", "call this variant, or variant@revision")
        .argParser(parseVariantRef)
        .conflicts(["config", "playground"]),
    )
    .option(
      "--config <field=value>",
      "call the playground with this field (repeatable)",
      collectAssignments,
    )
    .option("--playground", "call the playground, with the defaults of the route")
    .option(
      "--input <name=value>",
      "an input; the value is JSON, else text (repeatable)",
      collectAssignments,
    )
    .option("--inputs <file>", "JSON file with the inputs; - is standard input")
    .option("--stream", "print chunks of the response as they arrive")
    .option("--service-url <url>", "call a workflow at this address directly, without a platform")
    .addHelpText(
      "after",
      examples(
        "agate run /summarize --app support --input text='Hello there'",
        "agate run /summarize --app support --variant shorter@2 --inputs article.json",
        "agate run /summarize --service-url http://127.0.0.1:4101 --config temperature=0 --input text=hi",
      ),
    );
  return onPlatform<[string], RunFlags>(command, async (session, route) => {
    const call = await prepareCall(session, route);
    if (session.flags.stream) await streamRoute(session, call);
    else await callRoute(session, call);
  });
}

async function prepareCall(session: Session<RunFlags>, route: string): Promise<Call> {
  const { flags } = session;
  const { api, prefix } = await findService(session);
  const isPlayground = flags.playground === true || flags.config !== undefined;
  const endpoint = isPlayground ? apiPath`/playground/run` : apiPath`/run`;
  const inputs = {
    ...(flags.inputs === undefined ? {} : await readObjectInput(flags.inputs, session.process)),
    ...toObject(flags.input ?? []),
  };
  return {
    api,
    path: (prefix + endpoint + encodeRoute(route)) as Call["path"],
    body: { ...selection(flags, isPlayground), inputs },
  };
}

/** What the endpoints take beside the inputs. */
function selection(flags: RunFlags, isPlayground: boolean): Record<string, unknown> {
  if (isPlayground) return { config: toObject(flags.config ?? []) };
  if (flags.variant !== undefined) {
    const { variant: slug, revision } = flags.variant;
    return { variant: { slug, ...(revision !== null && { revision }) } };
  }
  const isDirect = flags.serviceUrl !== undefined;
  return isDirect && flags.environment !== undefined ? { environment: flags.environment } : {};
}

/** `summarize` and `/summarize` are the same; `/` is the endpoint itself. */
function encodeRoute(route: string): string {
  const segments = route.split("/").filter((segment) => segment !== "");
  return segments.map((segment) => apiPath`/${segment}`).join("");
}

async function findService({
  api,
  flags,
  process: { env },
}: Session<RunFlags>): Promise<{ readonly api: ApiClient; readonly prefix: string }> {
  if (flags.serviceUrl === undefined) {
    const app = await chooseApplication(api, flags.app ?? env.AGATE_APPLICATION);
    const { environment } = flags;
    const name = environment === undefined ? app : `${app}@${environment}`;
    return { api, prefix: apiPath`/services/${name}` };
  }
  if (flags.app !== undefined) {
    throw new WrongUsage("--service-url names the workflow already; --app is for a platform");
  }
  if (flags.environment !== undefined && (flags.variant ?? flags.config ?? flags.playground)) {
    throw new WrongUsage(
      "a workflow at --service-url takes --environment without --variant, --config and --playground",
    );
  }
  const url = readBaseUrl(flags.serviceUrl);
  if (url === undefined) {
    throw new WrongUsage(`--service-url ${wrongUrl(flags.serviceUrl, "http://127.0.0.1:4101")}`);
  }
  return { api: createApiClient({ url, apiKey: undefined, project: undefined }), prefix: "" };
}

async function chooseApplication(api: ApiClient, name: string | undefined): Promise<string> {
  if (name) return name;
  const { value } = await api.get<Items<Application>>(apiPath`/registry/applications`);
  const [only, ...others] = value.items;
  if (only === undefined) {
    throw new CommandFailure("No applications yet. `agate deploy app.ts --app NAME` creates one.");
  }
  if (others.length === 0) return only.slug;
  const names = value.items.map(({ slug }) => slug).join(", ");
  throw new CommandFailure(`Which application? Name one with --app: ${names}.`);
}
