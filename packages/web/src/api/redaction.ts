import type { ProjectRedaction, RedactionRules } from "@agate/protocol";
import { queryOptions } from "@tanstack/react-query";
import type { PlatformClient } from "./platform-client.ts";

const PATH = "/registry/redaction";

/** What the project's spans and logs are stored without. Needs the scope admin. */
export function redactionQuery(client: PlatformClient) {
  return queryOptions({
    queryKey: [client.project, "redaction"],
    queryFn: ({ signal }) => client.get<ProjectRedaction>(PATH, { signal }),
  });
}

export function setRedaction(client: PlatformClient, rules: RedactionRules) {
  return client.send<ProjectRedaction>("PUT", PATH, rules);
}

/** The text as it would be stored with these rules. */
export function testRedaction(client: PlatformClient, text: string, rules: RedactionRules) {
  return client.send<{ readonly text: string }>("POST", `${PATH}/test`, { text, rules });
}
