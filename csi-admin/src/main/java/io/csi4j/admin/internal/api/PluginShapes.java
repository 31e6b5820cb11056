package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.StorageBackendHealth;
import io.csi4j.core.csi.StorageHealthStatus;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.WireEnum;
import io.csi4j.core.lifecycle.AbnormalVolume;
import io.csi4j.core.lifecycle.HealthVerdict;
import io.csi4j.core.lifecycle.OrphanedVolumes;
import io.csi4j.core.lifecycle.PluginReport;
import io.csi4j.core.lifecycle.StorageHealthReport;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.rpc.GetCapacityResponse;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.volume.AttachmentMode;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/** The shapes of plugins. */
final class PluginShapes {
    private static final Shape<Capabilities> CAPABILITIES = Shape.<Capabilities>of(
                    "PluginCapabilities",
                    "The capabilities that a plugin has reported; absent lists are not known yet.")
            .maybeTexts(
                    "services",
                    "The services.",
                    capabilities -> capabilities.services().map(PluginShapes::words))
            .maybeTexts(
                    "volumeExpansion",
                    "The kinds of expansion.",
                    capabilities -> capabilities.volumeExpansion().map(PluginShapes::words))
            .maybeTexts(
                    "controller",
                    "Those of the controller service.",
                    capabilities -> capabilities.controller().map(PluginShapes::words))
            .maybeTexts(
                    "node",
                    "Those of the node service.",
                    capabilities -> capabilities.node().map(PluginShapes::words))
            .build();

    /** A plugin in a list. */
    static final Shape<PluginView> SUMMARY = plugin(
                    Shape.<PluginView>of("PluginSummary", "A plugin in a list."), plugin -> plugin)
            .build();

    /** An instance with what the plugin says about it. */
    private record Instance(PluginInstance of, boolean conflicting, boolean undeclared) {}

    private static final Shape<Instance> INSTANCE = Shape.<Instance>of(
                    "PluginInstance", "An instance of a plugin on a node.")
            .text("node", "The node.", instance -> instance.of().key().nodeId())
            .column()
            .choice(
                    "type",
                    "The services that it serves.",
                    PluginType.class,
                    instance -> instance.of().key().type())
            .column()
            .text(
                    "allocation",
                    "The allocation that runs it; absent if the host does not place it.",
                    instance -> instance.of().key().allocationId())
            .optional()
            .column()
            .flag("healthy", "Whether it is healthy.", instance -> instance.of().healthy())
            .column()
            .text(
                    "healthDescription",
                    "An explanation; may be empty.",
                    instance -> instance.of().healthDescription())
            .column("DETAIL")
            .flag(
                    "proved",
                    "Whether it has answered since its node registered it.",
                    instance -> instance.of().proved())
            .flag(
                    "conflicting",
                    "Whether it runs another driver than the plugin's volumes belong to, so that it is not called.",
                    Instance::conflicting)
            .column("CONFLICT")
            .flag(
                    "undeclared",
                    "Whether it says that it is a controller, and the host has not declared it, so that it is not called.",
                    Instance::undeclared)
            .text(
                    "provider",
                    "The name of the driver.",
                    instance -> instance.of().provider())
            .optional()
            .column()
            .text(
                    "vendorVersion",
                    "The version of the driver.",
                    instance -> instance.of().vendorVersion())
            .optional()
            .column("VERSION")
            .time(
                    "startedAt",
                    "The time of its start, by the clock of its node.",
                    instance -> instance.of().startedAt())
            .time(
                    "updatedAt",
                    "The time of the last report, by the clock of its node.",
                    instance -> instance.of().updatedAt())
            .text(
                    "externalNodeId",
                    "The storage provider's id of the node.",
                    instance -> instance.of().nodeInfo().map(info -> info.externalNodeId()))
            .optional()
            .number(
                    "maxVolumesPerNode",
                    "The most volumes on the node; 0 for no limit.",
                    instance -> instance.of().nodeInfo().map(info -> info.maxVolumesPerNode()))
            .optional()
            .maybe(
                    "accessibleTopology",
                    "The place of the node.",
                    Shapes.TOPOLOGY,
                    instance -> instance.of().nodeInfo().flatMap(info -> info.accessibleTopology()))
            .object(
                    "capabilities",
                    "Its capabilities.",
                    CAPABILITIES,
                    instance -> instance.of().capabilities())
            .build();

    /** A deployment, for one of its plugins. */
    private record Deployment(PluginDeployment of, PluginView plugin) {}

    private static final Shape<Deployment> DEPLOYMENT = Shape.<Deployment>of(
                    "PluginDeployment", "A deployment that is meant to run the plugin.")
            .text(
                    "namespace",
                    "Its namespace.",
                    deployment -> deployment.of().id().namespace().value())
            .column()
            .text("deployment", "Its name.", deployment -> deployment.of().id().name())
            .column()
            .number(
                    "controllers",
                    "The expected instances of the controller service.",
                    deployment -> deployment
                            .of()
                            .expectedOf(deployment.plugin().pluginId())
                            .controllers())
            .column()
            .number(
                    "nodes",
                    "The expected instances of the node service.",
                    deployment -> deployment
                            .of()
                            .expectedOf(deployment.plugin().pluginId())
                            .nodes())
            .column()
            .build();

