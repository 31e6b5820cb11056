package io.csi4j.core.internal.apply;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.WithdrawnCreation;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Applies the commands about plugins. */
final class PluginHandler implements PluginCommand.Cases<Outcome> {
    /**
     * Orders instances by start time, so that the facts of the newest instance are applied last and replace the others.
     */
    private static final Comparator<PluginInstance> OLDEST_FIRST =
            Comparator.comparing(PluginInstance::startedAt).thenComparing(PluginInstance::key);

    private final Step step;

    PluginHandler(Step step) {
        this.step = step;
    }

    @Override
    public Outcome fingerprintNode(PluginCommand.FingerprintNode command) {
        Optional<Node> node = step.reader().node(command.nodeId());
        if (node.isEmpty() || node.get().status() == NodeStatus.GONE) {
            return Step.rejected(new Rejection.NodeNotFound(command.nodeId()));
        }
        long newest = node.get().fingerprint();
        if (command.order() != 0 && command.order() < newest) {
            return Step.rejected(new Rejection.FingerprintOutdated(command.nodeId(), command.order(), newest));
        }
        if (command.order() > newest) {
            // The order number of the fingerprint is stored even if nothing else changed, so that an older fingerprint
            // is rejected later.
            step.writer().putNode(node.get().fingerprinted(command.order()));
        }
        command.instances().stream().sorted(OLDEST_FIRST).forEach(this::storeInstance);
        Set<InstanceKey> named =
                command.instances().stream().map(PluginInstance::key).collect(Collectors.toSet());
        Set<PluginId> plugins = new TreeSet<>();
        step.reader()
                .instancesOn(command.nodeId())
                .forEach(instance -> plugins.add(instance.key().pluginId()));
        AllocationEndings.removeInstances(step, command.nodeId(), instance -> !named.contains(instance.key()));
        plugins.forEach(this::replaceUnusedProvider);
        reportMachines(command);
        return step.accepted();
    }

    /**
     * Records the external id of the node that the preferred instance of each plugin reports. Only what this report
     * says counts: the state may have completed the rows with facts of an earlier machine. What {@linkplain
     * PluginFacts#conflictsWith another driver} reports says nothing about the machine: it uses ids of its own.
     */
    private void reportMachines(PluginCommand.FingerprintNode command) {
        Map<PluginId, PluginInstance> preferred = new TreeMap<>();
        for (PluginInstance instance : command.instances()) {
            boolean counts = step.reader()
                    .instance(instance.key())
                    .filter(PluginInstance::proved)
                    .isPresent();
            if (counts && namesMachine(instance)) {
                preferred.merge(instance.key().pluginId(), instance, PluginHandler::preferred);
            }
        }
        preferred.values().forEach(this::reportMachine);
    }

    /** Records the external ids that the healthy instances of a plugin have reported before its driver was stated. */
    private void reportMachines(PluginId pluginId) {
        Map<NodeId, PluginInstance> preferred = new TreeMap<>();
        for (PluginInstance instance : step.reader().instancesOf(pluginId)) {
            NodeId nodeId = instance.key().nodeId();
            boolean known = step.reader()
                    .node(nodeId)
                    .filter(node -> node.status() != NodeStatus.GONE)
                    .isPresent();
            if (known && instance.healthy() && namesMachine(instance)) {
                preferred.merge(nodeId, instance, PluginHandler::preferred);
            }
        }
        preferred.values().forEach(this::reportMachine);
    }

    private boolean namesMachine(PluginInstance instance) {
        return instance.key().type().servesNode()
                && step.reader()
                        .facts(instance.key().pluginId())
                        .filter(facts -> facts.conflictsWith(instance))
                        .isEmpty();
    }

    private static PluginInstance preferred(PluginInstance one, PluginInstance other) {
        return one.isPreferredTo(other) ? one : other;
    }

    private void reportMachine(PluginInstance instance) {
        InstanceKey key = instance.key();
        instance.nodeInfo()
                .map(NodeInfo::externalNodeId)
                .ifPresent(id -> NodeMachines.report(step, key.nodeId(), key.pluginId(), id));
    }

    private void storeInstance(PluginInstance reported) {
        Optional<PluginInstance> previous = step.reader().instance(reported.key());
        boolean ended = reported.key()
                .allocationId()
                .flatMap(step.reader()::allocation)
                .filter(Allocation::ended)
                .isPresent();
        if (ended || (previous.isEmpty() && !reported.healthy() && reported.proved())) {
            // Ignores an instance of an ended allocation. Also ignores an unhealthy instance that the state does not
            // contain: its plugin may have been removed, and the report must not add the plugin again. An instance that
            // has not answered yet adds no plugin, so it is listed.
            return;
        }
        PluginInstance now = previous.map(reported::withKnownFactsOf).orElse(reported);
        boolean same = previous.filter(old ->
                        now.toBuilder().updatedAt(old.updatedAt()).build().equals(old))
                .isPresent();
        if (!same) {
            step.writer().putInstance(now);
            updateFacts(reported);
        }
    }

    /**
     * Updates the facts of a plugin with the report of a healthy instance (R38), but only if this instance reports
     * something new. So, while two versions of the plugin run, repeated reports of the old version do not replace the
     * facts of the new one.
     */
    private void updateFacts(PluginInstance reported) {
        PluginId pluginId = reported.key().pluginId();
        PluginFacts known = step.reader().facts(pluginId).orElseGet(() -> PluginFacts.none(pluginId));
        PluginFacts now = known.updatedBy(reported);
        if (!now.equals(known)) {
            step.writer().putFacts(now);
        }
    }

