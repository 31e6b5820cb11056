package io.csi4j.simulation;

import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.RemainingWork;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Which of all that may happen did happen in a run: a generator that fell silent must not go unseen. */
final class SimCoverage {
    private static final List<String> OPERATIONS = List.of(
            "reserve",
            "reconcile",
            "create snapshot",
            "delete snapshot",
            "create group snapshot",
            "delete group snapshot",
            "claim",
            "cancel a claim",
            "release",
            "release again",
            "claim after release",
            "node released",
            "detach",
            "collect",
            "override claim",
            "override claim of a living workload",
            "override attachment",
            "register",
            "deregister",
            "deregister by force",
            "create",
            "delete",
            "delete while in use",
            "expand",
            "expand on a node",
            "ask for a node's room",
            "modify");
    private static final List<String> TROUBLES = List.of(
            "power lost",
            "cut off",
            "fenced",
            "removed",
            "back",
            "back as it was",
            "not heard of",
            "plugin ill",
            "plugin restart",
            "controller moves",
            "agent restart",
            "call lost in a restart",
            "server crash",
            "state reloaded",
            "lead lost",
            "lead moves",
            "two leaders",
            "answer for a former leader",
            "log answer lost",
            "command lost",
            "command of a crashed server",
            "command comes late",
            "log never answers",
            "secrets never come",
            "claim waits for an expansion",
            "claim waits for room",
            "node is full",
            "limit of a node corrected",
            "attached by hand",
            "detached by hand",
            "stray on record",
            "published again",
            "token out of date",
            "claim out of reach",
            "volume made in the wrong place",
            "opposite call waits",
            "opposite call aborted");

    /** All there is. */
    static final Set<String> ALL = all();

    private final Set<String> seen = new TreeSet<>();

    private static Set<String> all() {
        Set<String> all = new TreeSet<>();
        OPERATIONS.forEach(operation -> all.add("operation " + operation));
        TROUBLES.forEach(trouble -> all.add("trouble " + trouble));
        Stream.of(Faults.Fate.values()).forEach(fate -> all.add("fate " + fate));
        Stream.of(StatusCode.values()).filter(code -> code != StatusCode.OK).forEach(code -> all.add("code " + code));
        Stream.of(AccessMode.values())
                .filter(mode -> mode != AccessMode.UNKNOWN)
                .forEach(mode -> all.add("granted " + mode));
        Stream.of(AttachmentMode.values()).forEach(mode -> all.add("granted " + mode));
        Stream.of(RemainingWork.Kind.values()).forEach(kind -> all.add("step " + kind));
        return Collections.unmodifiableSet(all);
    }

    void operation(String what) {
        saw("operation " + what);
    }

    void trouble(String what) {
        saw("trouble " + what);
    }

    void step(RemainingWork.Kind kind) {
        saw("step " + kind);
    }

    void saw(String what) {
        if (!ALL.contains(what)) {
            throw new IllegalArgumentException("the simulation does not count " + what + "; list it first");
        }
        seen.add(what);
    }

    Set<String> seen() {
        return Collections.unmodifiableSet(new TreeSet<>(seen));
    }
}
