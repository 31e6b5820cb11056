package io.csi4j.values.internal;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.csi.WireEnum;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.OwnershipSettings;
import io.csi4j.core.plugin.RepublishOptions;
import io.csi4j.core.volume.GroupChangePolicy;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.OwnershipOptions;
import io.csi4j.core.volume.SecurityLabel;
import io.csi4j.proto.values.v1.ValuesProto;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Converts the values of {@code values.proto}; each method that writes a message is followed by the method that reads it. A value that
 * cannot be read gives an {@link IllegalArgumentException}.
 */
public final class Values {
    private Values() {}

    public static ValuesProto.Time time(Instant time) {
        return ValuesProto.Time.newBuilder()
                .setSeconds(time.getEpochSecond())
                .setNanos(time.getNano())
                .build();
    }

    public static Instant time(ValuesProto.Time time) {
        try {
            return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
        } catch (DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException(
                    "a time is out of range: " + time.getSeconds() + " s and " + time.getNanos() + " ns", e);
        }
    }

    /** Converts a map to a list, in the order of the map: requests to plugins keep this order. */
    public static List<ValuesProto.Entry> entries(Map<String, String> map) {
        List<ValuesProto.Entry> entries = new ArrayList<>(map.size());
        map.forEach((key, value) -> entries.add(
                ValuesProto.Entry.newBuilder().setKey(key).setValue(value).build()));
        return entries;
    }

    public static Map<String, String> entries(List<ValuesProto.Entry> entries) {
        if (entries.isEmpty()) {
            return Map.of();
        }
        Map<String, String> map = new LinkedHashMap<>();
        entries.forEach(entry -> map.put(entry.getKey(), entry.getValue()));
        if (map.size() < entries.size()) {
            throw new IllegalArgumentException("a key is there twice in a map");
        }
        return map;
    }

    public static ValuesProto.VolumeName key(VolumeKey key) {
        return ValuesProto.VolumeName.newBuilder()
                .setNamespace(key.namespace().value())
                .setVolumeId(key.volumeId().value())
                .build();
    }

    public static VolumeKey key(ValuesProto.VolumeName name) {
        return VolumeKey.of(name.getNamespace(), name.getVolumeId());
    }

    /** Writes the options with their mount flags, which are confidential. */
    public static ValuesProto.MountOptions mountOptions(MountOptions options) {
        ValuesProto.MountOptions.Builder built = ValuesProto.MountOptions.newBuilder()
                .setFsType(options.fsType())
                .addAllMountFlags(options.mountFlags().asList())
                .setVolumeMountGroup(options.volumeMountGroup());
        if (!options.ownership().equals(OwnershipOptions.defaults())) {
            built.setOwnership(ownership(options.ownership()));
        }
        options.securityLabel().map(SecurityLabel::context).ifPresent(built::setSecurityLabel);
        return built.build();
    }

    public static MountOptions mountOptions(ValuesProto.MountOptions options) {
        MountOptions read = new MountOptions(
                options.getFsType(),
                MountFlags.of(options.getMountFlagsList()),
                options.getVolumeMountGroup(),
                options.hasOwnership() ? ownership(options.getOwnership()) : OwnershipOptions.defaults(),
                options.hasSecurityLabel()
                        ? Optional.of(new SecurityLabel(options.getSecurityLabel()))
                        : Optional.empty());
        return read.isEmpty() ? MountOptions.none() : read;
    }

    public static ValuesProto.RepublishOptions republish(RepublishOptions options) {
        ValuesProto.RepublishOptions.Builder built = ValuesProto.RepublishOptions.newBuilder()
                .setIntervalMillis(options.interval().toMillis())
                .addAllAudiences(options.audiences())
                .setDelivery(options.delivery().name())
                .setOnlyAtMount(options.onlyAtMount());
        options.tokenExpiry().ifPresent(life -> built.setTokenExpiryMillis(life.toMillis()));
        return built.build();
    }

    public static RepublishOptions republish(ValuesProto.RepublishOptions options) {
        return new RepublishOptions(
                Duration.ofMillis(options.getIntervalMillis()),
                options.getAudiencesList(),
                options.hasTokenExpiryMillis()
                        ? Optional.of(Duration.ofMillis(options.getTokenExpiryMillis()))
                        : Optional.empty(),
                RepublishOptions.Delivery.valueOf(options.getDelivery()),
                options.getOnlyAtMount());
    }

    public static ValuesProto.OwnershipOptions ownership(OwnershipOptions options) {
        ValuesProto.OwnershipOptions.Builder built = ValuesProto.OwnershipOptions.newBuilder()
                .setPolicy(options.policy().name())
                .setStrict(options.strict());
        options.rootOwner().ifPresent(built::setRootOwner);
        return built.build();
    }

