package io.csi4j.core.plugin;

import io.csi4j.core.call.CallRules;
import io.csi4j.core.call.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Says how the controllers of a plugin are called, where this differs from CSI and from the options of the engine. Part of a
 * {@link PluginProfile}. A change counts for the calls that begin after it.
 *
 * @param callsInFlight the number of controller calls that the plugin may have in flight at one time; 0 for {@link
 *     io.csi4j.core.lifecycle.LifecycleOptions#callsInFlight}
 * @param callsPerVolume the number of nodes to which one volume may be published, or from which it may be unpublished, at the
 *     same time. Default: 1, because CSI asks for one call at a time for each volume (R26). Even with a larger number, one
 *     volume on one node has only one call at a time
 * @param controllersByPlace whether each controller instance serves only the volumes of its node. Then calls about a volume
 *     go only to instances on nodes in the topology of the volume, and wait while there is none
 * @param rules the rules that map failures to outcomes, and so decide whether the same request is sent to another plugin
 *     instance, and whether NOT_FOUND counts as success ({@link CallRules#withNotFoundAsDone}). Default: the rules of CSI
 */
public record CallSettings(int callsInFlight, int callsPerVolume, boolean controllersByPlace, CallRules rules) {
    private static final CallSettings DEFAULTS = builder().build();
    private static final int REASON_LENGTH = 256;

    public CallSettings {
        Objects.requireNonNull(rules, "rules");
    }

    /** Returns the settings of a plugin that is called as CSI and the options of the engine say. */
    public static CallSettings ofDefaults() {
        return DEFAULTS;
    }

    /** Returns a builder with the default settings. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns all problems of these settings; empty if they can be stored. */
    List<Problem> problems() {
        List<Problem> problems = new ArrayList<>();
        if (callsInFlight < 0) {
            problems.add(new Problem("callsInFlight", "is " + callsInFlight, "use 1 or more, or leave it out"));
        }
        if (callsPerVolume < 1) {
            problems.add(new Problem("callsPerVolume", "is " + callsPerVolume, "use 1 or more"));
        }
        for (CallRules.Change change : rules.changes()) {
            String reason = change.rule().reason();
            if (reason.length() > REASON_LENGTH || reason.chars().anyMatch(Character::isISOControl)) {
                problems.add(new Problem(
                        "rules",
                        "have a reason for " + change.rpc().csiName() + " " + change.code()
                                + " with control characters or more than " + REASON_LENGTH + " characters",
                        "say it shortly in one line"));
            }
        }
        return problems;
    }

    /** Builds {@link CallSettings}. Not thread-safe. */
    public static final class Builder {
        private int callsInFlight;
        private int callsPerVolume = 1;
        private boolean controllersByPlace;
        private CallRules rules = CallRules.defaults();

        private Builder() {}

        /**
         * Sets the number of controller calls that the plugin may have in flight at one time. Use 1 for a plugin that does
         * not support concurrent calls.
         */
        public Builder callsInFlight(int calls) {
            this.callsInFlight = calls;
            return this;
        }

        /**
         * Sets the number of nodes to which one volume may be published, or from which it may be unpublished, at the same
         * time. Use more than 1 only for a plugin that supports it; other plugins respond with ABORTED or lose data (R26).
         */
        public Builder callsPerVolume(int calls) {
            this.callsPerVolume = calls;
            return this;
        }

        /** Sets whether each controller instance serves only the volumes of its node. */
        public Builder controllersByPlace(boolean byPlace) {
            this.controllersByPlace = byPlace;
            return this;
        }

        /**
         * Sets the rules of a plugin that uses status codes differently from CSI. The clients of the plugin on the nodes have
         * their own rules: give them the same.
         */
        public Builder rules(CallRules rules) {
            this.rules = Objects.requireNonNull(rules, "rules");
            return this;
        }

        /** Builds the settings. {@link PluginProfile#problems} checks them. */
        public CallSettings build() {
            return new CallSettings(callsInFlight, callsPerVolume, controllersByPlace, rules);
        }
    }
}
