package io.csi4j.core.internal.apply;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_MULTI_WRITER;
import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_READER_ONLY;
import static io.csi4j.core.internal.apply.Cluster.checkpoint;
import static io.csi4j.core.internal.apply.Cluster.register;
import static io.csi4j.core.internal.apply.Cluster.spec;
import static io.csi4j.core.internal.apply.Cluster.take;
import static io.csi4j.core.internal.apply.Cluster.vol;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.GroupChangePolicy;
import io.csi4j.core.volume.Holder;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.OwnershipOptions;
import io.csi4j.core.volume.RequestedCapability;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Claims with a volume mount group, with plugins that can and cannot set it. */
class GroupConflictTest {
    private static ClaimRequest request(String group) {
        return request(group, ClaimMode.WRITE, MULTI_NODE_MULTI_WRITER);
    }

    private static ClaimRequest request(String group, ClaimMode mode, VolumeAccessMode accessMode) {
        return new ClaimRequest(vol("v"), mode, RequestedCapability.mount(accessMode), options(group));
    }

    private static MountOptions options(String group) {
        return new MountOptions("", MountFlags.empty(), group);
    }

    private static Cluster cluster(NodeCapability... capabilities) {
        Cluster cluster = Cluster.withoutController();
        for (String node : List.of("n1", "n2")) {
            cluster.ok(new NodeCommand.UpsertNode(NodeId.of(node), Cluster.AT));
            cluster.fingerprint(
                    node,
                    cluster.instance(node)
                            .capabilities(known -> known.withNode(capabilities))
                            .build());
        }
        return cluster.volume("v", MULTI_NODE_MULTI_WRITER, MULTI_NODE_READER_ONLY);
    }

    private static Cluster without() {
        return cluster(NodeCapability.STAGE_UNSTAGE_VOLUME);
    }

    private static void claim(Cluster cluster, String allocation, String node, String group) {
        cluster.allocation(allocation, node);
        cluster.ok(take(allocation, request(group)));
    }

