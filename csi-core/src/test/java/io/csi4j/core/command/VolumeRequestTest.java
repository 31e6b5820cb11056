package io.csi4j.core.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import java.util.List;
import org.junit.jupiter.api.Test;

class VolumeRequestTest {
    private static VolumeRequest request(VolumeAccessMode mode, boolean readOnly, boolean perAllocation) {
        return new VolumeRequest("data", readOnly, RequestedCapability.mount(mode), MountOptions.none(), perAllocation);
    }

    private static List<String> fields(VolumeRequest request, WorkloadShape shape) {
        return request.problems(shape).stream().map(Problem::field).toList();
    }

    @Test
    void allProblemsOfRequestAreReportedTogether() {
        VolumeRequest bad = new VolumeRequest(
                "", true, RequestedCapability.block(VolumeAccessMode.UNKNOWN), MountOptions.of("ext4"), true);
        assertThat(fields(bad, new WorkloadShape(1, true, 2)))
                .containsExactly("source", "perAllocation", "perAllocation", "accessMode", "mountOptions");
    }

    @Test
    void requestForSeveralAllocationsNeedsAccessModeThatAllowsSharing() {
        for (VolumeAccessMode mode : VolumeAccessMode.values()) {
            if (mode == VolumeAccessMode.UNKNOWN) {
                continue;
            }
            for (boolean readOnly : new boolean[] {true, false}) {
                if (mode.readerOnly() && !readOnly) {
                    assertThat(fields(request(mode, false, false), WorkloadShape.of(1)))
                            .containsExactly("readOnly");
                    continue;
                }
                boolean shared = mode == VolumeAccessMode.MULTI_NODE_MULTI_WRITER
                        || mode == VolumeAccessMode.MULTI_NODE_READER_ONLY
                        || (mode == VolumeAccessMode.MULTI_NODE_SINGLE_WRITER && readOnly);
                assertThat(fields(request(mode, readOnly, false), WorkloadShape.of(1)))
                        .isEmpty();
                assertThat(fields(request(mode, readOnly, false), WorkloadShape.of(2))
                                .isEmpty())
                        .as("%s %s", mode, readOnly)
                        .isEqualTo(shared);
                assertThat(fields(request(mode, readOnly, false), new WorkloadShape(1, true, 0))
                                .isEmpty())
                        .isEqualTo(shared);
                assertThat(fields(request(mode, readOnly, true), WorkloadShape.of(5)))
                        .isEmpty();
            }
        }
        assertThatIllegalArgumentException().isThrownBy(() -> WorkloadShape.of(-1));
    }

    @Test
    void perAllocationRequestClaimsVolumeWhoseNameContainsAllocationIndex() {
        Namespace namespace = Namespace.of("default");
        VolumeRequest own = request(VolumeAccessMode.SINGLE_NODE_WRITER, false, true);
        assertThat(own.claimOf(namespace, 3).volume()).isEqualTo(VolumeKey.of("default", "data[3]"));
        assertThat(own.claimOf(namespace, 3).mode()).isEqualTo(ClaimMode.WRITE);
        VolumeRequest shared = request(VolumeAccessMode.MULTI_NODE_READER_ONLY, true, false);
        assertThat(shared.claimOf(namespace, 3).volume()).isEqualTo(VolumeKey.of("default", "data"));
        assertThat(shared.claimOf(namespace, 3).mode()).isEqualTo(ClaimMode.READ);
        assertThatIllegalArgumentException().isThrownBy(() -> own.claimOf(namespace, -1));
    }

    @Test
    void requestsThatDifferInOneFieldAreNotEqual() {
        VolumeRequest request = request(VolumeAccessMode.MULTI_NODE_MULTI_WRITER, false, false);
        List<VolumeRequest> others = List.of(
                new VolumeRequest("other", false, request.capability(), MountOptions.none(), false),
                new VolumeRequest("data", true, request.capability(), MountOptions.none(), false),
                request(VolumeAccessMode.SINGLE_NODE_WRITER, false, false),
                new VolumeRequest("data", false, request.capability(), MountOptions.of("xfs"), false),
                request(VolumeAccessMode.MULTI_NODE_MULTI_WRITER, false, true));
        assertThat(others).doesNotContain(request).doesNotHaveDuplicates();
        assertThat(request(VolumeAccessMode.MULTI_NODE_MULTI_WRITER, false, false))
                .isEqualTo(request);
    }
}
