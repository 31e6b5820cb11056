package io.csi4j.core.plugin;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A plugin as it is at one index: computed from its instances, the deployments that name it and its
 * last known facts. Nothing of it is stored, so nothing of it can drift, and it cannot be written back.
 */
public final class PluginView {
    private final PluginId pluginId;
    private final List<PluginInstance> instances;
    private final List<PluginDeployment> deployments;
    private final @Nullable PluginFacts facts;
    private final Counts counts;
    private final boolean outline;

    /** What the rows add up to, whichever of them are shown. */
    private record Counts(boolean empty, ExpectedInstances expected, int healthyControllers, int healthyNodes) {}

    private PluginView(
            PluginId pluginId,
            List<PluginInstance> instances,
            List<PluginDeployment> deployments,
            @Nullable PluginFacts facts,
            Counts counts,
            boolean outline) {
        this.pluginId = Objects.requireNonNull(pluginId, "pluginId");
        this.instances = instances;
        this.deployments = deployments;
        this.facts = facts;
        this.counts = counts;
        this.outline = outline;
    }

    /**
     * The view over the given rows.
     *
     * @param deployments the deployments that name it
     * @param facts its last known facts
     * @return the view
     */
    public static PluginView of(
            PluginId pluginId,
            Iterable<PluginInstance> instances,
            Iterable<PluginDeployment> deployments,
            Optional<PluginFacts> facts) {
        List<PluginInstance> instanceList = new ArrayList<>();
        instances.forEach(instanceList::add);
        List<PluginDeployment> deploymentList = new ArrayList<>();
        deployments.forEach(deploymentList::add);
        ExpectedInstances expected = expected(pluginId, deploymentList);
        Counts counts = new Counts(
                instanceList.isEmpty() && expected.isNone(),
                expected,
                healthy(instanceList, PluginType::servesController),
                healthy(instanceList, PluginType::servesNode));
        return new PluginView(
                pluginId, List.copyOf(instanceList), List.copyOf(deploymentList), facts.orElse(null), counts, false);
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

    private static int healthy(List<PluginInstance> instances, Predicate<PluginType> serves) {
        return (int) instances.stream()
                .filter(instance ->
                        instance.healthy() && serves.test(instance.key().type()))
                .count();
    }

    /**
     * This view for somebody who may know that there is such a plugin and how it is, and nothing of what runs it: without
     * instances, deployments and facts. What is counted or derived of them stays.
     *
     * @return the outline
     */
    public PluginView outline() {
        return new PluginView(pluginId, List.of(), List.of(), facts, counts, true);
    }

    /**
     * This view for somebody who may not know all allocations: instances are there, without the other allocations.
     *
     * @param shown which allocations may be shown
     * @return the view
     */
    public PluginView showing(Predicate<AllocationId> shown) {
        List<PluginInstance> some = instances.stream()
                .map(instance -> instance.key().allocationId().filter(shown).isPresent()
                        ? instance
                        : instance.withoutAllocation())
                .toList();
        return new PluginView(pluginId, some, deployments, facts, counts, outline);
    }

    /**
     * Whether this is an outline, which shows neither instances nor deployments nor facts.
     *
     * @return true for what {@link #outline} made
     */
    public boolean isOutline() {
        return outline;
    }

    /** The plugin. */
    public PluginId pluginId() {
        return pluginId;
    }

    /**
     * Its instances.
     *
     * @return in the order of the rows; none are shown in an outline
     */
    public List<PluginInstance> instances() {
        return instances;
    }

    /**
     * The deployments that name it.
     *
     * @return in the order of the rows; none are shown in an outline
     */
    public List<PluginDeployment> deployments() {
        return deployments;
    }

    /**
     * Its last known facts.
     *
     * @return empty: no healthy instance was ever seen, or this is an outline
     */
    public Optional<PluginFacts> facts() {
        return outline ? Optional.empty() : Optional.ofNullable(facts);
    }

    /**
     * The allocations that run its instances.
     *
     * @return those that are shown, in order, each once
     */
    public List<AllocationId> allocations() {
        TreeSet<AllocationId> allocations = new TreeSet<>();
        instances.forEach(instance -> instance.key().allocationId().ifPresent(allocations::add));
        return List.copyOf(allocations);
    }

    /**
     * How many instances its deployments are meant to run.
     *
     * @return the sums over the deployments
     */
    public ExpectedInstances expected() {
        return counts.expected();
    }

    /**
     * How many healthy instances serve the controller service.
     *
     * @return 0 or more
     */
    public int healthyControllers() {
        return counts.healthyControllers();
    }

    /**
     * How many healthy instances serve the node service.
     *
     * @return 0 or more
     */
    public int healthyNodes() {
        return counts.healthyNodes();
    }

    /**
     * Whether nothing runs it and nothing is meant to run it: then there is no such plugin.
     *
     * @return true if so
     */
    public boolean isEmpty() {
        return counts.empty();
    }

    /**
     * The provider's name (S29).
     *
     * @return as last told; empty: never told
     */
    public Optional<String> provider() {
        return Optional.ofNullable(facts).flatMap(PluginFacts::provider);
    }

    /**
     * The vendor's version (S29).
     *
     * @return as last told; empty: never told
     */
    public Optional<String> vendorVersion() {
        return Optional.ofNullable(facts).flatMap(PluginFacts::vendorVersion);
    }

    /**
     * Whether volumes have to be published by the controller (S28).
     *
     * @return UNKNOWN while a healthy instance has not said
     */
    public ControllerNeed controllerNeed() {
        return facts == null ? ControllerNeed.UNKNOWN : facts.controllerNeed();
    }

    /**
     * Whether volumes are known to have to be published by the controller.
     *
     * @return true if {@link #controllerNeed()} is REQUIRED
     */
    public boolean controllerRequired() {
        return controllerNeed() == ControllerNeed.REQUIRED;
    }

    /**
     * Whether its volumes can be claimed on some node now: a healthy node service, and a healthy
     * controller unless it is known that none is needed.
     *
     * @return true if so
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
                + ", controllerNeed=" + controllerNeed() + "]";
    }
}
