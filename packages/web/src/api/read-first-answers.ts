import { FIRST_ANSWERS_ID, type FirstAnswers } from "@agate/protocol";

/** What the platform has put into the document; null where it did not know the reader. */
export function readFirstAnswers(): FirstAnswers | null {
  const text = document.getElementById(FIRST_ANSWERS_ID)?.textContent;
  return text ? (JSON.parse(text) as FirstAnswers) : null;
}