    /**
     * Replaces the provider name of a plugin that has no volume, and no instance with the name any more, by the name of
     * its oldest instance. So a driver that was registered by mistake does not need an operator. The name of a plugin
     * with volumes, and a name that an operator has set, stay.
     */
    private void replaceUnusedProvider(PluginId pluginId) {
        Optional<PluginFacts> facts = step.reader().facts(pluginId);
        if (facts.isEmpty()
                || facts.get().provider().isEmpty()
                || facts.get().providerOverride().isPresent()
                || step.reader().volumesOf(pluginId).iterator().hasNext()
                || leavesSomething(pluginId)) {
            return;
        }
        for (PluginInstance instance : step.reader().instancesOf(pluginId)) {
            if (!facts.get().conflictsWith(instance)) {
                return;
            }
        }
        Optional<String> next = oldestFirst(pluginId).stream()
                .filter(PluginInstance::healthy)
                .findFirst()
                .flatMap(PluginInstance::provider);
        if (next.isPresent()) {
            step.writer()
                    .putFacts(reported(new PluginFacts(
                            pluginId, next, Optional.empty(), Capabilities.unknown(), Optional.empty())));
        }
    }

    /** Returns whether the state has a leftover or a withdrawn creation of a plugin, which belongs to its driver. */
    private boolean leavesSomething(PluginId pluginId) {
        for (Leftover leftover : step.reader().leftovers()) {
            if (leftover.key().pluginId().equals(pluginId)) {
                return true;
            }
        }
        for (WithdrawnCreation withdrawn : step.reader().withdrawnCreations()) {
            if (withdrawn.key().pluginId().equals(pluginId)) {
                return true;
            }
        }
        return false;
    }

    private List<PluginInstance> oldestFirst(PluginId pluginId) {
        List<PluginInstance> instances = Step.collect(step.reader().instancesOf(pluginId));
        return instances.stream().sorted(OLDEST_FIRST).toList();
    }

    /** Returns facts, updated with the reports of all instances of the plugin in the state. */
    private PluginFacts reported(PluginFacts facts) {
        PluginFacts updated = facts;
        for (PluginInstance instance : oldestFirst(facts.pluginId())) {
            updated = updated.updatedBy(instance);
        }
        return updated;
    }

    @Override
    public Outcome setProvider(PluginCommand.SetProvider command) {
        Optional<PluginFacts> known = step.reader().facts(command.pluginId());
        if (known.isEmpty()) {
            return step.accepted();
        }
        PluginFacts facts = known.get();
        boolean same = facts.provider().filter(command.provider()::equals).isPresent();
        PluginFacts now = same ? facts : PluginFacts.none(command.pluginId());
        step.writer()
                .putFacts(reported(new PluginFacts(
                        command.pluginId(),
                        Optional.of(command.provider()),
                        now.vendorVersion(),
                        now.capabilities(),
                        Optional.of(new OperatorOverride(command.operator(), command.reason(), command.at())))));
        reportMachines(command.pluginId());
        return step.accepted();
    }

    @Override
    public Outcome removeInstance(PluginCommand.RemoveInstance command) {
        Optional<PluginInstance> instance = step.reader().instance(command.key());
        if (instance.isPresent()) {
            step.writer().removeInstance(command.key());
        }
        if (instance.filter(PluginInstance::proved).isPresent()) {
            UnreferencedRows.removePlugin(step, command.key().pluginId());
            replaceUnusedProvider(command.key().pluginId());
        }
        return step.accepted();
    }

    @Override
    public Outcome upsertDeployment(PluginCommand.UpsertDeployment command) {
        PluginDeployment now = command.deployment();
        Optional<PluginDeployment> previous = step.reader().deployment(now.id());
        if (previous.filter(now::equals).isEmpty()) {
            step.writer().putDeployment(now);
            previous.ifPresent(this::removeUnused);
        }
        return step.accepted();
    }

    @Override
    public Outcome removeDeployment(PluginCommand.RemoveDeployment command) {
        Optional<PluginDeployment> previous = step.reader().deployment(command.deploymentId());
        if (previous.isPresent()) {
            step.writer().removeDeployment(command.deploymentId());
            removeUnused(previous.get());
        }
        return step.accepted();
    }

    /**
     * Removes the plugins of a deployment that was changed or removed, if they have no instance and no other
     * deployment.
     */
    private void removeUnused(PluginDeployment previous) {
        previous.expected().forEach((plugin, expected) -> {
            if (!expected.isNone()) {
                UnreferencedRows.removePlugin(step, plugin);
            }
        });
    }

    @Override
    public Outcome deletePlugin(PluginCommand.DeletePlugin command) {
        PluginId pluginId = command.pluginId();
        PluginView plugin = step.reader().plugin(pluginId);
        List<InstanceKey> instances =
                plugin.instances().stream().map(PluginInstance::key).toList();
        List<DeploymentId> deployments = plugin.deployments().stream()
                .filter(deployment -> !deployment.expectedOf(pluginId).isNone())
                .map(PluginDeployment::id)
                .toList();
        Iterator<VolumeKey> volumes = step.reader().volumesOf(pluginId).iterator();
        Optional<VolumeKey> volume = volumes.hasNext() ? Optional.of(volumes.next()) : Optional.empty();
        if (!instances.isEmpty() || !deployments.isEmpty() || volume.isPresent()) {
            return Step.rejected(new Rejection.PluginInUse(pluginId, instances, deployments, volume));
        }
        UnreferencedRows.removeFacts(step, pluginId);
        return step.accepted();
    }
}
