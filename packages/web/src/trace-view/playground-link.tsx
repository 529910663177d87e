import { Link } from "@tanstack/react-router";
import { FlaskConical } from "lucide-react";
import { buttonClass } from "../design/button.tsx";
import type { RouteCall } from "./route-call.ts";
import { useIsRegistered } from "./use-is-registered.ts";

interface PlaygroundLinkProps {
  readonly call: RouteCall;
  readonly size?: "small" | "normal";
}

/** To the same route with the same configuration and inputs, where the registry has the application. */
export function PlaygroundLink({ call, size = "normal" }: PlaygroundLinkProps) {
  if (!useIsRegistered(call.app)) return null;
  return (
    <Link
      to="/apps/$app/playground"
      params={{ app: call.app }}
      search={{ route: call.route, span: call.spanId }}
      className={buttonClass("plain", size)}
    >
      <FlaskConical size={15} aria-hidden />
      Open in playground
    </Link>
  );
}
