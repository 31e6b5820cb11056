package io.csi4j.core.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.placement.ProposedPlacement;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.GroupChangePolicy;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.OwnershipOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.SecurityLabel;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** The one claim that several mounts of a volume by one allocation need. */
class MergedClaimTest {
    private static final VolumeKey V = VolumeKey.of("ns", "v");
    private static final RequestedCapability MANY = RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
    private static final ClaimRequest WRITER = mount(ClaimMode.WRITE, "ext4", "noexec");
    private static final ClaimRequest READER = mount(ClaimMode.READ, "", "nosuid");

    private static ClaimRequest mount(ClaimMode mode, String fsType, String... flags) {
        return new ClaimRequest(V, mode, MANY, MountOptions.of(fsType, flags));
    }

    private static ClaimRequest as(VolumeAccessMode mode, ClaimMode claimMode) {
        return ClaimRequest.of(V, claimMode, RequestedCapability.mount(mode));
    }

    /** Asserts that no claim serves the mounts, and returns the text that says why. */
    private static String refusal(ClaimRequest... mounts) {
        List<ClaimRequest> merged = ClaimRequest.merged(List.of(mounts));
        assertThat(merged).containsExactly(mounts);
        Map<VolumeKey, AdmissionDecision.Never> refused = ClaimRequest.conflicts(merged);
        assertThat(refused).containsOnlyKeys(V);
        AdmissionDecision.Never never = refused.get(V);
        assertThat(never.reason()).isEqualTo(NeverReason.REQUESTED_DIFFERENTLY);
        return never.detail();
    }

    @Test
    void claimWritesIfOneMountWritesAndHasNoFlagsIfTheyDiffer() {
        List<ClaimRequest> merged = ClaimRequest.merged(List.of(READER, WRITER, READER));
        assertThat(merged).containsExactly(mount(ClaimMode.WRITE, "ext4"));
        assertThat(ClaimRequest.conflicts(merged)).isEmpty();
        assertThat(ClaimRequest.merged(List.of(WRITER, READER))).isEqualTo(merged);
    }

    @Test
    void claimHasFlagsThatAllMountsHave() {
        assertThat(ClaimRequest.merged(List.of(
                        mount(ClaimMode.READ, "", "nosuid", "noexec"), mount(ClaimMode.WRITE, "", "noexec", "nosuid"))))
                .containsExactly(mount(ClaimMode.WRITE, "", "nosuid", "noexec"));
        assertThat(ClaimRequest.merged(List.of(READER, mount(ClaimMode.READ, "", "noexec"))))
                .as("no mount writes")
                .containsExactly(mount(ClaimMode.READ, ""));
    }

    @Test
    void eachVolumeHasOneClaimInOrderOfItsFirstMount() {
        ClaimRequest other = ClaimRequest.writing(VolumeKey.of("ns", "a"), MANY);
        assertThat(ClaimRequest.merged(List.of(READER, other, WRITER, other)))
                .containsExactly(mount(ClaimMode.WRITE, "ext4"), other);
        assertThat(ClaimRequest.merged(List.of())).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.INCLUDE,
            names = {"SINGLE_NODE_WRITER", "SINGLE_NODE_SINGLE_WRITER"})
    void accessModeWithOnePathAllowsOneMount(VolumeAccessMode mode) {
        assertThat(refusal(as(mode, ClaimMode.WRITE), as(mode, ClaimMode.READ)))
                .contains("access mode " + mode + " allows one target path on a node (R89)")
                .contains("request it once, to write if a task writes")
                .contains("SINGLE_NODE_MULTI_WRITER");
        ClaimRequest same = as(mode, ClaimMode.WRITE);
        assertThat(ClaimRequest.merged(List.of(same, same)))
                .as("equal mounts are one")
                .containsExactly(same);
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.INCLUDE,
            names = {"SINGLE_NODE_MULTI_WRITER", "MULTI_NODE_SINGLE_WRITER", "MULTI_NODE_MULTI_WRITER"})
    void accessModeWithManyPathsAllowsSeveralMounts(VolumeAccessMode mode) {
        assertThat(ClaimRequest.merged(List.of(as(mode, ClaimMode.READ), as(mode, ClaimMode.WRITE))))
                .containsExactly(as(mode, ClaimMode.WRITE));
    }

    @Test
    void differentCapabilitiesAreRefused() {
        assertThat(refusal(
                        as(VolumeAccessMode.MULTI_NODE_MULTI_WRITER, ClaimMode.READ),
                        as(VolumeAccessMode.MULTI_NODE_READER_ONLY, ClaimMode.READ)))
                .contains("one capability while it is published (R90)")
                .contains("use one for all its mounts of the volume, or another allocation for each");
    }

