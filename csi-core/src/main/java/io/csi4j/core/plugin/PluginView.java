package io.csi4j.core.plugin;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A read-only view of a plugin as it was at one index of the state: its instances, its deployments and its last known
 * facts.
 */
public final class PluginView {
    private final PluginId pluginId;
    private final List<PluginInstance> instances;
    private final List<PluginDeployment> deployments;
    private final @Nullable PluginFacts facts;
    private final Counts counts;
    private final boolean outline;
    private final Set<InstanceKey> undeclared;
    private final List<PluginInstance> unproved;

    /**
     * The numbers of expected and healthy instances of the plugin, including instances and deployments that the caller
     * may not see.
     */
    private record Counts(
            boolean empty,
            ExpectedInstances expected,
            int healthyControllers,
            int healthyNodes,
            int conflicts,
            int undeclared,
            int unproved) {}

    private PluginView(
            PluginId pluginId,
            List<PluginInstance> instances,
            List<PluginDeployment> deployments,
            @Nullable PluginFacts facts,
            Counts counts,
            boolean outline,
            Set<InstanceKey> undeclared,
            List<PluginInstance> unproved) {
        this.pluginId = Objects.requireNonNull(pluginId, "pluginId");
        this.instances = instances;
        this.deployments = deployments;
        this.facts = facts;
        this.counts = counts;
        this.outline = outline;
        this.undeclared = undeclared;
        this.unproved = unproved;
    }

    /**
     * Creates a view of a plugin.
     *
     * @param instances the instances of the plugin
     * @param deployments the deployments that are meant to run the plugin
     * @param facts the last known facts of the plugin
     */
    public static PluginView of(
            PluginId pluginId,
            Iterable<PluginInstance> instances,
            Iterable<PluginDeployment> deployments,
            Optional<PluginFacts> facts) {
        return of(pluginId, instances, deployments, facts, List.of());
    }

    /**
     * Creates a view of a plugin.
     *
     * @param instances the proved instances of the plugin
     * @param deployments the deployments that are meant to run the plugin
     * @param facts the last known facts of the plugin
     * @param unproved the instances that are registered and have not answered yet
     */
    public static PluginView of(
            PluginId pluginId,
            Iterable<PluginInstance> instances,
            Iterable<PluginDeployment> deployments,
            Optional<PluginFacts> facts,
            Iterable<PluginInstance> unproved) {
        List<PluginInstance> instanceList = new ArrayList<>();
        instances.forEach(instanceList::add);
        List<PluginInstance> unprovedList = new ArrayList<>();
        unproved.forEach(unprovedList::add);
        List<PluginDeployment> deploymentList = new ArrayList<>();
        deployments.forEach(deploymentList::add);
        return counted(
                pluginId,
                List.copyOf(instanceList),
                List.copyOf(deploymentList),
                facts.orElse(null),
                Set.of(),
                List.copyOf(unprovedList));
    }

    private static PluginView counted(
            PluginId pluginId,
            List<PluginInstance> instances,
            List<PluginDeployment> deployments,
            @Nullable PluginFacts facts,
            Set<InstanceKey> undeclared,
            List<PluginInstance> unproved) {
        int controllers = 0;
        int nodes = 0;
        int conflicts = 0;
        for (PluginInstance instance : instances) {
            if (facts != null && facts.conflictsWith(instance)) {
                conflicts++;
            } else if (instance.healthy()) {
                InstanceKey key = instance.key();
                nodes += key.type().servesNode() ? 1 : 0;
                controllers += key.type().servesController() && !undeclared.contains(key) ? 1 : 0;
            }
        }
        ExpectedInstances expected = expected(pluginId, deployments);
        Counts counts = new Counts(
                instances.isEmpty() && expected.isNone(),
                expected,
                controllers,
                nodes,
                conflicts,
                undeclared.size(),
                unproved.size());
        return new PluginView(pluginId, instances, deployments, facts, counts, false, undeclared, unproved);
    }

    /**
     * Returns a view in which only declared controllers count.
     *
     * @param declared returns whether a controller is one that may be called; the engine's views use {@link
     *     io.csi4j.core.spi.ControllerTrust}
     */
    public PluginView withControllers(Predicate<InstanceKey> declared) {
        Set<InstanceKey> others = instances.stream()
                .map(PluginInstance::key)
                .filter(key -> key.type().servesController() && !declared.test(key))
                .collect(Collectors.toUnmodifiableSet());
        return others.equals(undeclared) ? this : counted(pluginId, instances, deployments, facts, others, unproved);
    }

    private static ExpectedInstances expected(PluginId pluginId, List<PluginDeployment> deployments) {
        int controllers = 0;
        int nodes = 0;
        for (PluginDeployment deployment : deployments) {
            ExpectedInstances expected = deployment.expectedOf(pluginId);
            controllers += expected.controllers();
            nodes += expected.nodes();
        }
        return new ExpectedInstances(controllers, nodes);
    }

    /**
     * Returns a view for a caller who may only know that the plugin exists. The view shows how many instances are
     * expected and healthy, but no instances, deployments and facts.
     */
    public PluginView outline() {
        return new PluginView(pluginId, List.of(), List.of(), facts, counts, true, Set.of(), List.of());
    }

    /**
     * Returns a view without the allocations that the caller may not see; their instances stay in the view.
     *
     * @param visible returns true for an allocation that the caller may see
     */
    public PluginView withVisibleAllocations(Predicate<AllocationId> visible) {
        List<PluginInstance> redacted = redacted(instances, visible);
        Set<InstanceKey> redactedKeys = IntStream.range(0, instances.size())
                .filter(i -> undeclared.contains(instances.get(i).key()))
                .mapToObj(i -> redacted.get(i).key())
                .collect(Collectors.toUnmodifiableSet());
        return new PluginView(
                pluginId, redacted, deployments, facts, counts, outline, redactedKeys, redacted(unproved, visible));
    }

