import { createHash } from "node:crypto";
import type { ResolvedConfig, RevisionRef } from "@agate/protocol";
import * as z from "zod/mini";
import type { Registry } from "../../../registry/registry.ts";
import type { Answer, FullAnswer, Problem } from "../../answer.ts";
import { opaqueAnswer, problemAnswer } from "../../answer.ts";
import type { ChangeStreams } from "../../changes/change-streams.ts";
import { text } from "../../inputs/input-kinds.ts";
import { EVENT_STREAM, eventStreamAnswer } from "../../live/server-sent-event.ts";
import type { Route } from "../../route.ts";
import { content, success } from "../../route.ts";
import { inEnvironment, outcomeAnswer, registryRoute, revisionNumber } from "./registry-route.ts";

const configQuery = () =>
  z.object({
    environment: z.optional(
      text({
        description: "What is deployed to this environment: its slug or id.",
        example: "production",
      }),
    ),
    variant: z.optional(
      text({ description: "A revision of this variant instead: its slug or id." }),
    ),
    revision: z.optional(revisionNumber("One revision of the variant; without it the latest.")),
  });

type ConfigQuery = z.output<ReturnType<typeof configQuery>>;

const ETAG_DOC = { etag: "For `If-None-Match` of the next request." };
const RETRY_AFTER_SECONDS = "5";

/** What a running workflow asks for: docs/reference/config-resolution.md. */
export function configRoute(registry: Registry, maxBodyBytes: number): Route {
  return registryRoute(maxBodyBytes, {
    method: "GET",
    path: "/registry/applications/{app}/config",
    access: "read",
    limitedKeys: "checked",
    id: "resolveConfig",
    summary: "Get the configuration of an environment or a variant",
    description:
      "What running workflows ask for. Takes exactly one of `environment` and `variant`. Send the `etag` of the last answer as `If-None-Match`: where it is still right, the answer is a 304.",
    query: configQuery,
    success: success("ResolvedConfig", "The configuration.", ETAG_DOC),
    otherwise: [
      { status: 304, description: "It is still what the request names.", headers: ETAG_DOC },
    ],
    errors: [
      "environment_not_found",
      "deployment_not_found",
      "variant_not_found",
      "revision_not_found",
      "text_too_long",
    ],
    answer: ({ ref, query, incoming, caller }, reply) => {
      const which = readReference(query);
      if ("type" in which) return problemAnswer(which);
      const resolved = async () =>
        outcomeAnswer(await registry.resolve(ref, which, caller.pair), (config: ResolvedConfig) =>
          ifChanged(reply(config), incoming.headers["if-none-match"]),
        );
      return which.kind === "environment"
        ? inEnvironment(registry, caller, ref, { name: which.environment, in: "query" }, resolved)
        : resolved();
    },
  });
}

/** The same answer with its tag; 304 where the client has it already. */
function ifChanged(answer: FullAnswer, ifNoneMatch: string | undefined): Answer {
  const etag = entityTag(String(answer.body));
  const headers = { etag, "cache-control": "no-store" };
  return isNamed(etag, ifNoneMatch)
    ? { kind: "full", status: 304, contentType: null, body: "", headers }
    : { ...answer, headers };
}

/** The strong entity tag of a body: the same on every server, and another for every other body. */
export function entityTag(body: string): string {
  return `"${createHash("sha256").update(body).digest("base64url")}"`;
}

/** Opaque tags may hold commas, so a list cannot simply be split. */
const LISTED_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** Whether `If-None-Match` names the tag, by the weak comparison that RFC 9110 asks for there. */
export function isNamed(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return [...ifNoneMatch.matchAll(LISTED_TAG)].some(([, opaque]) => opaque === etag);
}

function readReference(query: ConfigQuery): RevisionRef | Problem {
  const { environment, variant, revision = null } = query;
  if (environment !== undefined && variant !== undefined) {
    return unclear("variant", "Give environment or variant, not both.");
  }
  if (revision !== null && variant === undefined) {
    return unclear("revision", "Give variant, too: a revision belongs to a variant.");
  }
  if (variant !== undefined) return { kind: "variant", variant, revision };
  if (environment !== undefined) return { kind: "environment", environment };
  return unclear("environment", "Give environment or variant, such as ?environment=production.");
}

function unclear(parameter: keyof ConfigQuery, msg: string): Problem {
  return { type: "value_not_allowed", loc: ["query", parameter], msg };
}

/** Tells running workflows to ask again. */
export function changesRoute(
  { applications }: Registry,
  changes: ChangeStreams,
  maxBodyBytes: number,
): Route {
  return registryRoute(maxBodyBytes, {
    method: "GET",
    path: "/registry/applications/{app}/changes",
    access: "read",
    id: "watchChanges",
    summary: "Watch the configurations of an application change",
    description:
      "Server-sent events. `config`: some configuration of the application may resolve to something else than before. Changes within a moment are one event; nothing is replayed. The stream ends when the application is deleted or no longer called so.",
    success: content(EVENT_STREAM, "The stream."),
    errors: ["shutting_down"],
    answer: async ({ ref }) => {
      const found = await applications.get(ref);
      if (changes.isClosed) {
        return opaqueAnswer("shutting_down", { "retry-after": RETRY_AFTER_SECONDS });
      }
      return outcomeAnswer(found, ({ id }) => ({
        ...eventStreamAnswer((signal) => changes.subscribe({ ref, applicationId: id }, signal)),
        headers: { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" },
      }));
    },
  });
}
