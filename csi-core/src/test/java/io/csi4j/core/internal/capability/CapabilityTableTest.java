package io.csi4j.core.internal.capability;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Problem;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupControllerCapability;
import io.csi4j.core.csi.MountVolume;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.csi.WireEnum;
import io.csi4j.core.internal.capability.CapabilityRow.Need;
import io.csi4j.core.rpc.ControllerExpandVolumeRequest;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.CreateSnapshotRequest;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.CsiRequest;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.NodeExpandVolumeRequest;
import io.csi4j.core.rpc.NodeGetVolumeHealthRequest;
import io.csi4j.core.rpc.NodeGetVolumeStatsRequest;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesRequest;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each row of R42: the request that breaks it is refused, everything else is not. */
class CapabilityTableTest {
    private static final ExternalVolumeId V = ExternalVolumeId.of("v");

    static List<CapabilityRow> rows() {
        return CapabilityTable.rows();
    }

    /** A request that sets as little, or as much, as it can. The source of a volume is a snapshot, or a volume. */
    private static CsiRequest request(Rpc rpc, boolean full, boolean clone) {
        VolumeCapability used = full
                ? VolumeCapability.mount(
                        VolumeAccessMode.SINGLE_NODE_MULTI_WRITER,
                        MountVolume.builder().volumeMountGroup("g").build())
                : VolumeCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER);
        Topology topology = Topology.of("zone", "z1");
        return switch (rpc) {
            case CREATE_VOLUME -> {
                CreateVolumeRequest.Builder create = CreateVolumeRequest.builder("n", List.of(used));
                yield full
                        ? create.accessibilityRequirements(new TopologyRequirement(List.of(topology), List.of()))
                                .mutableParameters(Map.of("k", "v"))
                                .volumeContentSource(
                                        clone
                                                ? VolumeContentSource.volume(V)
                                                : VolumeContentSource.snapshot(SnapshotId.of("s")))
                                .build()
                        : create.build();
            }
            case GET_CAPACITY -> {
                GetCapacityRequest.Builder ask = GetCapacityRequest.builder().volumeCapabilities(List.of(used));
                yield full ? ask.accessibleTopology(topology).build() : ask.build();
            }
            case CREATE_SNAPSHOT -> {
                CreateSnapshotRequest.Builder cut = CreateSnapshotRequest.builder(V, "n");
                yield full
                        ? cut.accessibilityRequirements(new TopologyRequirement(List.of(topology), List.of()))
                                .build()
                        : cut.build();
            }
            case CONTROLLER_PUBLISH_VOLUME ->
                ControllerPublishVolumeRequest.builder(V, ExternalNodeId.of("n"), used)
                        .readonly(full)
                        .build();
            case VALIDATE_VOLUME_CAPABILITIES ->
                ValidateVolumeCapabilitiesRequest.builder(V, List.of(used)).build();
            case CONTROLLER_EXPAND_VOLUME ->
                ControllerExpandVolumeRequest.builder(V, CapacityRange.atLeast(1))
                        .volumeCapability(used)
                        .build();
            case NODE_STAGE_VOLUME ->
                NodeStageVolumeRequest.builder(V, "/s", used)
                        .publishContext(context(full))
                        .build();
            case NODE_PUBLISH_VOLUME -> {
                NodePublishVolumeRequest.Builder publish =
                        NodePublishVolumeRequest.builder(V, "/t", used).publishContext(context(full));
                yield full ? publish.stagingTargetPath("/s").build() : publish.build();
            }
            case NODE_GET_VOLUME_STATS -> {
                NodeGetVolumeStatsRequest.Builder ask = NodeGetVolumeStatsRequest.builder(V, "/t");
                yield full ? ask.stagingTargetPath("/s").build() : ask.build();
            }
            case NODE_EXPAND_VOLUME -> {
                NodeExpandVolumeRequest.Builder grow =
                        NodeExpandVolumeRequest.builder(V, "/t").volumeCapability(used);
                yield full ? grow.stagingTargetPath("/s").build() : grow.build();
            }
            case NODE_GET_VOLUME_HEALTH -> {
                NodeGetVolumeHealthRequest.Builder ask = NodeGetVolumeHealthRequest.builder(V);
                yield full ? ask.stagingTargetPath("/s").build() : ask.build();
            }
            // Has no row for a field, so nobody looks at it.
            default -> CsiRequest.empty();
        };
    }

    private static PublishContext context(boolean full) {
        return PublishContext.of(full ? Map.of("k", "v") : Map.of());
    }

    /** Everything is announced but for one capability. */
    private static Capabilities allBut(WireEnum missing) {
        return Capabilities.unknown()
                .withServices(but(PluginService.class, missing))
                .withController(but(ControllerCapability.class, missing))
                .withGroupController(but(GroupControllerCapability.class, missing))
                .withNode(but(NodeCapability.class, missing));
    }

    private static <E extends Enum<E> & WireEnum> CapabilitySet<E> but(Class<E> type, WireEnum missing) {
        Set<E> all = EnumSet.allOf(type);
        all.removeIf(each -> each == missing);
        return CapabilitySet.of(type, all);
    }

    @ParameterizedTest
    @MethodSource("rows")
    void requestFieldWithoutNeededCapabilityCausesErrorWithFieldAndCapability(CapabilityRow row) {
        boolean only = row.need() == Need.ONLY_WITH;
        boolean clone = row.capability() == ControllerCapability.CLONE_VOLUME;
        Capabilities known = only ? allBut(row.capability()) : allBut(PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS);

        List<Problem> problems = CapabilityTable.problems(row.rpc(), request(row.rpc(), only, clone), known, "ebs");

        String field = row.field().isEmpty() ? row.rpc().csiName() : row.field();
        assertThat(problems)
                .filteredOn(problem -> problem.field().equals(field))
                .anySatisfy(problem -> assertThat(problem.toString()).contains(row.capabilityName(), "plugin ebs"));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void requestIsAcceptedIfCapabilityIsReportedOrUnknown(CapabilityRow row) {
        for (boolean clone : new boolean[] {true, false}) {
            CsiRequest full = request(row.rpc(), true, clone);
            assertThat(CapabilityTable.problems(row.rpc(), full, allBut(none()), "ebs"))
                    .isEmpty();
            for (CsiRequest request : List.of(full, request(row.rpc(), false, clone))) {
                assertThat(CapabilityTable.problems(row.rpc(), request, Capabilities.unknown(), "ebs"))
                        .isEmpty();
            }
        }
    }

    private static WireEnum none() {
        return () -> 99;
    }

    /** A field that is not set needs nothing. */
    @Test
    void unsetRequestFieldNeedsNoCapability() {
        CsiRequest bare = request(Rpc.CREATE_VOLUME, false, false);
        Capabilities least = Capabilities.unknown()
                .withServices(CapabilitySet.of(PluginService.class, List.of(PluginService.CONTROLLER_SERVICE)))
                .withController(CapabilitySet.of(
                        ControllerCapability.class, List.of(ControllerCapability.CREATE_DELETE_VOLUME)))
                .withNode(CapabilitySet.of(NodeCapability.class, List.of()));
        assertThat(CapabilityTable.problems(Rpc.CREATE_VOLUME, bare, least, "ebs"))
                .isEmpty();
        assertThat(CapabilityTable.problems(Rpc.CREATE_VOLUME, request(Rpc.CREATE_VOLUME, true, true), least, "ebs"))
                .extracting(Problem::field)
                .containsExactlyInAnyOrder(
                        "accessibilityRequirements",
                        "mutableParameters",
                        "volumeContentSource",
                        "volumeCapabilities.accessMode",
                        "volumeCapabilities.volumeMountGroup");
    }

    /** Every capability that allows an RPC or a field has a row; the others change answers only. */
    @Test
    void tableHasRowForEveryCapabilityThatAnyRequestNeeds() {
        List<WireEnum> without = new ArrayList<>(Stream.of(
                        PluginService.values(),
                        ControllerCapability.values(),
                        GroupControllerCapability.values(),
                        NodeCapability.values())
                .flatMap(kind -> Stream.of((WireEnum[]) kind))
                .toList());
        without.removeAll(rows().stream().map(CapabilityRow::capability).toList());

        assertThat(without)
                .containsExactlyInAnyOrder(
                        ControllerCapability.LIST_VOLUMES_PUBLISHED_NODES,
                        ControllerCapability.VOLUME_CONDITION,
                        NodeCapability.VOLUME_CONDITION);
    }
}