    private static List<PluginInstance> redacted(List<PluginInstance> instances, Predicate<AllocationId> visible) {
        return instances.stream()
                .map(instance -> instance.key().allocationId().filter(visible).isPresent()
                        ? instance
                        : instance.withoutAllocation())
                .toList();
    }

    public PluginId pluginId() {
        return pluginId;
    }

    /**
     * Returns the instances that have answered since their nodes registered them, in key order; empty if this view was
     * made by {@link #outline}.
     */
    public List<PluginInstance> instances() {
        return instances;
    }

    /**
     * Returns the instances that are registered and have not answered yet, in key order. They count in nothing as
     * instances of the plugin: they are not called, and a plugin that has no other instance is empty. Empty if this view
     * was made by {@link #outline}.
     */
    public List<PluginInstance> unproved() {
        return unproved;
    }

    /** Returns the number of instances that have not answered yet, including those that this view does not show. */
    public int unprovedCount() {
        return counts.unproved();
    }

    /**
     * Returns the deployments that are meant to run the plugin, in id order; empty if this view was made by
     * {@link #outline}.
     */
    public List<PluginDeployment> deployments() {
        return deployments;
    }

    /**
     * Returns the last known facts; empty if no healthy instance ever reported any, or if this view was made by
     * {@link #outline}.
     */
    public Optional<PluginFacts> facts() {
        return outline ? Optional.empty() : Optional.ofNullable(facts);
    }

    /** Returns the allocations that run the visible instances, in order, each once. */
    public List<AllocationId> allocations() {
        TreeSet<AllocationId> allocations = new TreeSet<>();
        instances.forEach(instance -> instance.key().allocationId().ifPresent(allocations::add));
        return List.copyOf(allocations);
    }

    /** Returns the number of instances that all deployments together are meant to run. */
    public ExpectedInstances expected() {
        return counts.expected();
    }

    /**
     * Returns the instances with another provider name than {@link #provider()}, in key order. They run another driver
     * than the plugin's volumes belong to, so they are not called. Empty if this view was made by {@link #outline}.
     */
    public List<PluginInstance> conflicts() {
        return instances.stream()
                .filter(instance -> facts != null && facts.conflictsWith(instance))
                .toList();
    }

    /** Returns the number of instances with another provider name, including those that this view does not show. */
    public int conflictCount() {
        return counts.conflicts();
    }

    /**
     * Returns the instances that their nodes report as controllers, and that the host has not declared, in key order.
     * They are not called as controllers; their node service is used. Empty if this view was made by {@link #outline}.
     */
    public List<PluginInstance> undeclaredControllers() {
        return instances.stream()
                .filter(instance -> undeclared.contains(instance.key()))
                .toList();
    }

    /** Returns the number of undeclared controllers, including those that this view does not show. */
    public int undeclaredControllerCount() {
        return counts.undeclared();
    }

    /**
     * Returns the number of healthy instances that serve the controller service. An instance with another provider name
     * does not count, nor does an undeclared one.
     */
    public int healthyControllers() {
        return counts.healthyControllers();
    }

    /**
     * Returns the number of healthy instances that serve the node service. An instance with another provider name does
     * not count.
     */
    public int healthyNodes() {
        return counts.healthyNodes();
    }

    /** Returns whether the plugin does not exist, that is, has no proved instance and no deployment. */
    public boolean isEmpty() {
        return counts.empty();
    }

    /** Returns the name of the driver that the plugin's volumes belong to; empty if the plugin never reported one. */
    public Optional<String> provider() {
        return Optional.ofNullable(facts).flatMap(PluginFacts::provider);
    }

    /** Returns the vendor version that the plugin last reported; empty if it never reported one. */
    public Optional<String> vendorVersion() {
        return Optional.ofNullable(facts).flatMap(PluginFacts::vendorVersion);
    }

    /**
     * Returns whether the controller must publish the plugin's volumes; UNKNOWN until a healthy instance has reported
     * its capabilities.
     */
    public ControllerNeed controllerNeed() {
        return facts == null ? ControllerNeed.UNKNOWN : facts.controllerNeed();
    }

    /** Returns whether {@link #controllerNeed()} is REQUIRED. */
    public boolean controllerRequired() {
        return controllerNeed() == ControllerNeed.REQUIRED;
    }

    /**
     * Returns whether the plugin's volumes can be claimed on some node now. For that, the plugin needs a healthy
     * instance of its node service, and also of its controller service unless the plugin reported that no controller is
     * required.
     */
    public boolean schedulable() {
        return healthyNodes() > 0
                && switch (controllerNeed()) {
                    case NOT_REQUIRED -> true;
                    case REQUIRED -> healthyControllers() > 0;
                    case UNKNOWN -> false;
                };
    }

    @Override
    public String toString() {
        return "PluginView[pluginId=" + pluginId + ", instances=" + (outline ? "not shown" : instances.size())
                + ", expected=" + expected()
                + ", healthyControllers=" + healthyControllers() + ", healthyNodes=" + healthyNodes()
                + ", conflicts=" + conflictCount() + ", undeclaredControllers=" + undeclaredControllerCount()
                + ", unproved=" + unprovedCount()
                + ", controllerNeed=" + controllerNeed() + "]";
    }
}