    @ParameterizedTest
    @CsvSource({
        "staff, WRITE, MULTI_NODE_MULTI_WRITER, not a number",
        "0, WRITE, MULTI_NODE_MULTI_WRITER, not a number",
        "007, WRITE, MULTI_NODE_MULTI_WRITER, not a number",
        "4294967295, WRITE, MULTI_NODE_MULTI_WRITER, not a number",
        "100, READ, MULTI_NODE_MULTI_WRITER, for reading",
        "100, READ, MULTI_NODE_READER_ONLY, for reading"
    })
    void groupThatTheNodeCannotGiveIsNeverAdmitted(
            String group, ClaimMode mode, VolumeAccessMode accessMode, String text) {
        ClaimRequest request = request(group, mode, accessMode);
        AdmissionDecision decision = without().decision("a", "n1", request);
        assertThat(decision).isInstanceOfSatisfying(AdmissionDecision.Never.class, never -> {
            assertThat(never.reason()).isEqualTo(NeverReason.PLUGIN_CANNOT);
            assertThat(never.detail()).contains("VOLUME_MOUNT_GROUP").contains(text);
        });
        Cluster able = cluster(NodeCapability.VOLUME_MOUNT_GROUP).allocation("a", "n1");
        able.ok(take("a", request));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "4294967294"})
    void nodeGivesTheFilesToAnyGroupWithANumber(String group) {
        claim(without(), "a", "n1", group);
    }

    /** All pairs of groups on one node and on two nodes; an empty text is no group. */
    @Test
    void claimsOfAllNodesNeedTheSameGroupIfTheNodeGivesIt() {
        List<String> groups = List.of("", "100", "200");
        for (String first : groups) {
            for (String second : groups) {
                for (String node : List.of("n1", "n2")) {
                    Cluster cluster = without();
                    claim(cluster, "a", "n1", first);
                    if (first.equals(second)) {
                        claim(cluster, "b", node, second);
                        continue;
                    }
                    AdmissionDecision decision = cluster.decision("b", node, request(second));
                    assertThat(decision).isInstanceOfSatisfying(AdmissionDecision.Wait.class, wait -> {
                        assertThat(wait.reason()).isEqualTo(WaitReason.OTHER_MOUNT_OPTIONS_IN_USE);
                        assertThat(wait.detail()).contains("belong to one group");
                        assertThat(wait.holders().stream().map(Holder::allocationId))
                                .containsExactly(Cluster.alloc("a"));
                    });
                    cluster.ok(checkpoint("v", "a", ClaimState.UNPUBLISHING));
                    assertThat(cluster.decision("b", node, request(second)))
                            .as("the volume may still be mounted")
                            .isInstanceOf(AdmissionDecision.Wait.class);
                    cluster.ok(checkpoint("v", "a", ClaimState.NODE_DETACHED));
                    claim(cluster, "b", node, second);
                }
            }
        }
    }

    @Test
    void pluginThatGivesTheGroupServesAnyGroupOnAnotherNode() {
        Cluster cluster = cluster(NodeCapability.STAGE_UNSTAGE_VOLUME, NodeCapability.VOLUME_MOUNT_GROUP);
        claim(cluster, "a", "n1", "100");
        claim(cluster, "b", "n2", "200");
    }

    @Test
    void groupOfTheVolumeCountsForRequestsWithoutOne() {
        Cluster cluster = without();
        cluster.ok(register(
                "w", spec(MULTI_NODE_MULTI_WRITER).mountOptions(options("100")).build()));
        ClaimRequest common =
                ClaimRequest.of(vol("w"), ClaimMode.WRITE, RequestedCapability.mount(MULTI_NODE_MULTI_WRITER));
        cluster.allocation("a", "n1").ok(take("a", common));
        cluster.allocation("b", "n2").ok(take("b", common));
        ClaimRequest other = new ClaimRequest(
                vol("w"), ClaimMode.WRITE, RequestedCapability.mount(MULTI_NODE_MULTI_WRITER), options("200"));
        assertThat(cluster.decision("c", "n1", other)).isInstanceOf(AdmissionDecision.Wait.class);
    }

    @Test
    void claimWithAGroupWaitsUntilThePluginHasSaidWhatItCan() {
        Cluster cluster = Cluster.withoutController().volume("v", MULTI_NODE_MULTI_WRITER);
        cluster.ok(new NodeCommand.UpsertNode(NodeId.of("n1"), Cluster.AT));
        cluster.fingerprint(
                "n1",
                cluster.instance("n1")
                        .capabilities(Capabilities.unknown().withServices())
                        .build());
        assertThat(cluster.decision("a", "n1", request("100")))
                .isInstanceOfSatisfying(
                        AdmissionDecision.Wait.class,
                        wait -> assertThat(wait.reason()).isEqualTo(WaitReason.PLUGIN_NOT_KNOWN));
        claim(cluster, "b", "n1", "");
    }

    private static ClaimRequest owned(String group, GroupChangePolicy policy, long rootOwner) {
        OptionalLong owner = rootOwner < 0 ? OptionalLong.empty() : OptionalLong.of(rootOwner);
        return new ClaimRequest(
                vol("v"),
                ClaimMode.WRITE,
                RequestedCapability.mount(MULTI_NODE_MULTI_WRITER),
                new MountOptions("", MountFlags.empty(), group, new OwnershipOptions(policy, owner)));
    }

    @ParameterizedTest
    @CsvSource({"ROOT_ONLY, -1", "ROOT_IF_EMPTY, -1", "ON_ROOT_MISMATCH, 0", "ALWAYS, 1000"})
    void optionsThatOnlyANodeCanMeetAreRefusedForAPluginThatSetsTheGroup(GroupChangePolicy policy, long owner) {
        ClaimRequest request = owned("100", policy, owner);
        assertThat(cluster(NodeCapability.VOLUME_MOUNT_GROUP).decision("a", "n1", request))
                .isInstanceOfSatisfying(AdmissionDecision.Never.class, never -> {
                    assertThat(never.reason()).isEqualTo(NeverReason.PLUGIN_CANNOT);
                    assertThat(never.detail()).contains("leave ROOT_ONLY, ROOT_IF_EMPTY and the root owner out");
                });
        Cluster node = without().allocation("a", "n1");
        node.ok(take("a", request));
        Cluster able = cluster(NodeCapability.VOLUME_MOUNT_GROUP).allocation("a", "n1");
        able.ok(take("a", owned("100", GroupChangePolicy.ALWAYS, -1)));
    }

    @ParameterizedTest
    @CsvSource({"ROOT_IF_EMPTY, true", "ROOT_ONLY, false", "ON_ROOT_MISMATCH, false", "ALWAYS, false"})
    void claimForReadingMayHaveAGroupOnlyWithRootIfEmpty(GroupChangePolicy policy, boolean admitted) {
        for (VolumeAccessMode mode : List.of(MULTI_NODE_MULTI_WRITER, MULTI_NODE_READER_ONLY)) {
            ClaimRequest reading = new ClaimRequest(
                    vol("v"),
                    ClaimMode.READ,
                    RequestedCapability.mount(mode),
                    owned("100", policy, -1).mountOptions());
            if (admitted) {
                without().allocation("a", "n1").ok(take("a", reading));
            } else {
                assertThat(without().decision("a", "n1", reading)).isInstanceOf(AdmissionDecision.Never.class);
            }
        }
    }

    @Test
    void ownershipOptionsNeedAGroup() {
        for (ClaimRequest request :
                List.of(owned("", GroupChangePolicy.ALWAYS, -1), owned("", GroupChangePolicy.ON_ROOT_MISMATCH, 1000))) {
            assertThat(without().decision("a", "n1", request))
                    .isInstanceOfSatisfying(
                            AdmissionDecision.Never.class,
                            never -> assertThat(never.detail()).contains("name the group"));
        }
        Cluster cluster = without();
        cluster.ok(register(
                "w", spec(MULTI_NODE_MULTI_WRITER).mountOptions(options("100")).build()));
        cluster.allocation("a", "n1")
                .ok(take(
                        "a",
                        new ClaimRequest(
                                vol("w"),
                                ClaimMode.WRITE,
                                RequestedCapability.mount(MULTI_NODE_MULTI_WRITER),
                                owned("", GroupChangePolicy.ALWAYS, 1000).mountOptions())));
    }

    /** The policies end with the same files, the owners do not. */
    @Test
    void claimsOfAllNodesNeedTheSameRootOwnerAndMayHaveOtherPolicies() {
        Cluster cluster = without();
        cluster.allocation("a", "n1").ok(take("a", owned("100", GroupChangePolicy.ALWAYS, 1000)));
        cluster.allocation("b", "n2").ok(take("b", owned("100", GroupChangePolicy.ON_ROOT_MISMATCH, 1000)));
        for (long owner : List.of(-1L, 1001L)) {
            assertThat(cluster.decision("c", "n2", owned("100", GroupChangePolicy.ALWAYS, owner)))
                    .isInstanceOfSatisfying(
                            AdmissionDecision.Wait.class,
                            wait -> assertThat(wait.reason()).isEqualTo(WaitReason.OTHER_MOUNT_OPTIONS_IN_USE));
        }
    }
}
