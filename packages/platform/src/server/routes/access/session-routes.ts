import type { Session } from "@agate/protocol";
import type { AccessControl } from "../../../access/access-control.ts";
import type { Caller } from "../../../access/caller.ts";
import type { Sessions } from "../../../access/sessions.ts";
import type { Projects } from "../../../registry/registry.ts";
import { identify } from "../../admit.ts";
import type { Answer } from "../../answer.ts";
import { JSON_TYPE, jsonAnswer } from "../../answer.ts";
import { fieldsSchema } from "../../body/body-fields.ts";
import { textField } from "../../body/field-kinds.ts";
import { JSON_BODY_ERRORS, readBodyFields } from "../../body/read-body-fields.ts";
import { problemAnswer, problemsAnswer } from "../../errors/error-answer.ts";
import { checkOriginIfTold } from "../../session/check-origin.ts";
import { credentialsOf } from "../../session/sender.ts";
import { endedSessionCookie, sessionCookie } from "../../session/session-cookie.ts";
import type { Route } from "../route.ts";
import { MOST_BYTES } from "./most-bytes.ts";

export interface SessionRouteOptions {
  readonly control: AccessControl;
  readonly sessions: Pick<Sessions, "create" | "end">;
  readonly projects: Projects;
}

const PATH = "/session";
const NOBODY: Session = { caller: null, project: null };
/** It is another for the next who reads. */
const NOT_KEPT = { "cache-control": "no-store" };

const KEY_FIELD = textField(
  {
    description: "An API key.",
    example: "ag_4fT9xQ2b_9hYcW3mNq8RzKd5vLt7XbGf2PjSw6AeU",
  },
  256,
);

/** `/session`: who the reader of the page is, signing in and signing out. */
export function sessionRoutes(options: SessionRouteOptions): readonly Route[] {
  return [readRoute(options), signInRoute(options), signOutRoute(options)];
}

function readRoute({ control, projects }: SessionRouteOptions): Route {
  return {
    method: "GET",
    path: PATH,
    access: "public",
    operation: {
      id: "getSession",
      tag: "access",
      summary: "Who am I?",
      success: {
        status: 200,
        description: "The caller and its project; both null for somebody without a valid key.",
        body: { [JSON_TYPE]: { schema: "Session" } },
      },
      errors: ["project_not_found", "rate_limited"],
    },
    handle: async (request) => {
      const admission = identify(control, request.incoming);
      if (admission.kind === "admitted") return sessionAnswer(admission.caller, projects);
      // Whoever asks who they are is told that they are nobody.
      return admission.answer.status === 401 ? answerOf(NOBODY) : admission.answer;
    },
  };
}

function signInRoute({ control, sessions, projects }: SessionRouteOptions): Route {
  return {
    method: "POST",
    path: PATH,
    access: "public",
    operation: {
      id: "signIn",
      tag: "access",
      summary: "Sign a browser in",
      description:
        "For the web page: the answer sets the cookie of a new session, which no script can read. It ends after 30 days, when the browser is signed out, and when the key is revoked. Programs send the key itself.",
      requestBody: { [JSON_TYPE]: { schema: fieldsSchema({ key: KEY_FIELD }) } },
      success: {
        status: 200,
        description: "The caller and its project.",
        body: { [JSON_TYPE]: { schema: "Session" } },
        headers: { "set-cookie": "`agate_session`, for this host alone." },
      },
      errors: [...JSON_BODY_ERRORS, "body_invalid", "key_invalid", "rate_limited"],
    },
    handle: async (request) => {
      const sender = request.incoming;
      const wrongOrigin = checkOriginIfTold(sender);
      if (wrongOrigin !== undefined) return problemAnswer(wrongOrigin);
      const body = await readBodyFields(request, { key: KEY_FIELD }, MOST_BYTES);
      if (body.kind === "problems") return problemsAnswer(body.problems);
      const key = body.values.key.trim();
      const admission = identify(control, { headers: { authorization: `Bearer ${key}` } });
      if (admission.kind === "admitted") {
        const session = await sessions.create(key);
        // Revoked in this moment.
        if (session === undefined) return KEY_INVALID;
        const cookie = sessionCookie(session, sender.headers);
        return sessionAnswer(admission.caller, projects, { "set-cookie": cookie });
      }
      return admission.answer.status === 401 ? KEY_INVALID : admission.answer;
    },
  };
}

const KEY_INVALID = problemAnswer(
  {
    type: "key_invalid",
    loc: ["body", "key"],
    msg: "The API key is not one of this server's, or was revoked.",
  },
  { "www-authenticate": "Bearer" },
);

function signOutRoute({ sessions }: SessionRouteOptions): Route {
  return {
    method: "DELETE",
    path: PATH,
    access: "public",
    operation: {
      id: "signOut",
      tag: "access",
      summary: "Sign a browser out",
      description:
        "Ends the session on every server. The key stays valid: revoke it if it is in other hands.",
      success: {
        status: 204,
        description: "The session has ended, and the browser has no cookie any more.",
        headers: { "set-cookie": "`agate_session`, ended." },
      },
      errors: [],
    },
    handle: async (request) => {
      const sender = request.incoming;
      const wrongOrigin = checkOriginIfTold(sender);
      if (wrongOrigin !== undefined) return problemAnswer(wrongOrigin);
      const { session } = credentialsOf(sender);
      if (session !== undefined) await sessions.end(session);
      const headers = { "set-cookie": endedSessionCookie(sender.headers) };
      return { kind: "full", status: 204, contentType: null, body: "", headers };
    },
  };
}

async function sessionAnswer(
  { name, scopes, isOperator, project }: Caller,
  projects: Projects,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const found = await projects.get(project);
  const slug = found.kind === "refused" ? project : found.value.slug;
  return answerOf(
    {
      caller: { name, scopes: [...scopes], is_operator: isOperator },
      project: { id: project, slug },
    },
    headers,
  );
}

function answerOf(session: Session, headers: Readonly<Record<string, string>> = {}): Answer {
  return { ...jsonAnswer(JSON.stringify(session)), headers: { ...NOT_KEPT, ...headers } };
}
