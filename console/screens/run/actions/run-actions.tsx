import { Ban, Bookmark, Copy, Ellipsis, Pencil, Play, RotateCcw } from "lucide-react";
import { useState, type ReactNode } from "react";
import { toolErrorOf } from "../../../api/api-error.ts";
import { useMay } from "../../../api/session.ts";
import { twinText } from "../../../api/twin.ts";
import { Button, IconButton } from "../../../parts/button.tsx";
import { CommandTwin } from "../../../parts/command-twin.tsx";
import { copyText } from "../../../parts/copy-button.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { ErrorText } from "../../../parts/error-state.tsx";
import { useKeys, type KeyBindings } from "../../../parts/keys.ts";
import { Menu, type MenuItem } from "../../../parts/menu.tsx";
import { toast } from "../../../parts/toast-store.ts";
import { resumeProblem, uncertainOf, type RunHead } from "../run-view.ts";
import { CancelDialog } from "./cancel-dialog.tsx";
import { againOf, cliText, curlOf, testText } from "./copy-as.ts";
import { EditDialog } from "./edit-dialog.tsx";
import { useLaunch } from "./launch.ts";
import { RerunDialog } from "./rerun-dialog.tsx";
import { SaveDialog } from "./save-dialog.tsx";

type Opened = "edit" | "rerun" | "cancel" | "save";

/** What can be done with the run. What its state or the session does not allow is not there, or says why. */
export function RunActions({ head }: { readonly head: RunHead }): ReactNode {
  const [opened, setOpened] = useState<Opened>();
  const may = useRunMay(head);
  const resume = useLaunch("resumeRun");
  const input = { params: { run: head.run_id }, body: {} };
  const close = () => setOpened(undefined);
  const open = (what: Opened) => ({ run: () => setOpened(what) });
  const resumeNow = { label: "Resume", group: "Run", run: () => resume.launch(input) };
  const keys: KeyBindings = {
    ...(may.resume && { R: resumeNow, r: { ...resumeNow, hidden: true } }),
    ...(may.edit && { e: { label: "Edit and resume", group: "Run", ...open("edit") } }),
    ...(may.save && { s: { label: "Save to the library", group: "Run", ...open("save") } }),
  };
  useKeys(keys);
  return (
    <>
      {may.resume && (
        <Button
          look="primary"
          icon={Play}
          shortcut="R"
          busy={resume.isPending}
          title={twinText("resumeRun", input)}
          onClick={() => resume.launch(input)}
        >
          Resume
        </Button>
      )}
      {may.edit && (
        <Button icon={Pencil} shortcut="e" onClick={() => setOpened("edit")}>
          <span>
            Edit<span className="max-sm:sr-only"> and resume</span>
          </span>
        </Button>
      )}
      {may.cancel && (
        <Button look="danger" icon={Ban} onClick={() => setOpened("cancel")}>
          Cancel
        </Button>
      )}
      {may.save && (
        <Button icon={Bookmark} shortcut="s" onClick={() => setOpened("save")}>
          Save
        </Button>
      )}
      <Menu
        trigger={<IconButton icon={Ellipsis} label="More actions" look="plain" />}
        items={itemsOf(head, may, setOpened)}
      />
      {opened === "edit" && <EditDialog head={head} onClose={close} />}
      {opened === "rerun" && <RerunDialog head={head} onClose={close} />}
      {opened === "cancel" && <CancelDialog head={head} onClose={close} />}
      {opened === "save" && <SaveDialog head={head} onClose={close} />}
      <Dialog
        open={resume.error !== null}
        onClose={resume.reset}
        title="It was not resumed"
        size="sm"
        footer={<Button onClick={resume.reset}>Close</Button>}
      >
        <div className="space-y-3">
          {resume.error !== null && <ErrorText error={toolErrorOf(resume.error)} />}
          <CommandTwin command={twinText("resumeRun", input) ?? ""} />
        </div>
      </Dialog>
    </>
  );
}

type May = Readonly<Record<"resume" | "edit" | "cancel" | "save" | "rerun", boolean>>;

function useRunMay(head: RunHead): May {
  const mayCall = useMay("resumeRun");
  const maySave = useMay("saveRun");
  const isUncertain = uncertainOf(head).length > 0;
  const canResume = mayCall && resumeProblem(head) === undefined && !isUncertain;
  return {
    resume: canResume,
    edit: canResume && head.language === "typescript" && head.source !== null,
    cancel:
      mayCall &&
      head.parent === undefined &&
      head.resumed_by === undefined &&
      ["running", "paused", "interrupted"].includes(head.status),
    save:
      maySave &&
      head.status === "succeeded" &&
      head.source !== null &&
      (head.kind === "code" || head.kind === "workflow"),
    rerun: mayCall && againOf(head) !== undefined,
  };
}

function itemsOf(head: RunHead, may: May, setOpened: (opened: Opened) => void): readonly MenuItem[] {
  const again = againOf(head);
  const copy = (label: string, text: () => string): MenuItem => ({
    label,
    icon: Copy,
    run: () => void copied(text()),
  });
  const show = twinText("getRun", { params: { run: head.run_id } });
  return [
    { label: "Rerun with inputs…", icon: RotateCcw, disabled: !may.rerun, run: () => setOpened("rerun") },
    "line",
    ...(again === undefined
      ? []
      : [
          copy("Copy as a command", () => cliText(again)),
          copy("Copy as curl", () => curlOf(again)),
          copy("Copy as a test", () => testText(again, head)),
        ]),
    ...(show === undefined ? [] : [copy("Copy the show command", () => show)]),
    copy("Copy the link", () => location.href),
  ];
}

async function copied(text: string): Promise<void> {
  if (await copyText(text)) toast({ tone: "ok", title: "Copied" });
}
