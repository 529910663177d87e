import type { IncomingHttpHeaders } from "node:http";
import type { Credentials } from "../access/access-control.ts";
import type { Caller } from "../access/caller.ts";

/** The cookie that holds the session of the page. */
export const SESSION_COOKIE = "agate_session";
const IN_COOKIES = new RegExp(`(?:^|;) *${SESSION_COOKIE}=([^;]+)`);

/** Where a request keeps who sent it, once that is known: for its line in the log. */
export const CALLER = Symbol("caller");

/** Marks a request of a page that `--cors-origin` allows. */
export const ALLOWED_PAGE = Symbol("allowed page");

/** What of a request tells who sends it. A Node request is one. */
export interface Sender {
  [CALLER]?: Caller;
  [ALLOWED_PAGE]?: true;
  readonly method?: string | undefined;
  readonly headers: SenderHeaders;
}

export type SenderHeaders = Readonly<
  Pick<IncomingHttpHeaders, "authorization" | "cookie" | "host" | "origin" | "sec-fetch-site">
> & {
  readonly "agate-project"?: string | string[] | undefined;
  readonly "x-forwarded-proto"?: string | string[] | undefined;
};

/** Who the sender says it is. The page's cookie counts where there is no `Authorization`. */
export function credentialsOf({ headers }: Sender): Credentials {
  const { authorization, cookie, "agate-project": project } = headers;
  const isByCookie = authorization === undefined && cookie !== undefined;
  return {
    authorization,
    session: isByCookie ? IN_COOKIES.exec(cookie)?.[1] : undefined,
    // Only `Set-Cookie` ever is a list.
    project: typeof project === "string" ? project : undefined,
  };
}
