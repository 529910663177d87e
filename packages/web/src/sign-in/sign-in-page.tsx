import type { Session } from "@agate/protocol";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { usePlatform } from "../api/platform-context.tsx";
import { Button } from "../design/button.tsx";
import { Field } from "../design/field.tsx";
import { TextInput } from "../design/text-input.tsx";
import { useTitle } from "../design/use-title.ts";
import icon from "../icon.svg";

/** Asks for an API key, where the platform does. */
export function SignInPage() {
  useTitle("Sign in");
  const client = usePlatform();
  const queries = useQueryClient();
  const [key, setKey] = useState("");
  const signIn = useMutation({
    mutationFn: () => client.send<Session>("POST", "/session", { key: key.trim() }),
    onSuccess: () => queries.resetQueries(),
  });
  return (
    <main className="flex flex-1 items-center justify-center p-4">
      <form
        className="flex w-full max-w-sm flex-col gap-4 rounded-xl border border-line bg-surface p-6 shadow-sm"
        onSubmit={(event) => {
          event.preventDefault();
          signIn.mutate();
        }}
      >
        <div className="flex items-center gap-2.5">
          <img src={icon} alt="" className="size-8" />
          <h1 className="text-lg font-semibold tracking-tight">Sign in to Agate</h1>
        </div>
        <Field
          label="API key"
          description="It begins with ag_ and needs the scope read; run calls workflows, admin changes things."
          problem={signIn.error?.message}
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
        <p className="text-[0.93rem] text-ink-soft">
          No key yet? Whoever runs the platform makes one with{" "}
          <code className="font-mono text-xs break-words">
            agate keys create NAME --scope admin
          </code>
          .
        </p>
      </form>
    </main>
  );
}