    @Test
    void differentFileSystemsAndGroupsAreRefusedAsVolumeIsStagedOnce() {
        assertThat(refusal(mount(ClaimMode.READ, "ext4"), mount(ClaimMode.READ, "xfs")))
                .contains("file systems [ext4, xfs], and it is staged once on a node (R85)");
        ClaimRequest one = new ClaimRequest(
                V,
                ClaimMode.READ,
                MANY,
                new MountOptions("", READER.mountOptions().mountFlags(), "7"));
        ClaimRequest other = new ClaimRequest(
                V,
                ClaimMode.READ,
                MANY,
                new MountOptions("", READER.mountOptions().mountFlags(), "8"));
        assertThat(refusal(one, other)).contains("volume mount groups").contains("(R85)");
        assertThat(ClaimRequest.merged(List.of(one, READER))).containsExactly(one);
    }

    @Test
    void differentOwnershipOptionsAreRefusedAndOneSetCountsForAllMounts() {
        OwnershipOptions rootOnly = new OwnershipOptions(GroupChangePolicy.ROOT_ONLY, OptionalLong.empty());
        OwnershipOptions always = new OwnershipOptions(GroupChangePolicy.ALWAYS, OptionalLong.empty());
        assertThat(refusal(owned(rootOnly), owned(always))).contains("ownership options");
        assertThat(ClaimRequest.merged(List.of(owned(always), owned(OwnershipOptions.defaults()))))
                .containsExactly(owned(always));
    }

    /** No label is a value: a workload with a label and one without do not fit together. */
    @Test
    void differentLabelsAreRefusedAndTheSameLabelStays() {
        SecurityLabel label = new SecurityLabel("u:r:t:s0:c1");
        SecurityLabel other = new SecurityLabel("u:r:t:s0:c2");
        assertThat(refusal(labelled(READER, label), labelled(WRITER, other))).contains("security labels");
        assertThat(refusal(labelled(READER, label), WRITER)).contains("or with a label and with none");
        assertThat(ClaimRequest.merged(List.of(labelled(READER, label), labelled(WRITER, label))))
                .containsExactly(labelled(mount(ClaimMode.WRITE, "ext4"), label));
    }

    private static ClaimRequest labelled(ClaimRequest request, SecurityLabel label) {
        return new ClaimRequest(
                request.volume(),
                request.mode(),
                request.capability(),
                request.mountOptions().withLabel(label));
    }

    private static ClaimRequest owned(OwnershipOptions ownership) {
        return new ClaimRequest(V, ClaimMode.WRITE, MANY, new MountOptions("", MountFlags.empty(), "7", ownership));
    }

    @Test
    void optionsOfBlockDeviceAreRefused() {
        RequestedCapability block = RequestedCapability.block(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
        ClaimRequest plain = ClaimRequest.of(V, ClaimMode.READ, block);
        ClaimRequest withFlags = new ClaimRequest(V, ClaimMode.WRITE, block, MountOptions.of("", "noexec"));
        assertThat(refusal(plain, withFlags)).contains("a block device takes no mount options; leave them out");
        assertThat(ClaimRequest.merged(List.of(plain, ClaimRequest.writing(V, block))))
                .containsExactly(ClaimRequest.writing(V, block));
    }

    @Test
    void refusalShowsNoFlags() {
        ClaimRequest secret = mount(ClaimMode.READ, "xfs", "password=canary");
        assertThat(refusal(secret, WRITER)).doesNotContain("canary");
    }

    /** The reservation of a scheduler is the claim that the node asks for later. */
    @Test
    void reservationTakesMergedClaim() {
        ProposedPlacement placement = new ProposedPlacement(
                AllocationId.of("a"), Namespace.of("ns"), NodeId.of("n"), List.of(READER, WRITER));
        Batch batch = (Batch) placement.reservation(Instant.EPOCH);
        assertThat(batch.commands())
                .contains(new ClaimCommand.TakeClaims(
                        AllocationId.of("a"), List.of(mount(ClaimMode.WRITE, "ext4")), Instant.EPOCH));
    }

    /** Each old log has to give the same result, so a command does not merge what an earlier version refused. */
    @Test
    void commandKeepsRequestsAsTheyAre() {
        List<ClaimRequest> mounts = List.of(READER, WRITER);
        assertThat(new ClaimCommand.TakeClaims(AllocationId.of("a"), mounts, Instant.EPOCH).requests())
                .isEqualTo(mounts);
        assertThat(ClaimRequest.conflicts(mounts)).containsOnlyKeys(V);
    }
}
