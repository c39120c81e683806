/** All commands, in the order of the help. */
import type { CommandDefinition } from "./command.ts";
import { startCommand } from "./start/start.ts";
import { initCommand } from "./init/init.ts";
import { connectCommand } from "./connect/connect.ts";
import { demoCommand } from "./demo/demo.ts";
import { demoServerCommand } from "./demo/demo-server.ts";
import { serversCommand, removeCommand, enableCommand, disableCommand } from "./commands/servers/servers.ts";
import { addCommand } from "./commands/servers/add.ts";
import { searchCommand } from "./commands/servers/search.ts";
import { pinCommand } from "./commands/servers/pin.ts";
import { toolsCommand, typesCommand } from "./commands/use/tools.ts";
import { describeCommand } from "./commands/use/describe.ts";
import { callCommand } from "./commands/use/call.ts";
import { costCommand } from "./commands/use/cost.ts";
import { listCommand, testCommand, exportCommand, importCommand } from "./commands/library/whole-library.ts";
import { saveCommand, renameCommand, aliasCommand, deleteCommand } from "./commands/library/item.ts";
import { historyCommand, diffCommand, rollbackCommand } from "./commands/library/versions.ts";
import { runCommand, resumeCommand } from "./commands/runs/run.ts";
import { runsCommand } from "./commands/runs/runs.ts";
import { showCommand } from "./commands/runs/show.ts";
import { approveCommand } from "./commands/runs/approve.ts";
import { inboxCommand } from "./commands/runs/inbox.ts";
import { cancelCommand } from "./commands/runs/cancel.ts";
import { dismissCommand, retryCommand } from "./commands/runs/given-up.ts";
import { validateCommand, graphCommand } from "./commands/runs/workflow.ts";
import { loginCommand, logoutCommand } from "./commands/access/login.ts";
import { inputCommand } from "./commands/access/input.ts";
import { secretsCommand } from "./commands/access/secrets.ts";
import { trustCommand } from "./commands/access/trust.ts";
import { pinsCommand, rejectCommand } from "./commands/access/pins.ts";
import { tokenCommand } from "./commands/access/token.ts";
import { rulesCommand } from "./commands/access/rules.ts";
import { serveCommand } from "./commands/operate/serve.ts";
import { consoleCommand } from "./commands/operate/console.ts";
import { schedulesCommand } from "./commands/operate/schedules.ts";
import { doctorCommand } from "./doctor/doctor.ts";
import { configCommand } from "./commands/operate/config.ts";
import { statsCommand } from "./commands/operate/stats.ts";
import { statusCommand } from "./commands/operate/status.ts";
import { migrateCommand } from "./commands/operate/migrate.ts";
import { callsCommand } from "./commands/operate/calls.ts";
import { auditCommand } from "./commands/operate/audit.ts";
import { bugReportCommand } from "./doctor/bug-report.ts";
import { completionsCommand } from "./completion/completions.ts";

export const COMMANDS: readonly CommandDefinition[] = [
  startCommand,
  initCommand,
  connectCommand,
  demoCommand,
  demoServerCommand,
  serversCommand,
  searchCommand,
  addCommand,
  removeCommand,
  enableCommand,
  disableCommand,
  pinCommand,
  toolsCommand,
  describeCommand,
  callCommand,
  costCommand,
  typesCommand,
  listCommand,
  saveCommand,
  testCommand,
  historyCommand,
  diffCommand,
  rollbackCommand,
  renameCommand,
  aliasCommand,
  deleteCommand,
  exportCommand,
  importCommand,
  runCommand,
  resumeCommand,
  runsCommand,
  showCommand,
  cancelCommand,
  retryCommand,
  dismissCommand,
  inboxCommand,
  approveCommand,
  validateCommand,
  graphCommand,
  loginCommand,
  logoutCommand,
  inputCommand,
  secretsCommand,
  trustCommand,
  pinsCommand,
  rejectCommand,
  tokenCommand,
  rulesCommand,
  serveCommand,
  consoleCommand,
  schedulesCommand,
  doctorCommand,
  configCommand,
  statusCommand,
  statsCommand,
  migrateCommand,
  callsCommand,
  auditCommand,
  bugReportCommand,
  completionsCommand,
];
