import type { SpanRecord } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { Terminal } from "lucide-react";
import { usePlatform } from "../api/platform-context.tsx";
import { sessionQuery } from "../api/session.ts";
import { Button } from "../design/button.tsx";
import { useCopy } from "../design/copy-button.tsx";
import { Menu, MenuItem } from "../design/menu.tsx";
import { useIsRegistered } from "./registry-links.tsx";
import { callCurl, type RouteCall, spanCurl } from "./route-call.ts";

interface CopyMenuProps {
  readonly span: SpanRecord;
  readonly call: RouteCall | null;
}

/** Copies a curl command that gets the span, or repeats its call. */
export function CopyMenu({ span, call }: CopyMenuProps) {
  const client = usePlatform();
  const session = useQuery(sessionQuery(client));
  const isRegistered = useIsRegistered(call?.app ?? null);
  const copyText = useCopy();
  const access = {
    origin: window.location.origin,
    project: client.project,
    needsKey: session.data?.caller?.is_operator === false,
  };
  const copy = (text: string) => copyText(text, "Command copied.");
  const repeated = isRegistered ? call : null;
  const trigger = (
    <Button
      look="quiet"
      size="small"
      onClick={repeated === null ? () => copy(spanCurl(span.id, access)) : undefined}
    >
      <Terminal size={15} aria-hidden />
      Copy curl
    </Button>
  );
  if (repeated === null) return trigger;
  return (
    <Menu trigger={trigger}>
      <MenuItem onSelect={() => copy(spanCurl(span.id, access))}>Get this span</MenuItem>
      <MenuItem onSelect={() => copy(callCurl(repeated, access))}>Repeat this call</MenuItem>
    </Menu>
  );
}
