import type { Session } from "@agate/protocol";
import { useState } from "react";
import { useSignIn, useSignOut } from "../api/session.ts";
import { Button } from "../design/button.tsx";
import { Field, TextInput } from "../design/field.tsx";
import { useTitle } from "../design/page-header.tsx";
import icon from "../icon.svg";

interface SignInPageProps {
  /** The signed-in caller whose key lacks the read scope, which every page needs; null where no one is. */
  readonly unable: Session["caller"];
}

/** Asks for an API key, or for another one where the key lacks the read scope. */
export function SignInPage({ unable }: SignInPageProps) {
  useTitle("Sign in");
  const [key, setKey] = useState("");
  const signIn = useSignIn();
  return (
    <main className="flex flex-1 items-center justify-center p-4">
      <form
        className="flex w-full max-w-sm flex-col gap-4 rounded-xl border border-line bg-surface p-6 shadow-sm"
        onSubmit={(event) => {
          event.preventDefault();
          signIn.mutate(key.trim());
        }}
      >
        <div className="flex items-center gap-2.5">
          <img src={icon} alt="" className="size-8" />
          <h1 className="text-lg font-semibold tracking-tight">Sign in to Agate</h1>
        </div>
        <Field
          label="API key"
          description="Starts with ag_ and needs the read scope."
          problem={signIn.error?.message ?? (unable === null ? undefined : refusal(unable))}
        >
          {(ids) => (
            <TextInput
              {...ids}
              type="password"
              autoComplete="current-password"
              autoFocus
              required
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
          )}
        </Field>
        <Button look="primary" type="submit" disabled={signIn.isPending}>
          {signIn.isPending ? "Signing in…" : "Sign in"}
        </Button>
        {unable !== null && <SignOutButton />}
        <p className="text-[0.93rem] text-ink-soft">
          No key yet? An administrator can create one:{" "}
          <code className="font-mono text-xs break-words">
            agate keys create NAME --scope admin
          </code>
          .
        </p>
      </form>
    </main>
  );
}

function SignOutButton() {
  const signOut = useSignOut();
  return (
    <Button look="quiet" disabled={signOut.isPending} onClick={() => signOut.mutate()}>
      Sign out
    </Button>
  );
}

/** @example refusal(caller) // "The key “ci” has no read scope (only run). Sign in with another key." */
function refusal({ name, scopes }: NonNullable<Session["caller"]>): string {
  return `The key “${name}” has no read scope (only ${scopes.join(", ")}). Sign in with another key.`;
}
