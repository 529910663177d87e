import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { FlaskConical } from "lucide-react";
import { schemaQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { CommandLine } from "../design/copy-button.tsx";
import { Card } from "../design/panels.tsx";
import { Loaded } from "../revisions/loaded.tsx";

interface RoutesCardProps {
  readonly app: string;
  readonly refreshMs: number;
}

/** What an application answers, each with the way to try it. */
export function RoutesCard({ app, refreshMs }: RoutesCardProps) {
  const schema = useQuery({ ...schemaQuery(usePlatform(), app), refetchInterval: refreshMs });
  return (
    <Card title="Routes">
      <Loaded query={schema}>
        {(data) =>
          data === null ? (
            <div className="flex flex-col gap-2 px-4 py-4 text-ink-soft">
              <p>No workflow has told its routes yet. Deploy one:</p>
              <CommandLine command={`agate deploy app.ts --app ${app}`} />
            </div>
          ) : (
            <ul className="divide-y divide-line">
              {data.routes.map(({ route, config }) => {
                const fields = Object.keys(config).length;
                return (
                  <li key={route}>
                    <Link
                      to="/apps/$app/playground"
                      params={{ app }}
                      search={{ route }}
                      className="group flex items-center gap-3 px-4 py-2.5 hover:bg-sunken"
                    >
                      <span className="min-w-0 truncate font-mono text-[0.93rem] font-medium">
                        {route}
                      </span>
                      <span className="ml-auto shrink-0 text-ink-soft">
                        {fields === 1 ? "1 field" : `${fields} fields`}
                      </span>
                      <FlaskConical
                        size={15}
                        role="img"
                        aria-label="Try it in the playground"
                        className="shrink-0 text-ink-soft group-hover:text-accent"
                      />
                    </Link>
                  </li>
                );
              })}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}