    public static OwnershipOptions ownership(ValuesProto.OwnershipOptions options) {
        return new OwnershipOptions(
                GroupChangePolicy.valueOf(options.getPolicy()),
                options.hasRootOwner() ? OptionalLong.of(options.getRootOwner()) : OptionalLong.empty(),
                options.getStrict());
    }

    public static ValuesProto.OwnershipSettings ownershipSettings(OwnershipSettings settings) {
        return ValuesProto.OwnershipSettings.newBuilder()
                .setFixed(settings.fixed())
                .addAllExcludes(settings.excludes())
                .build();
    }

    public static OwnershipSettings ownershipSettings(ValuesProto.OwnershipSettings settings) {
        return new OwnershipSettings(settings.getFixed(), settings.getExcludesList());
    }

    public static ValuesProto.Topology topology(Topology topology) {
        return ValuesProto.Topology.newBuilder()
                .addAllSegments(entries(topology.segments()))
                .build();
    }

    public static Topology topology(ValuesProto.Topology topology) {
        return new Topology(entries(topology.getSegmentsList()));
    }

    /** Gives each kind of capabilities that is known to its setter. The group controller's are in no message. */
    public static void capabilities(
            Capabilities known,
            Consumer<ValuesProto.Capabilities> services,
            Consumer<ValuesProto.Capabilities> volumeExpansion,
            Consumer<ValuesProto.Capabilities> controller,
            Consumer<ValuesProto.Capabilities> node) {
        known.services().ifPresent(set -> services.accept(numbers(set)));
        known.volumeExpansion().ifPresent(set -> volumeExpansion.accept(numbers(set)));
        known.controller().ifPresent(set -> controller.accept(numbers(set)));
        known.node().ifPresent(set -> node.accept(numbers(set)));
    }

    /** Reads capabilities; null for a kind that is not known. */
    public static Capabilities capabilities(
            ValuesProto.@Nullable Capabilities services,
            ValuesProto.@Nullable Capabilities volumeExpansion,
            ValuesProto.@Nullable Capabilities controller,
            ValuesProto.@Nullable Capabilities node) {
        return new Capabilities(
                numbers(PluginService.class, services),
                numbers(VolumeExpansion.class, volumeExpansion),
                numbers(ControllerCapability.class, controller),
                Optional.empty(),
                numbers(NodeCapability.class, node));
    }

    /** Writes the numbers in ascending order, so that equal sets have equal bytes. */
    private static <E extends Enum<E> & WireEnum> ValuesProto.Capabilities numbers(CapabilitySet<E> set) {
        TreeSet<Integer> numbers = new TreeSet<>(set.unknownNumbers());
        set.known().forEach(capability -> numbers.add(capability.number()));
        return ValuesProto.Capabilities.newBuilder().addAllNumbers(numbers).build();
    }

    private static <E extends Enum<E> & WireEnum> Optional<CapabilitySet<E>> numbers(
            Class<E> type, ValuesProto.@Nullable Capabilities set) {
        return set == null ? Optional.empty() : Optional.of(CapabilitySet.fromNumbers(type, set.getNumbersList()));
    }

    public static ValuesProto.NodeInfo nodeInfo(NodeInfo info) {
        ValuesProto.NodeInfo.Builder builder = ValuesProto.NodeInfo.newBuilder()
                .setExternalNodeId(info.externalNodeId().value())
                .setMaxVolumesPerNode(info.maxVolumesPerNode());
        info.accessibleTopology().ifPresent(topology -> builder.setAccessibleTopology(topology(topology)));
        return builder.build();
    }

    /**
     * Reads a node.
     *
     * @param shared returns the topology to use in place of an equal one
     */
    public static NodeInfo nodeInfo(ValuesProto.NodeInfo info, UnaryOperator<Topology> shared) {
        return new NodeInfo(
                ExternalNodeId.of(info.getExternalNodeId()),
                info.getMaxVolumesPerNode(),
                info.hasAccessibleTopology()
                        ? Optional.of(shared.apply(topology(info.getAccessibleTopology())))
                        : Optional.empty());
    }

    public static ValuesProto.MachineIds machines(Map<PluginId, ExternalNodeId> ids) {
        ValuesProto.MachineIds.Builder machines = ValuesProto.MachineIds.newBuilder();
        ids.forEach((plugin, id) ->
                machines.addPluginsBuilder().setPluginId(plugin.value()).setExternalNodeId(id.value()));
        return machines.build();
    }

    public static Map<PluginId, ExternalNodeId> machines(ValuesProto.MachineIds machines) {
        Map<PluginId, ExternalNodeId> ids = new HashMap<>();
        machines.getPluginsList()
                .forEach(one -> ids.put(PluginId.of(one.getPluginId()), ExternalNodeId.of(one.getExternalNodeId())));
        return ids;
    }
}
