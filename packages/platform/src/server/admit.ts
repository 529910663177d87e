import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { EnvironmentName } from "@agate/protocol";
import type { AccessControl, Credentials } from "../access/access-control.ts";
import type { Access, Caller } from "../access/caller.ts";
import { may, mayIn } from "../access/caller.ts";
import { type ClientHeaders, clientAuthorization } from "../access/client-authorization.ts";
import type { KeyUse } from "../access/revocation.ts";
import type { FullAnswer, Problem } from "./answer.ts";
import { problemAnswer } from "./answer.ts";

export type Admission =
  | {
      readonly kind: "admitted";
      readonly caller: Caller;
      /** Whether it is by the page's cookie that the caller is known. */
      readonly isByCookie: boolean;
    }
  | { readonly kind: "rejected"; readonly answer: FullAnswer };

/**
 * Whose clients call something. `own`: Agate's, with `Authorization: Bearer KEY`. `any`: those of other
 * products too, which send the key as they send their own.
 */
export type Clients = "own" | "any";

/** Whether the sender of a request may use something that asks for this. */
export function admit(
  control: AccessControl,
  access: Exclude<Access, "public">,
  sender: Sender,
  clients: Clients = "own",
): Admission {
  const identification = identify(control, sender, clients);
  if (identification.kind === "rejected") return identification;
  return may(identification.caller, access)
    ? identification
    : reject(problemAnswer(missing(access)));
}

/** Finds out who sends a request, without checking what the sender may do. */
export function identify(
  control: AccessControl,
  sender: Sender,
  clients: Clients = "own",
): Admission {
  const credentials = credentialsOf(sender, clients);
  const hasCookie = credentials.session !== undefined;
  // First: a page that borrows the cookie must not even use up the key's rate.
  const wrongOrigin = hasCookie ? checkOrigin(sender) : undefined;
  if (wrongOrigin !== undefined) return reject(problemAnswer(wrongOrigin));
  const authentication = control.authenticate(credentials);
  switch (authentication.kind) {
    case "caller": {
      const { caller } = authentication;
      const foreign = caller.isOperator ? checkOperatorOrigin(sender) : undefined;
      if (foreign !== undefined) return reject(problemAnswer(foreign));
      sender[CALLER] = caller;
      return { kind: "admitted", caller, isByCookie: hasCookie && !caller.isOperator };
    }
    case "key-missing":
      return reject(unauthorised("key_missing", KEY_MISSING[clients]));
    case "key-invalid":
      return reject(unauthorised("key_invalid", KEY_INVALID[clients]));
    case "project-not-found":
      return reject(
        problemAnswer({
          type: "project_not_found",
          loc: ["header", "agate-project"],
          msg: `There is no project ${JSON.stringify(authentication.project)}.`,
        }),
      );
    case "rate-limited":
      return reject(
        problemAnswer(
          {
            type: "rate_limited",
            loc: [],
            msg: "The API key is used more often than its limit allows. Wait as long as Retry-After says.",
          },
          { "retry-after": String(authentication.retryAfterSeconds) },
        ),
      );
  }
}

const SEND_KEY = "Send an API key: `Authorization: Bearer KEY`";
const KEY_MISSING: Record<Clients, string> = {
  own: `${SEND_KEY}.`,
  any: `${SEND_KEY}, Basic with the key as the password, or \`x-api-key: KEY\`.`,
};
const INVALID = "The API key is not one of this server's, or was revoked.";
const KEY_INVALID: Record<Clients, string> = {
  own: INVALID,
  any: `${INVALID} Create one with \`agate keys create\` and put it where the client has the other product's key.`,
};

function reject(answer: FullAnswer): Admission {
  return { kind: "rejected", answer };
}

function unauthorised(type: "key_missing" | "key_invalid", msg: string): FullAnswer {
  return problemAnswer(
    { type, loc: ["header", "authorization"], msg },
    { "www-authenticate": "Bearer" },
  );
}

function missing(access: Exclude<Access, "public">) {
  const msg =
    access === "operator"
      ? "Only who runs the platform may do this: call it on its own machine, without a key."
      : `The API key does not have the scope ${typeof access === "string" ? access : access.join(" or ")}.`;
  return { type: "scope_missing", loc: ["header", "authorization"], msg } as const;
}

/** Why a caller may not act in an environment; undefined where it may. */
export function environmentProblem(
  caller: Caller,
  environment: EnvironmentName,
): Problem | undefined {
  if (mayIn(caller, environment)) return undefined;
  return beyondLimit(caller, `this is ${environment.application.slug}/${environment.slug}`);
}

/**
 * Why a caller may not do what concerns more than one environment: an application, a project, the
 * server; undefined where it may.
 */
export function limitProblem(
  caller: Caller,
  what = "this concerns more than one environment",
): Problem | undefined {
  if (caller.environments === null) return undefined;
  return beyondLimit(caller, what);
}

function beyondLimit({ environments }: Caller, what: string): Problem {
  const msg = `The API key is limited to ${[...(environments ?? [])].join(", ")}, and ${what}. Use a key that includes it.`;
  return { type: "environment_not_allowed", loc: ["header", "authorization"], msg };
}

