/** The tasks of the bench. */
import type { Task } from "./task.ts";
import { OPERATION_TASKS } from "./tasks-operations.ts";
import { DATABASE_TASKS } from "./tasks-databases.ts";
import { REPOSITORY_TASKS } from "./tasks-repositories.ts";
import { WEB_TASKS } from "./tasks-web.ts";
import { WORK_TASKS } from "./tasks-work.ts";

export const TASKS: readonly Task[] = [
  ...REPOSITORY_TASKS,
  ...DATABASE_TASKS,
  ...WORK_TASKS,
  ...WEB_TASKS,
  ...OPERATION_TASKS,
];
