import type { Project } from "@agate/protocol";
import { Command } from "commander";
import type { ApiPath } from "../api-client/api-client.ts";
import { apiPath } from "../api-client/api-client.ts";
import { commandGroup } from "./client/command-group.ts";
import { HEADINGS, PROJECT } from "./client/command-help.ts";
import { createCommand, deleteCommand, renameCommand } from "./client/named-commands.ts";
import { onPlatform } from "./client/on-platform.ts";
import type { Items } from "./client/paged-list.ts";
import { listLines } from "./client/paged-list.ts";
import { timeCell } from "./client/times.ts";

/** `agate projects`: whose applications and traces these are. */
export function projectsCommand(): Command {
  return commandGroup({
    name: "projects",
    description: "List, create, rename and delete projects.",
    heading: HEADINGS.administer,
    examples: ["agate projects", "agate projects create team-b", "agate apps --project team-b"],
    main: listCommand(),
    others: [
      createCommand({
        description: "Create a project.",
        arguments: [],
        path: () => apiPath`/registry/projects`,
        example: "agate projects create team-b",
      }),
      renameCommand({
        description: "Rename a project. Its id and keys stay.",
        arguments: [PROJECT],
        path: projectPath,
        example: "agate projects rename team-b support-team",
      }),
      deleteCommand({
        description: "Delete a project with its keys. Fails if it has applications.",
        arguments: [PROJECT],
        path: projectPath,
        question: (project) => `Delete the project ${project} with its keys?`,
        example: "agate projects delete team-b",
      }),
    ],
  });
}

function projectPath(project: string): ApiPath {
  return apiPath`/registry/projects/${project}`;
}

function listCommand(): Command {
  const command = new Command("list").description("List the projects that you have access to.");
  return onPlatform(command, async (session) => {
    const document = await session.api.get<Items<Project>>(apiPath`/registry/projects`);
    session.show(document, ({ items }) =>
      listLines(
        session.terminal,
        [{ title: "PROJECT", least: 12 }, { title: "ID" }, { title: "CREATED" }],
        items.map((project) => [
          { text: project.slug, style: "bold" },
          project.id,
          timeCell(session, project.created_at),
        ]),
        "No projects.",
      ),
    );
  });
}
