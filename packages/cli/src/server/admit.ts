import type { AccessControl, Credentials } from "../access/access-control.ts";
import type { Access, Caller } from "../access/caller.ts";
import { may } from "../access/caller.ts";
import type { FullAnswer } from "./answer.ts";
import { problemAnswer } from "./errors/error-answer.ts";

export type Admission =
  | { readonly kind: "admitted"; readonly caller: Caller }
  | { readonly kind: "turned-away"; readonly answer: FullAnswer };

/** Whether the sender of a request may use something that asks for this. */
export function admit(
  control: AccessControl,
  access: Exclude<Access, "public">,
  credentials: Credentials,
): Admission {
  const authentication = control.authenticate(credentials);
  switch (authentication.kind) {
    case "caller": {
      const { caller } = authentication;
      return may(caller, access)
        ? { kind: "admitted", caller }
        : turnedAway(problemAnswer(missing(access)));
    }
    case "key-missing":
      return turnedAway(
        unauthorised("key_missing", "Send an API key: `Authorization: Bearer KEY`."),
      );
    case "key-invalid":
      return turnedAway(
        unauthorised("key_invalid", "The API key is not one of this server's, or was revoked."),
      );
    case "project-not-found":
      return turnedAway(
        problemAnswer({
          type: "project_not_found",
          loc: ["header", "agate-project"],
          msg: `There is no project ${JSON.stringify(authentication.project)}.`,
        }),
      );
    case "rate-limited":
      return turnedAway(
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

function turnedAway(answer: FullAnswer): Admission {
  return { kind: "turned-away", answer };
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
      : `The API key does not have the scope ${access}.`;
  return { type: "scope_missing", loc: ["header", "authorization"], msg } as const;
}
