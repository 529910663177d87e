import type { IncomingHttpHeaders } from "node:http";
import { SESSION_MS } from "../../access/sessions.ts";

export const SESSION_COOKIE = "agate_session";
const IN_HEADER = new RegExp(`(?:^|;) *${SESSION_COOKIE}=([^;]+)`);

/** What of a request says whether it came over TLS. */
type Journey = Readonly<Pick<IncomingHttpHeaders, "origin">> & {
  readonly "x-forwarded-proto"?: string | string[] | undefined;
};

/** The session in a `Cookie` header; undefined where there is none. */
export function sessionIn(cookie: string): string | undefined {
  return IN_HEADER.exec(cookie)?.[1];
}

/** A `Set-Cookie` that signs in. @param token Of a new session: it is written as it is. */
export function sessionCookie(token: string, journey: Journey): string {
  return cookie(token, SESSION_MS / 1000, journey);
}

/** A `Set-Cookie` that signs out. */
export function endedSessionCookie(journey: Journey): string {
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
