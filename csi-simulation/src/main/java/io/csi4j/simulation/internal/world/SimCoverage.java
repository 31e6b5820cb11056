package io.csi4j.simulation.internal.world;

import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.RemainingWork;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Records which events occurred in a run, so that a test notices when an event never occurs any more. */
public final class SimCoverage {
    private static final List<String> OPERATIONS = List.of(
            "reserve",
            "reconcile",
            "create snapshot",
            "delete snapshot",
            "create group snapshot",
            "delete group snapshot",
            "claim",
            "cancel a claim",
            "store a request",
            "withdraw a request",
            "release",
            "release again",
            "claim after release",
            "node released",
            "mount by node volumes",
            "mount a volume several times",
            "unmount by node volumes",
            "give the files of a mount to a group",
            "mount with a label",
            "publish with tokens",
            "publish a mounted volume again",
            "detach",
            "collect",
            "recheck a lost volume",
            "search for orphans",
            "register an orphan",
            "delete an orphan",
            "override claim",
            "override claim of running workload",
            "override attachment",
            "override node",
            "state that a machine is lost",
            "register",
            "deregister",
            "deregister by force",
            "create",
            "delete",
            "delete while in use",
            "expand",
            "expand on a node",
            "query node capacity",
            "query node ledger",
            "modify",
            "change a class",
            "remove a class",
            "put a quota",
            "end a workload",
            "place elsewhere",
            "delete a retained volume",
            "adopt a volume",
            "change a policy",
            "publish an inline volume",
            "ask for capacity");
    private static final List<String> FAULTS = List.of(
            "power lost",
            "cut off",
            "fenced",
            "removed",
            "node recovered",
            "machine replaced",
            "machine replaced while it runs",
            "fenced machine replaced",
            "call for a former machine",
            "claim waits for a former machine",
            "node reconnected",
            "node unreachable",
            "plugin unhealthy",
            "plugin restart",
            "plugin has not answered yet",
            "plugin crash before its first answer",
            "plugin ended before its first answer",
            "first answer of a plugin",
            "controller moves",
            "agent restart",
            "call lost in a restart",
            "server crash at a write or call",
            "plugin crash in a call",
            "agent crash at a write or call",
            "agent stopped",
            "the driver was removed",
            "unmount without the driver",
            "change of ownership cancelled",
            "change of ownership failed",
            "label dropped by a plugin",
            "tokens never come",
            "no tokens",
            "token ran out before its call",
            "mount replaced by its plugin",
            "mount removed by its plugin",
            "disk lost power",
            "mount table unreadable",
            "server crash",
            "state reloaded",
            "state restored from a backup",
            "volume lost before a restore",
            "volume wrongly reported as missing",
            "lost volume found again",
            "use adopted",
            "use adopted under another name",
            "volume without a row after a restore",
            "claim waits for a ledger",
            "leadership lost",
            "leadership moves",
            "two leaders",
            "answer for a former leader",
            "log answer lost",
            "command lost",
            "command of a crashed server",
            "command delayed",
            "log never answers",
            "answer of a commit lost",
            "unknown commit found",
            "entries applied while the next ones are written",
            "commit late",
            "command of a former leader refused",
            "server cut off from the database",
            "database stopped",
            "leader paused",
            "paused leader overtaken",
            "lease lost while calls are in flight",
            "secrets never come",
            "claim waits for an expansion",
            "claim waits for capacity",
            "node is full",
            "limit of a node corrected",
            "attached manually",
            "detached manually",
            "orphan recorded",
            "published again",
            "listing token expired",
            "claim out of reach",
            "volume created in wrong topology",
            "volume created in wrong size",
            "volume given up",
            "attempt of unknown outcome given up",
            "late answer for a volume that was given up",
            "volume retained",
            "retained volume used again",
            "claim over a quota",
            "claim of an ended workload",
            "claim of another template",
            "no capacity in topology",
            "volume in wrong place refused",
            "creation refused",
            "creation unsettled",
            "inline volume removed without a mount",
            "old capacity reported",
            "capacity reported late",
            "claim refused by known capacity",
            "clock set back",
            "clock set forwards",
            "grace period ended",
            "opposite call waits",
            "opposite call aborted");

    /** The names of all events. */
    public static final Set<String> ALL = all();

    private final Set<String> covered = new HashSet<>();
    /** What is covered already, without the text of the event: most events occur many times in a run. */
    private final Set<String> operations = new HashSet<>();

    private final Set<String> faults = new HashSet<>();
    private final Set<RemainingWork.Kind> steps = EnumSet.noneOf(RemainingWork.Kind.class);

    private static Set<String> all() {
        Set<String> all = new TreeSet<>();
        OPERATIONS.forEach(operation -> all.add("operation " + operation));
        FAULTS.forEach(fault -> all.add("fault " + fault));
        Stream.of(Faults.Fate.values()).forEach(fate -> all.add("fate " + fate));
        Stream.of(StatusCode.values()).filter(code -> code != StatusCode.OK).forEach(code -> all.add("code " + code));
        Stream.of(VolumeAccessMode.values())
                .filter(mode -> mode != VolumeAccessMode.UNKNOWN)
                .forEach(mode -> all.add("granted " + mode));
        Stream.of(AttachmentMode.values()).forEach(mode -> all.add("granted " + mode));
        Stream.of(RemainingWork.Kind.values()).forEach(kind -> all.add("step " + kind));
        return Collections.unmodifiableSet(all);
    }

    public void operation(String event) {
        if (operations.add(event)) {
            add("operation " + event);
        }
    }

    public void fault(String event) {
        if (faults.add(event)) {
            add("fault " + event);
        }
    }

    public void step(RemainingWork.Kind kind) {
        if (steps.add(kind)) {
            add("step " + kind);
        }
    }

    public void add(String event) {
        if (covered.add(event) && !ALL.contains(event)) {
            throw new IllegalArgumentException(
                    "the simulation does not know the event " + event + "; add it to the list first");
        }
    }

    public Set<String> covered() {
        return Collections.unmodifiableSet(new TreeSet<>(covered));
    }
}
