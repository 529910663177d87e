/** Whose traces and applications these are. Keys belong to one. */
export interface Project {
  readonly id: string;
  readonly slug: string;
  readonly created_at: string;
}

/** The project of everything that is done without a key. Its id; its slug may be changed. */
export const DEFAULT_PROJECT_ID = "default";
