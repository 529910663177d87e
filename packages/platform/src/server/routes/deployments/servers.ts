import type { ServerReports } from "../../../registry/registry.ts";
import type { Route } from "../../route.ts";
import { success } from "../../route.ts";
import { outcomeAnswer, registryRoute } from "../registry/registry-route.ts";

/** What each server runs of an application. */
export function serversRoute(reports: Pick<ServerReports, "list">, maxBodyBytes: number): Route {
  return registryRoute(maxBodyBytes, {
    method: "GET",
    path: "/registry/applications/{app}/servers",
    tag: "deployments",
    access: "read",
    id: "listServers",
    summary: "List what each server runs of an application",
    description:
      "Every server reports each change, and every 30 s. One that has not reported for two minutes is left out.",
    success: success("ServerList", "By environment and server."),
    answer: async ({ ref }, reply) =>
      outcomeAnswer(await reports.list(ref), (items) => reply({ items: [...items] })),
  });
}