    private static final Shape<Allocation> ALLOCATION = Shape.<Allocation>of(
                    "PluginAllocation", "An allocation that runs the plugin.")
            .text("allocation", "The allocation.", Allocation::id)
            .column()
            .text(
                    "namespace",
                    "Its namespace.",
                    allocation -> allocation.namespace().value())
            .column()
            .text("node", "Its node.", Allocation::nodeId)
            .column()
            .choice("status", "The status that the host reported last.", AllocationStatus.class, Allocation::status)
            .column()
            .build();

    /** A plugin. */
    static final Shape<PluginReport> STATUS = plugin(
                    Shape.<PluginReport>of("PluginStatus", "A plugin with its instances and deployments."),
                    PluginReport::plugin)
            .maybe(
                    "providerOverride",
                    "The statement of an operator that the name of the driver is right.",
                    Shapes.STATEMENT,
                    report -> report.plugin().facts().flatMap(PluginFacts::providerOverride))
            .maybe(
                    "capabilities",
                    "The last known capabilities.",
                    CAPABILITIES,
                    report -> report.plugin().facts().map(PluginFacts::capabilities))
            .objects(
                    "instances",
                    "Its instances, also those that have not answered yet.",
                    INSTANCE,
                    PluginShapes::instances)
            .objects(
                    "deployments",
                    "The deployments that are meant to run it.",
                    DEPLOYMENT,
                    report -> report.plugin().deployments().stream()
                            .map(deployment -> new Deployment(deployment, report.plugin()))
                            .toList())
            .objects(
                    "allocations",
                    "The allocations that run it, in namespaces that the caller may read.",
                    ALLOCATION,
                    PluginReport::allocations)
            .build();

    private static final Shape<StorageBackendHealth> BACKEND = Shape.<StorageBackendHealth>of(
                    "StorageProblem", "A problem of a storage backend.")
            .choice(
                    "status",
                    "The kind; UNKNOWN for a kind that csi4j does not know.",
                    StorageHealthStatus.class,
                    p -> p.status())
            .column()
            .text("reason", "A word for programs.", StorageBackendHealth::reason)
            .column()
            .text("message", "A sentence for people.", StorageBackendHealth::message)
            .column()
            .choice(
                    "accessMode",
                    "The access mode that has the problem; absent if every use has it.",
                    VolumeAccessMode.class,
                    p -> p.volumeCapability().map(capability -> capability.accessMode()))
            .optional()
            .choice(
                    "attachmentMode",
                    "The use that has the problem; absent if every use has it.",
                    AttachmentMode.class,
                    p -> p.volumeCapability()
                            .map(capability -> capability.isBlock() ? AttachmentMode.BLOCK : AttachmentMode.MOUNT))
            .optional()
            .build();

    /** The health of storage. */
    static final Shape<StorageHealthReport> STORAGE = Shape.<StorageHealthReport>of(
                    "StorageHealth", "The health of a plugin's storage as one node reports it.")
            .choice(
                    "verdict",
                    "The health of all backends together.",
                    HealthVerdict.class,
                    StorageHealthReport::verdict)
            .objects("entries", "The reported problems.", BACKEND, StorageHealthReport::entries)
            .build();

    /** The capacity of a provider. */
    static final Shape<GetCapacityResponse> CAPACITY = Shape.<GetCapacityResponse>of(
                    "Capacity", "The free capacity of a storage provider for new volumes.")
            .number("availableCapacity", "The free capacity in bytes.", GetCapacityResponse::availableCapacity)
            .number(
                    "maximumVolumeSize",
                    "The largest size of a new volume in bytes.",
                    GetCapacityResponse::maximumVolumeSize)
            .optional()
            .number(
                    "minimumVolumeSize",
                    "The smallest size of a new volume in bytes.",
                    GetCapacityResponse::minimumVolumeSize)
            .optional()
            .build();

    /** A volume of a provider. */
    static final Shape<ListVolumesResponse.Entry> EXTERNAL = Shape.<ListVolumesResponse.Entry>of(
                    "ExternalVolume", "A volume that the storage provider lists.")
            .text(
                    "externalVolumeId",
                    "The storage provider's id.",
                    entry -> entry.volume().volumeId())
            .column()
            .number(
                    "capacityBytes",
                    "The size in bytes; 0 if it is not known.",
                    entry -> entry.volume().capacityBytes())
            .column("SIZE")
            .objects(
                    "accessibleTopology",
                    "The places that can reach it; none if all can.",
                    Shapes.TOPOLOGY,
                    entry -> entry.volume().accessibleTopology())
            .maybe(
                    "contentSource",
                    "The origin of its content.",
                    Shapes.SOURCE,
                    entry -> entry.volume().contentSource())
            .maybeTexts(
                    "publishedNodeIds",
                    "The nodes to which it is attached, by the storage provider's ids.",
                    entry -> entry.status()
                            .map(status -> status.publishedNodeIds().stream()
                                    .map(ExternalNodeId::value)
                                    .toList()))
            .column("NODES")
            .flag(
                    "abnormal",
                    "Whether the plugin says that it is abnormal, before CSI 1.13.",
                    entry -> entry.status()
                            .flatMap(status -> status.volumeCondition())
                            .map(condition -> condition.abnormal()))
            .optional()
            .text(
                    "message",
                    "What the plugin says about its condition.",
                    entry -> entry.status()
                            .flatMap(status -> status.volumeCondition())
                            .map(condition -> condition.message()))
            .optional()
            .build();