/** A stream may go on for days: it must not outlive the key that it was opened with. */
export function breakOffWhenRevoked(caller: Caller | undefined, outgoing: ServerResponse): void {
  const revocation = caller?.revocation;
  // Of a client that is gone, "close" has been emitted: the answer would be kept until the key is revoked.
  if (revocation === undefined || outgoing.destroyed) return;
  const use = new OpenAnswer(outgoing);
  outgoing.on("close", () => revocation.remove(use));
  revocation.add(use);
}

/** An answer that a key may still end. */
class OpenAnswer implements KeyUse {
  readonly #outgoing: ServerResponse;
  place = 0;

  constructor(outgoing: ServerResponse) {
    this.#outgoing = outgoing;
  }

  onRevoked(): void {
    this.#outgoing.destroy();
  }
}

const FOREIGN_COOKIE: Problem = {
  type: "origin_not_allowed",
  loc: ["header", "origin"],
  msg: "The cookie is for this server's own page, and another page sent the request. Programs send an API key: `Authorization: Bearer KEY`.",
};

const FOREIGN_PAGE: Problem = {
  type: "origin_not_allowed",
  loc: ["header", "origin"],
  msg: "A page of another program sent the request. Without a key only programs and this server's own page may change anything.",
};

const SAFE = new Set(["GET", "HEAD"]);

/**
 * Why a request may not use the cookie, which browsers send automatically; undefined when it
 * may. Cookies know no ports: a page of any other program on this machine is of the same site, and
 * `SameSite` lets it through.
 */
function checkOrigin({ method, headers }: Sender): Problem | undefined {
  return (isOwn(headers) ?? SAFE.has(method ?? "")) ? undefined : FOREIGN_COOKIE;
}

/** As {@link checkOrigin}, for what programs may do without a cookie: they send no such headers. */
export function checkOriginIfTold({ headers }: Sender): Problem | undefined {
  return (isOwn(headers) ?? true) ? undefined : FOREIGN_COOKIE;
}

/**
 * Why a request without a key may not change anything on a server that needs none; undefined when it
 * may. A browser sends a `POST` without a body for any page, without asking first; a page of another
 * port of this machine must not deploy or roll back that way. Pages that `--cors-origin` allows may
 * call what it opens to them.
 */
function checkOperatorOrigin(sender: Sender): Problem | undefined {
  if (sender[ALLOWED_PAGE]) return undefined;
  return SAFE.has(sender.method ?? "") || (isOwn(sender.headers) ?? true)
    ? undefined
    : FOREIGN_PAGE;
}

/** Whether the page of this server has sent it; undefined where the browser does not tell. */
function isOwn({ host, origin, "sec-fetch-site": site }: Sender["headers"]): boolean | undefined {
  // No script can set it. It holds where a proxy has changed `Host`, which the other does not; but
  // browsers send it over TLS and to this machine only.
  if (site !== undefined) return site === "same-origin" || site === "none";
  if (origin !== undefined) return isOf(origin, host);
  return undefined;
}

/** Whether an origin is of this host, port included. */
function isOf(origin: string, host: string | undefined): boolean {
  const page = URL.parse(origin);
  // With the page's scheme, so that a port that goes without saying is the same as one that is said.
  return page !== null && page.host === URL.parse(`${page.protocol}//${host}`)?.host;
}

/** The cookie that holds the session of the page. */
export const SESSION_COOKIE = "agate_session";
const IN_COOKIES = new RegExp(`(?:^|;) *${SESSION_COOKIE}=([^;]+)`);

/** Where a request keeps who sent it, once that is known: for its line in the log. */
export const CALLER = Symbol("caller");

/** Where a request keeps how many records of it were not stored: for its line in the log. */
export const NOT_KEPT = Symbol("not kept");

/** Marks a request of a page that `--cors-origin` allows. */
export const ALLOWED_PAGE = Symbol("allowed page");

/** What of a request tells who sends it. A Node request is one. */
export interface Sender {
  [CALLER]?: Caller;
  [ALLOWED_PAGE]?: true;
  [NOT_KEPT]?: number;
  readonly method?: string | undefined;
  readonly headers: SenderHeaders;
}

type SenderHeaders = Readonly<
  Pick<IncomingHttpHeaders, "authorization" | "cookie" | "host" | "origin" | "sec-fetch-site">
> &
  ClientHeaders & {
    readonly "agate-project"?: string | string[] | undefined;
    readonly "x-forwarded-proto"?: string | string[] | undefined;
  };

/** Who the sender says it is. The page's cookie counts where there is no `Authorization`. */
export function credentialsOf({ headers }: Sender, clients: Clients = "own"): Credentials {
  const { cookie, "agate-project": project } = headers;
  const { authorization, isForeign } =
    clients === "any"
      ? clientAuthorization(headers)
      : { authorization: headers.authorization, isForeign: false };
  const isByCookie = authorization === undefined && cookie !== undefined;
  return {
    authorization,
    isForeign,
    session: isByCookie ? IN_COOKIES.exec(cookie)?.[1] : undefined,
    // Only `Set-Cookie` ever is a list.
    project: typeof project === "string" ? project : undefined,
  };
}
