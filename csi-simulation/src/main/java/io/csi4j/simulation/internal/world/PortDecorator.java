package io.csi4j.simulation.internal.world;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.rpc.NodeService;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.spi.Timer;
import io.csi4j.node.MountTable;
import io.csi4j.node.NodeVolumes;
import io.csi4j.node.PublishTokenProvider;
import io.csi4j.node.VolumeOwnership;
import io.csi4j.simulation.internal.disk.WriteGate;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Decorates the ports between engines and the simulated world. Tests of the simulation use it to plant defects. */
public interface PortDecorator {
    /** Changes nothing. */
    PortDecorator NONE = world -> new Ports() {};

    /** Returns the wrapped services of all engines. */
    Ports of(SimWorld world);

    /** Returns the rules of the log in a database. */
    default DatabaseRules databaseRules() {
        return new DatabaseRules() {};
    }

    /** Whether workloads name groups in all seeds with the real node volumes, and not only in some. */
    default boolean alwaysNamesGroups() {
        return false;
    }

    /** Whether volumes are published again in all seeds with the real node volumes, and not only in some. */
    default boolean alwaysPublishesAgain() {
        return false;
    }

    /** Whether workloads name security labels in all seeds with the real node volumes, and not only in some. */
    default boolean alwaysNamesLabels() {
        return false;
    }

    /** Changes the node information that a plugin reports. */
    default NodeInfo reported(NodeInfo info) {
        return info;
    }

    /** Changes the report of an instance. */
    default PluginInstance reported(PluginInstance instance) {
        return instance;
    }

    /** Returns the wrapped services of all agents. */
    default NodePorts ofNodes(SimWorld world) {
        return new NodePorts() {};
    }

    /** The services that the agents of all nodes get from the simulated world. */
    interface NodePorts {
        default WriteGate gate(WriteGate gate) {
            return gate;
        }

        default MountTable mountTable(MountTable table) {
            return table;
        }

        default NodeService nodeService(NodeService service) {
            return service;
        }

        /** Returns the issuer of the tokens for workloads. */
        default PublishTokenProvider tokens(PublishTokenProvider issuer) {
            return issuer;
        }

        /** Returns the clock of an agent that starts. */
        default Clock clock(Clock clock) {
            return clock;
        }

        default VolumeOwnership ownership(VolumeOwnership ownership) {
            return ownership;
        }

        /** Whether a change of ownership takes the sign of a finished one from the root directory before all else. */
        default boolean takesSignFirst() {
            return true;
        }

        /** Whether a change of ownership gives the sign to the root directory after all else. */
        default boolean givesSignLast() {
            return true;
        }

        /** Passes on the engine's call to unmount a volume. */
        default CompletableFuture<Void> detach(NodeVolumes volumes, NodeDetach request) {
            return volumes.detach(request);
        }

        /** Returns whether an agent, when it starts, unmounts the volumes that its ledger has for an allocation. */
        default boolean unmountsAtStart(AllocationId allocation, boolean runs) {
            return !runs;
        }
    }

    /** The rules by which the servers of a log in a database never contradict each other; a planted defect breaks one. */
    interface DatabaseRules {
        /** Whether a transaction compares the term of its commands with that of the head. */
        default boolean refusesFormerTerms() {
            return true;
        }

        /** Whether a server looks for a command whose commit has an unknown end, before it appends the command again. */
        default boolean findsUnknownCommits() {
            return true;
        }

        /** Returns for how long the leader acts after it sent a renewal. */
        default Duration acting(Duration lease) {
            return lease.multipliedBy(4).dividedBy(5);
        }

        /** Returns from when on a renewal counts. */
        default long renewedAt(long sentAt, long answeredAt) {
            return sentAt;
        }

        /** Whether the engine may act, as it learns before each call. */
        default boolean mayAct(boolean leads) {
            return leads;
        }
    }

    /** The services that the simulated world gives to the engine of each server. */
    interface Ports {
        /**
         * Wraps the timer of a server.
         *
         * @param clock the clock of the same server
         */
        default Timer timer(Timer timer, Clock clock) {
            return timer;
        }

        default CommandLog log(CommandLog log) {
            return log;
        }

        default NodeGateway gateway(NodeGateway gateway) {
            return gateway;
        }
    }
}
