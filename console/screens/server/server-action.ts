/** Actions on a server that only need its id. */
export type ServerAction = "restart" | "enable" | "disable" | "remove";

export interface ActionText {
  readonly route: "restartServer" | "enableServer" | "disableServer" | "removeServer";
  readonly title: (server: string) => string;
  /** What happens. */
  readonly about: string;
  readonly confirm: string;
  readonly done: (server: string) => string;
  readonly isDanger?: boolean;
}

export const ACTION_TEXTS: Readonly<Record<ServerAction, ActionText>> = {
  restart: {
    route: "restartServer",
    title: (server) => `Restart ${server}?`,
    about: "It is stopped and started, and its lists are read again. Calls under way fail.",
    confirm: "Restart",
    done: (server) => `${server} was restarted`,
  },
  enable: {
    route: "enableServer",
    title: (server) => `Enable ${server}?`,
    about: "The config says so from now on. It is started when somebody needs it.",
    confirm: "Enable",
    done: (server) => `${server} is enabled`,
  },
  disable: {
    route: "disableServer",
    title: (server) => `Disable ${server}?`,
    about: "It is stopped and its tools are hidden from every client, until it is enabled again.",
    confirm: "Disable",
    done: (server) => `${server} is disabled`,
    isDanger: true,
  },
  remove: {
    route: "removeServer",
    title: (server) => `Remove ${server}?`,
    about:
      "Its entry is taken out of the config and it is stopped. Library items that use its tools no longer work.",
    confirm: "Remove",
    done: (server) => `${server} was removed`,
    isDanger: true,
  },
};
