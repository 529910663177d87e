import { existsSync, readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const pages: string[] = [];
for await (const page of glob(["*.md", "docs/**/*.md", "packages/*/*.md", "bench/*.md"], {
  cwd: root,
})) {
  pages.push(page);
}

/** GitHub's anchor of a heading. */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}

/** The text of a page without its code blocks. */
function proseOf(file: string): string {
  return readFileSync(file, "utf8").replaceAll(/^```.*?^```/gms, "");
}

function anchorsIn(file: string): string[] {
  return [...proseOf(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchor(heading));
}

it.each(pages)("%s links to what is there", (page) => {
  const broken = [...proseOf(join(root, page)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [path = "", fragment] = target.split("#");
      const file = path === "" ? join(root, page) : join(root, dirname(page), path);
      if (!existsSync(file)) return true;
      return fragment !== undefined && !anchorsIn(file).includes(fragment);
    });
  expect(broken).toEqual([]);
});
