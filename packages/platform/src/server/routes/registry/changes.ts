import type { Registry } from "../../../registry/registry.ts";
import type { ChangeStreams } from "../../changes/change-streams.ts";
import { opaqueAnswer } from "../../errors/error-answer.ts";
import type { Route } from "../route.ts";
import { outcomeAnswer } from "./registry-answer.ts";
import { registryRoute } from "./registry-route.ts";

const EVENT_STREAM = "text/event-stream";
const RETRY_AFTER_SECONDS = "5";

/** docs/reference/config-resolution.md. */
export function changeRoutes(
  { applications }: Registry,
  changes: ChangeStreams,
  maxBodyBytes: number,
): Route[] {
  return [
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: "/registry/applications/{app}/changes",
      access: "read",
      id: "watchChanges",
      summary: "Watch the configurations of an application change",
      description:
        "Server-sent events. `config`: some configuration of the application may resolve to something else than before. Changes within a moment are one event; nothing is replayed. The stream ends when the application is deleted or no longer called so.",
      success: {
        status: 200,
        description: "The stream.",
        body: { [EVENT_STREAM]: { schema: { type: "string" } } },
      },
      errors: ["shutting_down"],
      answer: async ({ ref }) => {
        const found = await applications.get(ref);
        if (changes.isClosed) {
          return opaqueAnswer("shutting_down", { "retry-after": RETRY_AFTER_SECONDS });
        }
        return outcomeAnswer(found, ({ id }) => ({
          kind: "stream",
          status: 200,
          contentType: EVENT_STREAM,
          // A proxy that collects the stream first would make it useless.
          headers: { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" },
          open: (signal) => changes.subscribe({ ref, applicationId: id }, signal),
        }));
      },
    }),
  ];
}
