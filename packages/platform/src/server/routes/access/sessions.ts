import type { IncomingHttpHeaders } from "node:http";
import type { Session } from "@agate/protocol";
import * as z from "zod/mini";
import type { AccessControl } from "../../../access/access-control.ts";
import type { Caller } from "../../../access/caller.ts";
import { SESSION_MS, type Sessions } from "../../../access/sessions.ts";
import type { Projects } from "../../../registry/registry.ts";
import { checkOriginIfTold, credentialsOf, identify, SESSION_COOKIE } from "../../admit.ts";
import { problemAnswer } from "../../answer.ts";
import { text } from "../../inputs/input-kinds.ts";
import type { Route } from "../../route.ts";
import { noContent, route, success } from "../../route.ts";

export interface SessionRouteOptions {
  readonly control: AccessControl;
  readonly sessions: Pick<Sessions, "create" | "end">;
  readonly projects: Projects;
}

const PATH = "/session";
const SIGNED_OUT: Session = { caller: null, project: null };
/** Another browser at the same proxy gets another answer. */
const NOT_KEPT = { "cache-control": "no-store" };

const KEY_INVALID = problemAnswer(
  {
    type: "key_invalid",
    loc: ["body", "key"],
    msg: "The API key is not one of this server's, or was revoked.",
  },
  { "www-authenticate": "Bearer" },
);

const signInBody = () =>
  z.strictObject({
    key: text(
      {
        description: "An API key.",
        example: "ag_4fT9xQ2b_9hYcW3mNq8RzKd5vLt7XbGf2PjSw6AeU",
      },
      256,
    ),
  });

/** `/session`: who the user of the page is, signing in and signing out. */
export function sessionRoutes(options: SessionRouteOptions): readonly Route[] {
  return [readRoute(options), signInRoute(options), signOutRoute(options)];
}

function readRoute({ control, projects }: SessionRouteOptions): Route {
  return route({
    method: "GET",
    path: PATH,
    access: "public",
    id: "getSession",
    tag: "access",
    summary: "Who am I?",
    success: success("Session", "The caller and its project; both null without a valid key."),
    errors: ["project_not_found", "rate_limited"],
    answer: async ({ incoming }, reply) => {
      const admission = identify(control, incoming);
      if (admission.kind === "admitted") {
        return reply(await sessionOf(admission.caller, projects), NOT_KEPT);
      }
      // This route tells that the caller is not known; it does not refuse to.
      return admission.answer.status === 401 ? reply(SIGNED_OUT, NOT_KEPT) : admission.answer;
    },
  });
}

function signInRoute({ control, sessions, projects }: SessionRouteOptions): Route {
  return route({
    method: "POST",
    path: PATH,
    access: "public",
    id: "signIn",
    tag: "access",
    summary: "Sign a browser in",
    description:
      "For the web page: the answer sets the cookie of a new session, which no script can read. It ends after 30 days, when the browser is signed out, and when the key is revoked. Programs send the key itself.",
    guard: checkOriginIfTold,
    body: signInBody,
    success: success("Session", "The caller and its project.", {
      "set-cookie": "`agate_session`, for this host alone.",
    }),
    errors: ["key_invalid", "rate_limited"],
    answer: async ({ incoming, body }, reply) => {
      const key = body.key.trim();
      const admission = identify(control, { headers: { authorization: `Bearer ${key}` } });
      if (admission.kind === "admitted") {
        const token = await sessions.create(key);
        // Revoked in this moment.
        if (token === undefined) return KEY_INVALID;
        const cookie = sessionCookie(token, incoming.headers);
        const session = await sessionOf(admission.caller, projects);
        return reply(session, { ...NOT_KEPT, "set-cookie": cookie });
      }
      return admission.answer.status === 401 ? KEY_INVALID : admission.answer;
    },
  });
}

function signOutRoute({ sessions }: SessionRouteOptions): Route {
  return route({
    method: "DELETE",
    path: PATH,
    access: "public",
    id: "signOut",
    tag: "access",
    summary: "Sign a browser out",
    description:
      "Ends the session on every server. The key stays valid: revoke it if it is in other hands.",
    guard: checkOriginIfTold,
    success: noContent("The session has ended, and the browser has no cookie any more.", {
      "set-cookie": "`agate_session`, ended.",
    }),
    errors: [],
    answer: async ({ incoming }, reply) => {
      const { session } = credentialsOf(incoming);
      if (session !== undefined) await sessions.end(session);
      return reply({ "set-cookie": endedSessionCookie(incoming.headers) });
    },
  });
}

/** What `GET /session` answers to a caller. */
export async function sessionOf(
  { name, scopes, environments, isOperator, project }: Caller,
  projects: Projects,
): Promise<Session> {
  const found = await projects.get(project);
  const slug = found.kind === "refused" ? project : found.value.slug;
  return {
    caller: {
      name,
      scopes: [...scopes],
      environments: environments && [...environments],
      is_operator: isOperator,
    },
    project: { id: project, slug },
  };
}

/** What of a request says whether it came over TLS. */
type Journey = Readonly<Pick<IncomingHttpHeaders, "origin">> & {
  readonly "x-forwarded-proto"?: string | string[] | undefined;
};

/** A `Set-Cookie` that signs in. @param token Of a new session: it is written as it is. */
export function sessionCookie(token: string, journey: Journey): string {
  return cookie(token, SESSION_MS / 1000, journey);
}

/** A `Set-Cookie` that signs out. */
function endedSessionCookie(journey: Journey): string {
  return cookie("", 0, journey);
}

function cookie(value: string, maxAge: number, journey: Journey): string {
  const secure = cameOverTls(journey) ? "; Secure" : "";
  return `${SESSION_COOKIE}=${value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${maxAge}${secure}`;
}

/** The server speaks no TLS. A proxy that does reports it in a header; else the origin shows it. */
function cameOverTls({ origin, "x-forwarded-proto": forwarded }: Journey): boolean {
  // Of several proxies the first is the one that the browser has reached.
  const [first] = String(forwarded ?? "").split(",");
  return first?.trim().toLowerCase() === "https" || origin?.startsWith("https:") === true;
}
