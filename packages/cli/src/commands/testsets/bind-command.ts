import type { TestSet } from "@agate/protocol";
import { Command, Option } from "commander";
import { apiPath } from "../../api-client/api-client.ts";
import { printableLine } from "../../terminal/printable.ts";
import { examples } from "../client/command-help.ts";
import { WrongUsage } from "../client/failures.ts";
import { onPlatform } from "../client/on-platform.ts";
import { SET } from "./test-set-ref.ts";

interface BindFlags {
  readonly app?: string;
  readonly route?: string;
  readonly unbind?: boolean;
}

/** `bind SET --app APP --route ROUTE` */
export function bindCommand(): Command {
  const command = new Command("bind")
    .description("Bind a test set to a route: new rows must fit its input schema.")
    .argument(...SET)
    .option("--app <name>", "application that has the route")
    .option("--route <path>", "route as declared: /answer; the entrypoint is /")
    .addOption(new Option("--unbind", "bind it to no route").conflicts(["app", "route"]))
    .addHelpText(
      "after",
      examples(
        "agate testsets bind golden --app support --route /answer",
        "agate testsets bind golden --unbind",
      ),
    );
  return onPlatform<[string], BindFlags>(command, async (session, set) => {
    const bound_to = bindingOf(session.flags);
    const path = apiPath`/registry/testsets/${set}`;
    const document = await session.api.send<TestSet>("PATCH", path, { bound_to });
    session.show(document, ({ slug, bound_to: bound }) => [
      printableLine(
        bound === null
          ? `${slug} is bound to no route.`
          : `${slug} is bound to ${bound.application} ${bound.route}.`,
      ),
    ]);
  });
}

function bindingOf({ app: application, route, unbind }: BindFlags) {
  if (unbind) return null;
  if (application === undefined || route === undefined) {
    throw new WrongUsage("pass --app and --route, or --unbind");
  }
  return { application, route };
}