    /** An abnormal volume of a provider. */
    static final Shape<AbnormalVolume> ABNORMAL = Shape.<AbnormalVolume>of(
                    "AbnormalVolume", "A volume that the storage provider reports as abnormal.")
            .text("externalVolumeId", "The storage provider's id.", AbnormalVolume::volumeId)
            .column()
            .object("health", "The reported problems.", VolumeShapes.HEALTH, AbnormalVolume::health)
            .build();

    /** The orphaned volumes of a plugin. */
    static final Shape<OrphanedVolumes> ORPHANS = Shape.<OrphanedVolumes>of(
                    "OrphanedVolumes", "The volumes of a storage provider that no volume of the state refers to.")
            .text("plugin", "The plugin.", OrphanedVolumes::pluginId)
            .texts(
                    "orphaned",
                    "The volumes that certainly belong to no volume of the state.",
                    OrphanedVolumes::orphaned)
            .texts(
                    "undecided",
                    "The volumes that may be orphaned, or may belong to an unfinished creation.",
                    OrphanedVolumes::undecided)
            .objects(
                    "unresolved",
                    "The registered volumes whose creation is not finished.",
                    Shapes.KEY,
                    OrphanedVolumes::unresolved)
            .objects(
                    "withdrawn",
                    "The withdrawn creations, each of which may have made one of the orphans.",
                    EngineEndpoints.WITHDRAWN,
                    OrphanedVolumes::withdrawn)
            .build();

    private PluginShapes() {}

    private static <T> Shape.Builder<T> plugin(Shape.Builder<T> shape, Function<T, PluginView> view) {
        return shape.text("plugin", "The plugin.", plugin -> view.apply(plugin).pluginId())
                .column()
                .text(
                        "provider",
                        "The name of its driver.",
                        plugin -> view.apply(plugin).provider())
                .optional()
                .column()
                .text(
                        "vendorVersion",
                        "The version of its driver.",
                        plugin -> view.apply(plugin).vendorVersion())
                .optional()
                .column("VERSION")
                .flag(
                        "schedulable",
                        "Whether its volumes can be claimed on some node.",
                        plugin -> view.apply(plugin).schedulable())
                .column()
                .choice(
                        "controllerNeed",
                        "Whether its volumes need a controller.",
                        ControllerNeed.class,
                        plugin -> view.apply(plugin).controllerNeed())
                .number(
                        "healthyControllers",
                        "The healthy instances of the controller service.",
                        plugin -> view.apply(plugin).healthyControllers())
                .column("CONTROLLERS")
                .number(
                        "healthyNodes",
                        "The healthy instances of the node service.",
                        plugin -> view.apply(plugin).healthyNodes())
                .column("NODES")
                .number(
                        "expectedControllers",
                        "The controllers that its deployments are meant to run.",
                        plugin -> view.apply(plugin).expected().controllers())
                .number(
                        "expectedNodes",
                        "The node instances that its deployments are meant to run.",
                        plugin -> view.apply(plugin).expected().nodes())
                .number(
                        "conflictCount",
                        "The instances that run another driver.",
                        plugin -> view.apply(plugin).conflictCount())
                .column("CONFLICTS")
                .number(
                        "undeclaredControllerCount",
                        "The controllers that the host has not declared.",
                        plugin -> view.apply(plugin).undeclaredControllerCount())
                .number(
                        "unprovedCount",
                        "The instances that have not answered yet.",
                        plugin -> view.apply(plugin).unprovedCount());
    }

    private static List<Instance> instances(PluginReport report) {
        PluginView plugin = report.plugin();
        Set<PluginInstance> conflicts = new HashSet<>(plugin.conflicts());
        Set<PluginInstance> undeclared = new HashSet<>(plugin.undeclaredControllers());
        return Stream.concat(plugin.instances().stream(), plugin.unproved().stream())
                .map(instance -> new Instance(instance, conflicts.contains(instance), undeclared.contains(instance)))
                .toList();
    }

    private static <E extends Enum<E> & WireEnum> List<String> words(CapabilitySet<E> set) {
        return Stream.concat(
                        set.known().stream().map(Enum::name),
                        set.unknownNumbers().stream().map(number -> "UNKNOWN_" + number))
                .toList();
    }
}
