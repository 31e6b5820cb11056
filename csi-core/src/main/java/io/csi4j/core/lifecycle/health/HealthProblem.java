package io.csi4j.core.lifecycle.health;

import java.util.Objects;

/**
 * A reason why a server cannot do its work, or does it late.
 *
 * @param kind the kind of the problem
 * @param message the problem, for operators, with the ids that it concerns
 * @param remedy the next action of an operator
 */
public record HealthProblem(Kind kind, String message, String remedy) {
    public HealthProblem {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(message, "message");
        Objects.requireNonNull(remedy, "remedy");
    }

    /** The kinds of problems. */
    public enum Kind {
        /** The state cannot be read. */
        STATE_UNREADABLE(true),
        /** The log is closed, or rejects commands for another reason. */
        LOG_FAILED(true),
        /** The log did not answer a command in time. */
        LOG_SILENT(true),
        /** The server does not lead, and no leader is known. */
        NO_LEADER(true),
        /**
         * The storage of the log fails at this server, for example its database, or the disk of its snapshots. The log tries again; if it cannot serve
         * commands meanwhile, there is also a problem of kind {@link #LOG_SILENT} or {@link #LOG_FAILED}.
         */
        LOG_TROUBLE(false),
        /** The log answered the last two checks later than after a second. Each claim and each release waits as long. */
        LOG_SLOW(false),
        /** This server has begun to lead several times within ten minutes, so it loses the lead again and again. */
        LEADERSHIP_UNSTEADY(false),
        /** A plugin has fewer healthy instances than its deployments are meant to run. */
        PLUGIN_INSTANCES_MISSING(false),
        /** No volume of a plugin can be claimed, because a service that every claim needs has no healthy instance. */
        PLUGIN_NOT_USABLE(false),
        /**
         * A plugin reports another external id for a node, and claims of the former one are held until an operator says
         * what became of that machine.
         */
        NODE_REPLACED(false),
        /** Instances of a plugin run another driver than the plugin's volumes belong to. They are not called. */
        PLUGIN_CONFLICT(false),
        /** A node reports that it runs a controller of a plugin, and the host has not declared it. It is not called. */
        CONTROLLER_UNDECLARED(false),
        /** The release of a claim or an attachment takes longer than the release limit of the check. */
        RELEASE_STUCK(false),
        /**
         * The state was restored, and the storage provider does not have volumes that claims need. An operator has to
         * delete or forget them, or repair the provider and recheck them.
         */
        VOLUME_LOST(false),
        /**
         * Calls to plugins were not sent, because the {@link io.csi4j.core.spi.SecretsProvider} did not have their secrets.
         * The leader finds it.
         */
        SECRETS_ABSENT(false),
        /** A plugin refuses the secrets of calls with UNAUTHENTICATED. The leader finds it. */
        SECRETS_REFUSED(false),
        /** A claim request waits longer than the claim limit of the check. */
        CLAIM_WAITS_LONG(false),
        /** A call to a plugin has waited for a permit, and not been sent, for longer than the check's call limit. */
        CALL_WAITS_LONG(false),
        /** A plugin has not answered a call for longer than the check's call limit. */
        CALL_UNANSWERED(false),
        /** The host has reported a node as DISCONNECTED for longer than the node limit of the check. */
        NODE_DISCONNECTED(false),
        /** The agent of a node that is READY has not answered for longer than the node limit of the check. */
        NODE_SILENT(false),
        /**
         * A mount or unmount on a node hangs or fails for longer than the node limit of the check. The node reports its
         * work, so this includes unmounts that no server has asked for.
         */
        NODE_WORK_STUCK(false),
        /** A mount on a node is broken, or does not answer. */
        NODE_MOUNT_BROKEN(false),
        /**
         * A plugin that should run on a node has no healthy instance there for longer than the node limit of the check.
         * It should run there if the host declares it, if volumes of the plugin are in use there, or if it was seen
         * there within the last day.
         */
        NODE_PLUGIN_MISSING(false),
        /**
         * An instance of a plugin is not healthy by the last report of its READY node. If that lasts, and the plugin should
         * run there, the problem is of kind {@link #NODE_PLUGIN_MISSING}.
         */
        PLUGIN_UNHEALTHY(false);

        private final boolean blocking;

        Kind(boolean blocking) {
            this.blocking = blocking;
        }

        /** Returns whether a server with such a problem can do no work at all. */
        public boolean blocking() {
            return blocking;
        }
    }
}
